"""The figures of many runs, folded into their distribution."""

import math
from dataclasses import replace

import pytest

from loadtests.simulation.distribution import Run
from tests.loadtests.simulation.distribution.made import distribution, lane, settled


def test_a_run_that_did_not_come_back_is_longer_than_all() -> None:
    """Left out, it would make a lane look the better the more often it is lost."""
    [found] = settled(1.0, None, 3.0, None, None).lanes
    spread = found.spreads["settled_s"]
    assert (spread.p05, spread.median, spread.p95) == (1.0, math.inf, math.inf)
    assert (found.recovered, found.recovered_share) == (2, 0.4)
    assert found.settled_s == (1.0, 3.0)


def test_a_load_that_fits_and_is_not_answered_has_not_settled() -> None:
    """As the report has it: the lane has not recovered."""
    starved = replace(lane(2.0), recovered=False)
    [found] = distribution([Run(0, (starved,))]).lanes
    assert found.spreads["settled_s"].median == math.inf
    assert found.settled_s == ()


def test_the_order_in_which_runs_are_done_is_no_matter() -> None:
    """Nor, so, how many processes do them."""
    runs = [Run(seed, (lane(seed * 7 % 11),)) for seed in range(20)]
    assert distribution(runs) == distribution(reversed(runs))
    assert [run.seed for run in distribution(reversed(runs)).runs] == list(range(20))


def test_the_interval_of_the_median_are_values_of_its_ranks() -> None:
    """Of a hundred the fortieth and the sixty-first."""
    [found] = settled(*(float(place) for place in range(1, 101))).lanes
    assert found.spreads["settled_s"].interval == (40.0, 61.0)
    assert found.spreads["settled_s"].median == 50.5
    [few] = settled(1.0, 2.0, 3.0).lanes
    assert few.spreads["settled_s"].interval is None


def test_a_lane_that_nothing_disturbed_has_no_times() -> None:
    """Its load and its cost are measured all the same."""
    [found] = distribution([Run(0, (lane(observed_s=0.0),))]).lanes
    assert "settled_s" not in found.spreads
    assert found.spreads["attempts"].median == 1100
    assert found.recovered == 1


@pytest.mark.parametrize(("bad", "valid"), [(0, True), (4, True), (5, False), (10, False)])
def test_when_half_of_the_runs_are_not_valid_the_whole_is_not(bad: int, valid: bool) -> None:
    """What each of them says against itself is kept."""
    runs = [Run(n, (lane(),), ("it was full",) if n < bad else ()) for n in range(10)]
    found = distribution(runs)
    assert (len(found.invalid), found.valid) == (bad, valid)


def test_the_median_of_an_even_number_is_between_the_two_in_the_middle() -> None:
    """Never where one of those did not come back: then at least half of the runs did not."""
    assert settled(1.0, 2.0, 4.0, None).lanes[0].spreads["settled_s"].median == 3.0
    assert settled(1.0, 2.0, None, None).lanes[0].spreads["settled_s"].median == math.inf
