"""Several triggers in one run: each is known by itself, and all of them together."""

import json
from statistics import median

import pytest

from reports.measuring.distribution import Distribution
from reports.measuring.recovery import Episode, Recovery
from reports.rendering import sentences, spreads
from reports.rendering.to_json import to_json
from reports.statistics.value import Value
from tests.reports.known.making import CALM, Dip, KnownLane, KnownRun, wave

EVERY_S = 30.0


def dips(count: int = 10, type: str = "dip") -> tuple[Dip, ...]:  # noqa: A002 - as a fault has it
    """Of 2 s, the first at 10 s, then one every 30 s."""
    return tuple(Dip(10 + EVERY_S * n, 12 + EVERY_S * n, type=type) for n in range(count))


def storms(*lengths_s: float | None) -> KnownLane:
    """A storm after each dip of so many seconds; `None`: until the next begins."""
    begins = [10 + EVERY_S * number for number in range(len(lengths_s))]
    return KnownLane(
        tuple(
            wave(begin_s, begin_s + (EVERY_S if length_s is None else 2 + length_s))
            for begin_s, length_s in zip(begins, lengths_s, strict=True)
        )
    )


def repeated(*lengths_s: float | None, type: str = "dip") -> KnownRun:  # noqa: A002
    """A run with a dip for every storm, each watched for 28 s."""
    count = len(lengths_s)
    return KnownRun((storms(*lengths_s),), dips(count, type), 10 + EVERY_S * count)


def only(run: KnownRun, *, so_far: bool = False) -> Recovery:
    [found] = run.report(so_far=so_far).policies
    return found


def distribution(run: KnownRun) -> Distribution:
    [found] = run.report().distributions
    return found


def settled(episode: Episode) -> float | None:
    assert episode.figures.after is not None
    return episode.figures.after.settled_s


TEN = repeated(*[3.0] * 10)
MIXED = repeated(*[float(n) for n in (4, 1, 9, 10, 2, 3, 8, 6, 5, 7)])


def test_ten_equal_dips_are_ten_samples_that_are_alike() -> None:
    found = distribution(TEN)
    assert (len(found.samples), found.left_out, found.recovered) == (10, 0, 10)
    summary = found.summaries["settled_s"]
    assert summary.median.amount == pytest.approx(3.0)
    assert not summary.late
    for name, amount in {
        "first_fit_s": 3.0,
        "times_trigger": 1.5,
        "failed": 2 * (CALM - 20),
        "failed_anyway": 2 * (CALM - 20),
        "requests": EVERY_S * CALM,
        "attempts": 25 * 80 + 5 * 200,
        "amplification": (25 * 80 + 5 * 200) / (EVERY_S * CALM),
        "storm_attempts": 3 * 100,
        "peak_per_s": 200,
        "worst_amplification": 200 / 80,
        "goodput_lost": 2 * (CALM - 20),
    }.items():
        one = found.summaries[name]
        assert one.interval is not None
        every = (one.least, one.p05, one.median, one.p95, one.most, *one.interval)
        assert [value.amount for value in every] == pytest.approx([amount] * 7), name
    assert run_is_whole(TEN)


def test_ten_dips_of_different_storms_have_an_exact_median_and_range() -> None:
    """Storms of 1 s to 10 s, in any order: the median lies between 5 s and 6 s."""
    summary = distribution(MIXED).summaries["settled_s"]
    figures = (summary.least, summary.p05, summary.median, summary.p95, summary.most)
    assert [one.amount for one in figures] == pytest.approx([1, 1, 5.5, 10, 10])
    assert summary.median.amount == pytest.approx(median(range(1, 11)))
    lengths_s = [settled(one) for one in only(MIXED).episodes]
    assert lengths_s == pytest.approx([4, 1, 9, 10, 2, 3, 8, 6, 5, 7])
    assert run_is_whole(MIXED)


