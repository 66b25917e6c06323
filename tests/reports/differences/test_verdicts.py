"""Better, worse, or nothing that so many runs can show."""

import random
from dataclasses import replace
from math import comb

import numpy as np
import pytest

from reports.judging.differences.comparison import Comparison, compare_sides
from reports.judging.differences.least import Least, least_of
from reports.judging.differences.measures import COMPARED, measures_of
from reports.judging.differences.row import Row, Taken, Verdict
from reports.judging.differences.sides import side_of
from reports.judging.differences.verdicts import LEVEL, fewest_samples
from reports.measuring.catalogue import MEASURES
from reports.measuring.measure import Better, Unit
from reports.measuring.recovery import Figures
from reports.statistics.permutation import p_value, scores
from reports.statistics.value import Value
from tests.reports.differences.made import compared, figures, lane, run, settled

SLOW = settled(9.0, 9.5, 10.0, 10.5, 11.0)
FAST = settled(4.0, 4.5, 5.0, 5.5, 6.0)


def only(found: Comparison) -> Row:
    assert len(found.lanes) == 1
    assert len(found.lanes[0].rows) == 1
    return found.lanes[0].rows[0]


def test_sets_that_do_not_overlap_are_told_apart() -> None:
    worse = only(compared({"a": FAST}, {"a": SLOW}, "settled"))
    better = only(compared({"a": SLOW}, {"a": FAST}, "settled"))
    assert (worse.verdict, better.verdict) == (Verdict.WORSE, Verdict.BETTER)
    assert worse.p_value == better.p_value == pytest.approx(2 / comb(10, 5))
    assert worse.difference
    assert worse.difference.shift
    assert worse.difference.shift.amount == 5.0


def test_a_median_that_moved_against_most_of_the_samples_is_neither_better_nor_worse() -> None:
    """11 runs of 1 s and 9 of 100 s, and then 9 of 0 s and 11 of 2 s."""
    base, new = settled(*[1] * 11, *[100] * 9), settled(*[0] * 9, *[2] * 11)
    one = only(compared({"a": base}, {"a": new}, "settled"))
    other = only(compared({"a": new}, {"a": base}, "settled"))
    assert (one.verdict, other.verdict) == (Verdict.BOTH, Verdict.BOTH)
    assert one.difference
    assert one.difference.shift
    assert (one.difference.shift.amount, one.difference.superiority > 0.5) == (1.0, True)
    assert one.p_value
    assert one.p_value < LEVEL
    late = only(compared({"a": settled(*[1] * 11, *[None] * 9)}, {"a": new}, "settled"))
    assert late.verdict is Verdict.BOTH
    never = only(compared({"a": settled(*[1] * 9, *[None] * 11)}, {"a": new}, "settled"))
    assert never.verdict is Verdict.BETTER


def test_a_spread_that_changed_alone_may_be_shown() -> None:
    """As `docs/compare.md` says: eight of a wide spread against 40 of a narrow one."""
    draw, shown = random.Random(1), 0
    for _ in range(300):
        base = [Value(draw.gauss(10, 3)) for _ in range(8)]
        new = [Value(draw.gauss(10, 0.3)) for _ in range(40)]
        shown += p_value(scores([*new, *base]), len(new)) <= LEVEL
    assert 50 <= shown <= 100


def test_what_did_not_recover_is_worse_than_anything_that_did() -> None:
    found = only(compared({"a": FAST}, {"a": settled(*[None] * 5)}, "settled"))
    assert found.verdict is Verdict.WORSE
    assert found.difference
    assert found.difference.new.late == 5
    assert found.difference.shift is None


def test_one_that_failed_all_and_recovered_at_once_is_not_better_in_what_failed() -> None:
    base = {"a": [figures(5.0 + n, failed=100 + n) for n in range(5)]}
    new = {"a": [figures(0.0, failed=900 + n) for n in range(5)]}
    found = compared(base, new)
    assert [row.verdict for row in found.lanes[0].rows] == [
        Verdict.BETTER, Verdict.WORSE, Verdict.SAME,
    ]  # fmt: skip
    assert found.worse


def test_samples_that_are_all_the_same_are_not_tested_and_cost_the_others_nothing() -> None:
    found = compared({"a": FAST}, {"a": SLOW})
    assert found.tested == 1
    assert [row.p_value for row in found.lanes[0].rows] == [pytest.approx(2 / 252), None, None]


