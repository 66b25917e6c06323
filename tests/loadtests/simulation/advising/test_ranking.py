"""Who is better, and no finer than noise allows: with figures made by hand."""

import pytest

from loadtests.simulation.advising.candidates import Kind
from loadtests.simulation.advising.figures import Spread, Standing, spread
from loadtests.simulation.advising.ranking import limit_of, pareto_front, rank
from tests.loadtests.simulation.advising.made import NEVER, NO_RETRY, have, stands


def _order(*standings: Standing, failed: float | None = None) -> list[tuple[int, str]]:
    ranked = rank(standings, limit_of(standings, failed))
    return [(one.place, one.standing.name) for one in ranked]


def test_the_median_with_its_interval() -> None:
    """Of 20 values the 6th and the 15th bound it: P(B(20, ½) < 6) = 2.07%, with 7 it is 5.77%."""
    values = [float(number) for number in range(1, 21)]
    assert spread(values) == Spread(10.5, 6.0, 15.0)


def test_few_runs_have_the_interval_of_all_that_was_seen() -> None:
    """Of five values not even all of them hold the median with 95% confidence."""
    assert spread([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0)


def test_not_recovered_is_later_than_any_time() -> None:
    """It moves the median and the bounds, and no mean."""
    assert spread([1.0, 2.0, NEVER, NEVER, NEVER]) == Spread(NEVER, 1.0, NEVER)


def test_the_sooner_settled_comes_first() -> None:
    """Within the limit, whatever fails."""
    slow, fast = stands("full-jitter", 3.0, 0.01), stands("immediate", 1.0, 0.03)
    assert _order(slow, fast, failed=0.05) == [(1, "immediate"), (2, "full-jitter")]


def test_equals_share_a_place_and_stand_by_failed_then_amplification() -> None:
    """The second is within the noise of the first; the fourth is not."""
    a = stands("immediate", (0.5, 1.0, 1.5), 0.03)
    b = stands("full-jitter", (0.6, 1.4, 2.0), 0.02, amplification=1.4)
    c = stands("exponential", (0.6, 1.2, 2.0), 0.02, amplification=1.2)
    d = stands("polly-8", (0.9, 2.0, 3.0), 0.01)
    assert _order(a, b, c, d, failed=0.05) == [
        (1, "exponential"), (1, "full-jitter"), (1, "immediate"), (4, "polly-8")
    ]  # fmt: skip


def test_a_tick_is_no_difference() -> None:
    """Two that always settle a tick apart share a place, and the fewer unserved comes first."""
    a, b = stands("immediate", 0.0, 0.03), stands("exponential", 0.1, 0.02)
    assert _order(a, b, failed=0.05) == [(1, "exponential"), (1, "immediate")]


def test_nobody_is_sooner_by_a_tick() -> None:
    """Nor fails fewer by less than is shown, however sure the runs are."""
    a, b, c = (stands("immediate", settled, 0.03) for settled in (0.0, 0.1, 0.2))
    assert not a.sooner(b)
    assert a.sooner(c)
    assert not c.sooner(a)
    assert not stands("immediate", 0.0, 0.03).fails_less(stands("immediate", 0.0, 0.0309))


def test_what_there_is_comes_first_of_equals() -> None:
    """No change is the smallest one."""
    other, own = stands("exponential", 0.0, 0.02), have("immediate", 0.0, 0.02)
    assert _order(other, own, failed=0.05) == [(1, "immediate"), (1, "exponential")]


def test_those_above_the_limit_come_after_all_others() -> None:
    """However soon they settle; each part has its own order."""
    fails = [stands("immediate", 0.0, 0.06), stands("polly-8", 1.0, 0.05001)]
    slow = stands("exponential", NEVER, 0.05)
    ranked = rank([*fails, slow], limit_of([*fails, slow], 0.05))
    assert [(one.standing.name, one.within) for one in ranked] == [
        ("exponential", True), ("immediate", False), ("polly-8", False)
    ]  # fmt: skip


def test_the_default_limit_is_a_quarter_more_than_without_retries() -> None:
    """Where nothing fails without retries, it is the least that can be told apart."""
    assert limit_of([NO_RETRY], None).share == pytest.approx(0.05)
    calm = stands("no-retry", 0.0, 0.0, kind=Kind.REFERENCE)
    assert limit_of([calm], None).share == 0.001
    assert limit_of([stands("no-retry", 0.0, 0.9)], None).share == 1.0


def test_one_candidate() -> None:
    """It has the first place, and is all of the front."""
    ranked = rank([NO_RETRY], limit_of([NO_RETRY], None))
    assert [(one.place, one.within, one.front) for one in ranked] == [(1, True, True)]


def test_the_front_has_those_whom_nobody_beats_at_both() -> None:
    """Two at one point are both in it; one that is as good at one and worse at the other is not."""
    standings = [
        stands("no-retry", 0.0, 0.04),
        stands("immediate", 0.0, 0.05),
        stands("exponential", 3.0, 0.02),
        stands("full-jitter", 3.0, 0.02004),
        stands("polly-8", 4.0, 0.02),
        stands("openai-3", NEVER, 0.01),
        stands("azure-core-1.41", NEVER, 0.02),
    ]
    names = [one.name for one in pareto_front(standings)]
    assert names == ["openai-3", "exponential", "full-jitter", "no-retry"]


def test_the_front_where_none_recovered() -> None:
    """The fewest unserved requests are all there is to choose by."""
    standings = [stands("immediate", NEVER, 0.5), stands("exponential", NEVER, 0.4)]
    assert [one.name for one in pareto_front(standings)] == ["exponential"]