@pytest.mark.parametrize("run", [TEN, MIXED, TEN.but(tick_s=0.25)])
def test_an_episode_counts_from_its_begin_to_the_next(run: KnownRun) -> None:
    [lane] = run.lanes
    for number, episode in enumerate(only(run).episodes):
        begin_s = 10 + EVERY_S * number
        span = (begin_s, begin_s + EVERY_S)
        figures = episode.figures
        assert figures.attempts == pytest.approx(run.attempts(lane, *span))
        assert figures.requests == pytest.approx(run.requests(lane, *span))
        assert figures.failed == pytest.approx(run.failed(lane, *span))
        assert figures.after is not None
        assert figures.after.storm_attempts == pytest.approx(run.storm(lane, begin_s + 2, span[1]))
        assert figures.after.observed_s == pytest.approx(28.0)
        assert (episode.number, episode.together) == (number + 1, 1)
        assert episode.cut_by_next is (number < len(run.dips) - 1)


def run_is_whole(run: KnownRun) -> bool:
    """The counts of the run are those of its episodes and of the 10 s before."""
    [lane] = run.lanes
    found = only(run)
    each = [one.figures for one in found.episodes]
    assert found.attempts == run.attempts(lane, 0, 10) + sum(one.attempts for one in each)
    assert found.requests == 10 * CALM + sum(one.requests for one in each)
    assert found.failed == sum(one.failed or 0 for one in each) == round(run.failed(lane))
    assert found.cost is not None
    anyway = [one.cost.failed_anyway or 0 for one in each if one.cost]
    assert found.cost.failed_anyway == sum(anyway) == round(run.failed(lane))
    assert found.peak_per_s == max(one.peak_per_s for one in each)
    return run.report().valid


# Dips 3, 6 and 12 of twelve are never settled after: 4 and 7 meet the storms of 3 and 6.
LOST = repeated(*[None if number in {3, 6, 12} else 3.0 for number in range(1, 13)])


def test_what_never_settled_is_counted_and_in_no_median() -> None:
    found = distribution(LOST)
    assert (len(found.samples), found.lost, found.left_out) == (10, 3, 2)
    assert spreads.not_recovered(found) == "not recovered in 3 of 10"
    summary = found.summaries["settled_s"]
    assert (summary.n, summary.late) == (10, 3)
    assert summary.median.amount == pytest.approx(3.0)
    assert not summary.median.late
    assert summary.p95 == summary.most == Value(28.0, late=True)
    early = [one.number for one in only(LOST).episodes if one.began_unsettled]
    assert early == [4, 7]
    assert (
        "`a` had not settled after the one before when disturbances 4 and 7 of 12 began: what "
        "follows is measured from the last."
    ) in LOST.report().notes
    assert not only(LOST).after.recovered  # type: ignore[union-attr]


def test_in_the_file_what_did_not_come_about_is_no_number() -> None:
    [found] = json.loads(to_json(LOST.report()))["distributions"]
    assert (found["n"], found["left_out"], found["recovered"]) == (10, 2, 7)
    low, high = found["recovered_interval"]
    assert low < 0.7 < high
    one = found["measures"]["settled_s"]
    assert (one["n"], one["late"]) == (10, 3)
    assert one["median"] == {"value": 3.0, "beyond": None}
    assert one["most"] == one["p95"] == {"value": None, "beyond": 28.0}
    assert one["interval"][0] == {"value": 3.0, "beyond": None}
    assert set(found["measures"]) > {"failed", "amplification", "first_fit_s"}


def test_where_most_never_settle_the_median_is_late() -> None:
    """Every other dip is settled after, and meets the storm of the one before."""
    found = distribution(repeated(*[None, 3.0] * 5))
    assert (len(found.samples), found.lost, found.left_out) == (5, 5, 5)
    assert found.summaries["settled_s"].median == Value(28.0, late=True)
    assert found.summaries["settled_s"].interval is None, "fewer than 6"


def pair(gap_s: float, *waves: tuple[float, float], length_s: float = 60.0) -> KnownRun:
    """A dip from 10 s to 12 s, and one of 2 s that begins `gap_s` after it."""
    second = Dip(12 + gap_s, 14 + gap_s)
    return KnownRun(
        (KnownLane(tuple(wave(*one) for one in waves)),), (Dip(10, 12), second), length_s
    )