def test_p_values_are_corrected_for_all_rows_together() -> None:
    """Five against five reach 2/252, which is enough for six rows and not for seven."""
    for lanes, verdict in ((6, Verdict.WORSE), (7, Verdict.NOT_SHOWN)):
        names = [f"lane-{n}" for n in range(lanes)]
        found = compared(dict.fromkeys(names, FAST), dict.fromkeys(names, SLOW), "settled")
        assert {row.verdict for lane in found.lanes for row in lane.rows} == {verdict}
        assert found.lanes[0].rows[0].p_value == pytest.approx(lanes * 2 / 252)


def test_so_few_runs_show_nothing_and_how_many_could_is_said() -> None:
    found = compared({"a": SLOW[:2]}, {"a": FAST[:2]}, "settled")
    assert only(found).verdict is Verdict.NOT_SHOWN
    assert [lane.lane for lane in found.too_few] == ["a"]
    assert found.fewest == 4
    assert compared({"a": SLOW[:4]}, {"a": FAST[:4]}, "settled").too_few == ()
    for base, new in ((1, 1), (1, 3), (3, 1)):
        found = compared({"a": SLOW[:base]}, {"a": FAST[:new]}, "settled")
        assert only(found).needed is None, "one before the other is as likely as not"


@pytest.mark.parametrize(("rows", "each"), [(1, 4), (2, 5), (6, 5), (7, 6), (15, 6), (100, 8)])
def test_the_fewest_runs_are_the_first_that_the_permutation_test_can_do_with(
    rows: int, each: int
) -> None:
    assert fewest_samples(rows) == each
    assert 2 / comb(2 * each, each) <= 0.05 / rows < 2 / comb(2 * each - 2, each - 1)


def test_a_lane_in_fewer_runs_is_said_to_have_too_few() -> None:
    base = {"a": SLOW, "b": SLOW[:1]}
    found = compared(base, {"a": FAST, "b": FAST[:1]}, "settled")
    assert [lane.lane for lane in found.too_few] == ["b"]
    assert [lane.rows[0].verdict for lane in found.lanes] == [Verdict.BETTER, Verdict.NOT_SHOWN]


def test_a_run_of_several_dips_counts_by_their_median() -> None:
    """Of three, of which one did not recover: the middle one. Of two that did not: beyond."""
    base = [lane(*settled(4.0, None, 5.0 + n / 10)) for n in range(5)]
    new = [lane(*settled(None, 7.0, None), left_out=2) for _ in range(5)]
    before, after = (
        side_of(title, "", [run(number, one) for number, one in enumerate(lanes)])
        for title, lanes in (("BASE", base), ("NEW", new))
    )
    row = only(compare_sides(before, after, measures_of(["settled"])))
    assert row.difference
    assert row.difference.base.median == Value(5.2)
    assert (row.difference.new.n, row.difference.new.late) == (5, 5)
    assert (row.base, row.new) == (Taken(15, 0, 5), Taken(15, 0, 10))
    assert row.verdict is Verdict.WORSE


def test_the_more_is_compared_the_more_runs_it_takes_to_tell() -> None:
    pair = settled(4, 5, 6, 7), settled(5, 6, 7, 8)
    alone = compared({"a": pair[0]}, {"a": pair[1]}, "settled")
    beside = compared(dict.fromkeys("abc", pair[0]), dict.fromkeys("abc", pair[1]), "settled")
    one, first = only(alone).needed, beside.lanes[0].rows[0].needed
    assert one
    assert first
    assert first > one


def test_how_many_would_tell_is_more_than_there_are_and_unknown_without_a_difference() -> None:
    seen = only(compared({"a": settled(4, 5, 6, 7)}, {"a": settled(5, 6, 7, 8)}, "settled"))
    assert seen.verdict is Verdict.NOT_SHOWN
    assert seen.difference
    # Noether: (1.960 + 0.842)² / (12 · ¼ · (p - ½)²), half of it on each side.
    apart = seen.difference.superiority - 0.5
    assert seen.needed == int(np.ceil((1.959964 + 0.841621) ** 2 / (3 * apart**2) / 2)) > 4
    none = only(compared({"a": settled(4, 5, 6)}, {"a": settled(3, 5, 7)}, "settled"))
    assert none.needed is None


