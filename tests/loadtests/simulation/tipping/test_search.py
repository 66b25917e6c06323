"""The search keeps its promise on coins of which the tipping point is known."""

import random

import pytest

from loadtests.simulation.tipping.evidence import evidence
from loadtests.simulation.tipping.finding import Verdict, find
from loadtests.simulation.tipping.search import (
    MOST_VALUES,
    Answer,
    Ask,
    Plan,
    Tally,
    answer_of,
    next_asks,
)
from tests.loadtests.simulation.tipping.coins import GRID, Share, search, sharp, smooth, wrong

PLAN = Plan(GRID, 0.95, 200)


def flat(share: float) -> Share:
    """The same everywhere."""
    return lambda _value: share


@pytest.mark.parametrize(
    "share",
    [smooth(1.1, 0.15), smooth(10.0, 2.0), lambda value: 1 - value / 60, flat(0.5), flat(0.45)],
    ids=["steep", "gentle", "a slope", "a fair coin", "nearly one"],
)
def test_all_that_is_said_is_true_in_at_least_as_many_searches_as_promised(share: Share) -> None:
    """Of 400 searches each, with 80% confidence so that there is something to see.

    So many errors as the bound below have a probability under 0.001 if the promise is just kept.
    """
    plan = Plan(GRID, 0.8, 150)
    rng = random.Random(2)
    errors = sum(wrong(search(plan, share, rng), plan, share) for _ in range(400))
    assert errors <= 400 * 0.2 + 25


@pytest.mark.parametrize("middle", [0.35, 1.1, 7.77, 42.0])
def test_the_point_lies_between_the_bounds(middle: float) -> None:
    """Of 300 searches with 95% confidence at most 5% may miss it, which is 15 ± 4."""
    rng = random.Random(3)
    share = smooth(middle, middle / 20)
    missed, bounded = 0, 0
    for _ in range(300):
        found = search(PLAN, share, rng)
        if found.lower is not None and found.upper is not None:
            bounded += 1
            missed += not GRID[found.lower] <= middle <= GRID[found.upper]
            assert found.estimate is not None
            assert GRID[found.lower] <= found.estimate <= GRID[found.upper]
        assert found.runs <= PLAN.most_runs
        assert len(found.points) <= MOST_VALUES
    assert bounded > 290
    assert missed <= 15


@pytest.mark.parametrize("last", [0.1, 0.4, 1.6, 13.3, 45.0, 59.9])
def test_a_sharp_edge_is_found_to_the_grid(last: float) -> None:
    """Not a batch more than one at each value: nothing there is chance."""
    found = search(PLAN, sharp(last), random.Random(0))
    assert found.lower is not None
    assert found.upper == found.lower + 1
    assert GRID[found.lower] == last
    assert found.verdict is Verdict.BETWEEN
    assert found.rising
    assert found.fine
    assert {point.tally.runs for point in found.points} == {PLAN.batch}


def test_what_grows_less_dangerous_is_told_by_the_ends() -> None:
    """As with the number of workers: few do not recover, many do."""
    plan = Plan(tuple(map(float, range(1, 41))), 0.95, 200)
    found = search(plan, lambda workers: float(workers >= 12), random.Random(0))
    assert found.rising is False
    assert (found.lower, found.upper) == (11, 10)
    assert found.estimate == 11.5


@pytest.mark.parametrize(("share", "verdict"), [(1.0, Verdict.ALWAYS), (0.0, Verdict.NEVER)])
def test_ends_that_are_alike_are_a_verdict_of_its_own(share: float, verdict: Verdict) -> None:
    """After the ends and the middle."""
    found = search(PLAN, flat(share), random.Random(0))
    assert found.verdict is verdict
    assert (found.lower, found.upper, found.estimate) == (None, None, None)
    assert found.runs == 3 * PLAN.batch


def test_a_middle_unlike_both_ends_is_told() -> None:
    """There is no one point then."""
    found = search(PLAN, lambda value: float(value < 1 or value > 30), random.Random(0))
    assert found.verdict is Verdict.NO_ORDER


def test_a_more_dangerous_value_that_recovers_more_often_is_told() -> None:
    """Here the runs at 5.0 recover, those at 2.0 mostly do not, and the search was told so."""
    tried = {
        0: Tally(12, 12),
        19: Tally(9, 40),
        49: Tally(40, 40),
        599: Tally(0, 12),
    }
    found = find(Plan(GRID, 0.95, 400), tried)
    assert found.against_order == (19, 49)
    assert found.verdict is Verdict.BETWEEN


def test_where_it_is_chance_what_lies_on_both_sides_is_halved() -> None:
    """All at once, so that many processes have something to do."""
    tried = {0: Tally(12, 12), 10: Tally(20, 40), 99: Tally(0, 12), 599: Tally(0, 12)}
    assert [ask.place for ask in next_asks(PLAN, tried)] == [3, 33]


def test_chance_at_an_end_leaves_one_bound() -> None:
    """At 0.1 s half recover; by 3 s none do."""
    found = search(Plan(GRID, 0.95, 600), lambda value: 0.5 if value < 2 else 0.0, random.Random(1))
    assert found.verdict is Verdict.FROM_CHANCE
    assert found.lower is None
    assert found.upper is not None
    assert GRID[found.upper] == 2.0


def test_a_fair_coin_everywhere_is_chance() -> None:
    """No bound is made up."""
    assert search(PLAN, flat(0.5), random.Random(4)).verdict is Verdict.CHANCE


def test_no_more_runs_are_made_at_a_value_that_can_no_longer_be_told() -> None:
    """24 runs of which half recover: the 16 that are left could not make the evidence."""
    assert answer_of(PLAN, Tally(12, 24)) is Answer.CHANCE
    assert evidence(12 + 16, 40) < PLAN.needed
    assert answer_of(PLAN, Tally(18, 24)) is None


def test_what_no_runs_are_left_for_is_not_called_chance() -> None:
    """24 runs are enough for both ends if they are clear, and the second is not."""
    plan = Plan(GRID, 0.95, 24)
    tried = {0: Tally(12, 12), 599: Tally(3, 12)}
    assert next_asks(plan, tried) == ()
    found = find(plan, tried)
    assert found.verdict is Verdict.UNFINISHED
    assert not found.fine


def test_it_begins_with_both_ends() -> None:
    """And with as many runs as it takes when all end alike."""
    assert next_asks(PLAN, {}) == (Ask(0, 12), Ask(599, 12))


def test_cut_short_it_says_what_is_sure_by_then() -> None:
    """The bounds so far, and that they could be closer; before the ends are known nothing."""
    assert find(PLAN, {}).verdict is Verdict.UNFINISHED
    assert find(PLAN, {0: Tally(8, 12), 599: Tally(0, 12)}).verdict is Verdict.UNFINISHED
    found = find(PLAN, {0: Tally(12, 12), 599: Tally(0, 12)})
    assert (found.lower, found.upper, found.fine) == (0, 599, False)


@pytest.mark.parametrize(
    ("grid", "confidence", "runs", "says"),
    [
        (GRID, 0.4, 200, "confidence: 40%: expected 50% to 99.9%"),
        (GRID, 0.95, 23, "runs: 23: expected 24 to 100000 for 95% confidence"),
        ((1.0,), 0.95, 200, "one value only"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(
    grid: tuple[float, ...], confidence: float, runs: int, says: str
) -> None:
    """It names what is allowed."""
    with pytest.raises(ValueError, match=says):
        Plan(grid, confidence, runs)