def test_a_second_dip_in_the_storm_of_the_first_is_measured_from_the_last() -> None:
    run = pair(4.0, (10, 21))
    found = only(run)
    first, second = found.episodes
    assert settled(first) is None
    assert settled(second) == pytest.approx(3.0)
    assert first.figures.after is not None
    assert first.figures.after.observed_s == pytest.approx(4.0)
    assert (first.began_unsettled, second.began_unsettled) == (False, True)
    assert found.after is not None
    assert found.after.settled_s == pytest.approx(3.0)
    assert found.after.storm_attempts == pytest.approx(3 * 100)
    assert run.report().distributions == (), "one sample is no distribution"
    assert (
        "`a` had not settled after the one before when disturbance 2 of 2 began, with less than "
        "the 6 s between them that it takes to tell: what follows is measured from the last."
    ) in run.report().notes
    assert "The run had 2 dips; recovery is measured after the last to end." in run.report().notes
    assert sentences.headline(run.report()) == (
        "`p (a)` kept the service overloaded for 3.0 s after a 2.0 s dip: 1.5× the dip."
    )


def test_many_that_came_too_early_are_not_all_listed() -> None:
    run = KnownRun((KnownLane(),), tuple(Dip(10 + 6 * n, 12 + 6 * n) for n in range(14)), 110.0)
    [*_, note] = run.report().notes
    assert "when disturbances 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more of 14 began, with" in note


def test_a_lane_that_is_calm_for_less_than_it_takes_to_tell_is_said_to_have_had_no_time() -> None:
    notes = pair(4.0, (10, 12)).report().notes
    assert any("with less than the 6 s between them that it takes to tell" in n for n in notes)


@pytest.mark.parametrize(
    ("calm_s", "steady"), [(4.0, False), (5.5, False), (5.8, True), (7.0, True)]
)
def test_a_lane_must_have_been_calm_for_the_hold_before_the_next_dip(
    calm_s: float, steady: bool
) -> None:
    """A storm of 3 s and then calm; the windows of a second in which that is seen end by then."""
    run = pair(3.0 + calm_s, (10, 15))
    first, second = only(run).episodes
    assert second.began_unsettled is not steady
    assert (settled(first) is not None) is steady


@pytest.mark.parametrize(("calm_s", "steady"), [(0.0, False), (2.0, False), (6.0, True)])
def test_a_relapse_that_goes_on_is_a_storm_that_is_not_over(calm_s: float, steady: bool) -> None:
    """The lane settled at once, relapsed at 30 s for 2 s, and the next dip came so much later."""
    run = pair(20.0 + calm_s, (30, 32), length_s=80.0)
    first, second = only(run).episodes
    assert settled(first) == 0
    assert first.figures.after is not None
    assert [one.attempts for one in first.figures.after.relapses] == pytest.approx([200])
    assert second.began_unsettled is not steady


def test_dips_a_tick_apart_are_two_and_dips_closer_are_one() -> None:
    """Whatever 0.1 sums to: at 12.1 s a whole tick lies between."""
    assert len(only(pair(0.1)).episodes) == 2
    assert len(only(pair(0.09)).episodes) == 1
    assert len(only(pair(0.0)).episodes) == 1
    late = KnownRun((KnownLane(),), (Dip(10, 10.3), Dip(10.4, 11)))
    assert len(only(late).episodes) == 2


def test_two_dips_that_overlap_are_one_of_several() -> None:
    """The third is alone; the first two are measured after the later of their ends."""
    run = KnownRun(
        (KnownLane((wave(10, 17), wave(40, 43))),), (Dip(10, 13), Dip(12, 15), Dip(40, 42)), 70.0
    )
    found = only(run)
    assert [one.together for one in found.episodes] == [2, 1]
    assert [settled(one) for one in found.episodes] == pytest.approx([2.0, 1.0])
    assert found.trigger is not None
    assert found.trigger.count == 3
    first = found.episodes[0].figures
    assert first.failed == pytest.approx(5 * (CALM - 20))
    assert first.cost is not None
    assert first.cost.failed_anyway == pytest.approx(5 * (CALM - 20)), "of both"
    assert any("followed each other at once, are one" in note for note in run.report().notes)
    assert run.report().distributions == (), "they are no repetitions of one"


def test_two_dips_at_once_are_no_repetition_of_one() -> None:
    """Though the last of either is 2 s long."""
    run = KnownRun((KnownLane(),), (Dip(10, 12), Dip(11, 13), Dip(40, 42)), 70.0)
    assert [one.together for one in only(run).episodes] == [2, 1]
    assert run.report().distributions == ()