def test_differences_too_small_to_matter_are_none() -> None:
    close = settled(9.8, 10.3, 10.8, 11.3, 11.8)
    base = {"a": settled(9.0, 9.1, 9.2, 9.3, 9.4)}
    for least, verdict in (
        (Least(), Verdict.WORSE),
        (least_of(["10%"]), Verdict.WORSE),
        (least_of(["20%"]), Verdict.SMALL),
        (least_of(["1500ms"]), Verdict.WORSE),
        (least_of(["2s"]), Verdict.SMALL),
        (least_of(["10%", "2s"]), Verdict.SMALL),
    ):
        assert only(compared(base, {"a": close}, "settled", least=least)).verdict is verdict
    # Of seconds, not of anything else; and never of what is not known to be small.
    more = {"a": [figures(9.0, failed=200 + n) for n in range(5)]}
    few = {"a": [figures(9.0, failed=100 + n) for n in range(5)]}
    assert only(compared(few, more, "failed", least=least_of(["2s"]))).verdict is Verdict.WORSE
    late = {"a": settled(*[None] * 5)}
    assert only(compared(base, late, "settled", least=least_of(["90%"]))).verdict is Verdict.WORSE


@pytest.mark.parametrize("text", ["", "x", "-1%", "101%", "10", "5/s", "1e3s"])
def test_a_least_difference_says_what_is_allowed(text: str) -> None:
    with pytest.raises(ValueError, match=r'as in "10%", nor a duration, as in "500ms"'):
        least_of([text])


def test_counts_are_compared_as_shares_of_the_requests() -> None:
    """A run that is twice as long has twice as many failures, and is no worse."""
    base = [figures(1.0, failed=100 + n) for n in range(8)]
    new = [replace(one, requests=8000, failed=2 * (one.failed or 0)) for one in base]
    row = only(compared({"a": base}, {"a": new}, "failed"))
    assert row.measure.unit is Unit.SHARE
    assert row.verdict is Verdict.NOT_SHOWN
    assert row.difference
    assert row.difference.new.median.amount == pytest.approx(103.5 / 4000)


def test_all_measures_that_have_a_better_can_be_compared() -> None:
    words = [measure.word for measure in MEASURES if measure.better is not Better.NEITHER]
    assert measures_of(words) == COMPARED
    assert set(words) - {measure.word for measure in COMPARED} == {"failed"}
    assert all(measure in MEASURES for measure in COMPARED)
    with pytest.raises(
        ValueError, match="'requests' cannot be compared: one of first-fit, settled"
    ):
        measures_of(["requests"])
    assert [measure.name for measure in measures_of([])] == [
        "settled_s",
        "failed_share",
        "amplification",
    ]
    assert len(measures_of(["settled", "settled"])) == 1
    assert len(measures_of(["failed", "failed-share"])) == 1


def test_what_a_sample_lacks_is_not_compared() -> None:
    none = replace(FAST[0], amplification=None)
    row = only(compared({"a": [none, *FAST]}, {"a": SLOW}, "amplification"))
    assert (row.verdict, row.base.missing, row.new.missing) == (Verdict.NOT_MEASURED, 1, 0)


def _drawn(draw: np.random.Generator, runs: int) -> list[Figures]:
    """Settled with many at once and some never, failures, amplification; they go together."""
    storms = np.where(draw.random(runs) < 0.3, 0.0, draw.exponential(12, runs))
    return [
        figures(
            None if storm > 30 else round(storm, 1),
            failed=int(draw.poisson(80 + 3 * storm)),
            ampl=1 + storm / 100 + draw.random() / 50,
        )
        for storm in storms
    ]


def test_false_alarms_are_as_rare_as_is_said() -> None:
    """Of 400 comparisons of sides that do not differ, two lanes of three measures each."""
    draw = np.random.default_rng(1)
    alarms = 0
    for _ in range(400):
        base, new = ({name: _drawn(draw, 5) for name in "ab"} for _ in range(2))
        found = compared(base, new)
        alarms += any(found.rows(Verdict.WORSE, Verdict.BETTER))
    # 5%, and two standard errors of what 400 can tell.
    assert 2 <= alarms <= 20 + 2 * np.sqrt(400 * 0.05 * 0.95)


def test_as_many_runs_as_are_said_to_tell_do_so_as_often_as_is_said() -> None:
    """Exponential times, one a quarter as long: a new one is below with a chance of 4/5."""
    needed = int(np.ceil((1.959964 + 0.841621) ** 2 / (3 * (4 / 5 - 0.5) ** 2) / 2))
    draw = np.random.default_rng(2)
    shown = 0
    for _ in range(200):
        base = settled(*draw.exponential(8, needed))
        new = settled(*draw.exponential(2, needed))
        shown += only(compared({"a": base}, {"a": new}, "settled")).verdict is Verdict.BETTER
    assert needed == 15
    assert 0.7 * 200 <= shown <= 0.9 * 200