def test_each_lane_has_the_dips_that_were_meant_for_it() -> None:
    """Three of `a`, one of `b` in between, none of `c`."""
    run = KnownRun(
        (
            KnownLane((wave(10, 13), wave(40, 45), wave(70, 74)), "a"),
            KnownLane((wave(25, 28),), "b"),
            KnownLane((), "c"),
        ),
        (
            Dip(10, 12, lanes=("a",)),
            Dip(25, 27, lanes=("b",)),
            Dip(40, 42, lanes=("a",)),
            Dip(70, 72, lanes=("a",)),
        ),
        100.0,
    )
    report = run.report()
    a, b, c = report.policies
    assert [settled(one) for one in a.episodes] == pytest.approx([1.0, 3.0, 2.0])
    assert [settled(one) for one in b.episodes] == pytest.approx([1.0])
    assert (c.episodes, c.after, c.trigger) == ((), None, None)
    assert [len(one.samples) for one in report.distributions] == [3, 1]
    assert report.distributions[0].summaries["settled_s"].median.amount == pytest.approx(2.0)
    assert "`a` had several dips; each is measured until the next began." in report.notes
    assert "Nothing disturbed `c`: there is no recovery to measure." in report.notes
    assert (b.attempts, b.failed) == (run.attempts(run.lanes[1]), 2 * (CALM - 20))


@pytest.mark.parametrize("type_", ["error", "hang", "latency", "spike"])
def test_other_faults_repeated_are_samples_likewise(type_: str) -> None:
    found = distribution(repeated(3.0, 4.0, 5.0, type=type_))
    assert len(found.samples) == 3
    assert found.summaries["settled_s"].median.amount == pytest.approx(4.0)


@pytest.mark.parametrize("tick_s", [0.05, 0.25, 1.0])
def test_ticks_of_another_width_change_no_sample(tick_s: float) -> None:
    found = distribution(repeated(1.0, 4.0, 2.0, 6.0).but(tick_s=tick_s))
    lengths_s = [one.after.settled_s for one in found.samples if one.after]
    assert lengths_s == pytest.approx([1, 4, 2, 6])
    assert found.left_out == 0


def cut(at_s: float) -> KnownRun:
    """Three dips, of a run that goes on."""
    return repeated(3.0, 3.0, 3.0).but(length_s=at_s, ended=False)


def test_of_a_run_that_goes_on_what_has_come_is_told() -> None:
    """3 s after the third dip it is too soon to tell, and no sample."""
    run = cut(75.0)
    report = run.report(so_far=True)
    first, second, third = only(run, so_far=True).episodes
    assert [settled(first), settled(second)] == pytest.approx([3.0, 3.0])
    assert third.figures.after is not None
    assert (third.figures.after.too_soon, third.figures.after.lost) == (True, False)
    assert third.figures.attempts == pytest.approx(5 * 200)
    [found] = report.distributions
    assert (len(found.samples), found.lost, found.left_out) == (2, 0, 0)
    assert report.valid


def test_of_a_run_that_goes_on_a_dip_is_not_over_yet() -> None:
    report = cut(71.0).report(so_far=True)
    [policy] = report.policies
    assert len(policy.episodes) == 3
    assert policy.after is not None
    assert (policy.after.observed_s, policy.after.too_soon) == (0.0, True)
    [found] = report.distributions
    assert (len(found.samples), found.lost) == (2, 0)


def test_of_a_run_that_goes_on_what_is_planned_is_no_trigger_yet() -> None:
    found = only(cut(65.0), so_far=True)
    assert len(found.episodes) == 2
    assert found.after is not None
    assert found.after.settled_s == pytest.approx(3.0)


def test_repetitions_of_two_dips_that_overlap_are_said_to_be_that() -> None:
    each = [
        (Dip(10 + EVERY_S * n, 12 + EVERY_S * n), Dip(11 + EVERY_S * n, 13 + EVERY_S * n))
        for n in range(3)
    ]
    waves = tuple(wave(10 + EVERY_S * n, 16 + EVERY_S * n) for n in range(3))
    run = KnownRun((KnownLane(waves),), tuple(dip for pair in each for dip in pair), 100.0)
    found = distribution(run)
    assert found.summaries["times_trigger"].median.amount == pytest.approx(1.0)
    assert sentences.headline(run.report()).startswith("Over 3 times 2 dips of 3.0 s together ")
