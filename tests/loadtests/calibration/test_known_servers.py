"""Servers of known capacity, simulated over many seeds: the answer holds the truth as it says."""

from collections.abc import Callable
from random import Random

import pytest

from loadtests.calibration.planning import Plan
from loadtests.calibration.steps import StepLimits
from loadtests.calibration.verdict import Finding, Verdict
from tests.loadtests.calibration.servers import (
    Answer,
    Server,
    calibrate,
    collapsing,
    dues,
    queueing,
    rejecting,
)

SEEDS = range(16)


def exponential(mean_s: float) -> Callable[[Random], float]:
    return lambda rng: rng.expovariate(1 / mean_s)


def constant(service_s: float) -> Callable[[Random], float]:
    return lambda _rng: service_s


def answers(server: Server, seeds: range = SEEDS) -> list[Verdict]:
    return [calibrate(server, seed)[0] for seed in seeds]


def holds(verdict: Verdict, low: float, high: float) -> bool:
    """Whether the interval holds some capacity from `low` to `high`."""
    assert verdict.low_per_s is not None
    assert verdict.high_per_s is not None
    return verdict.low_per_s <= high and verdict.high_per_s >= low


def share(hits: list[bool]) -> float:
    return sum(hits) / len(hits)


@pytest.mark.parametrize("capacity", [55.0, 95.0, 200.0, 730.0])
def test_what_rejects_is_found_almost_exactly(capacity: float) -> None:
    """Whatever the phase of its ticks; and what is to be given is within 2% below it."""
    for verdict in answers(rejecting(capacity), range(4)):
        assert verdict.finding is Finding.SATURATED, verdict
        assert verdict.capacity_per_s == pytest.approx(capacity, rel=0.02)
        assert holds(verdict, capacity, capacity)
        assert verdict.give_per_s is not None
        assert capacity * 0.94 <= verdict.give_per_s <= capacity


def test_what_queues_with_constant_service_time_is_found_almost_exactly() -> None:
    """Ten workers and 100 ms are 100/s, although no request ever fails."""
    for verdict in answers(queueing(10, constant(0.1)), range(5)):
        assert verdict.capacity_per_s == pytest.approx(100, rel=0.005)


@pytest.mark.parametrize(
    ("workers", "mean_s"), [(10, 0.1), (50, 0.4)], ids=["10 × 100 ms", "50 × 400 ms"]
)
def test_what_queues_with_random_service_times_is_held_as_often_as_said(
    workers: int, mean_s: float
) -> None:
    """95%, of which 16 seeds may show 80% by chance; every estimate is within 10%."""
    truth = workers / mean_s
    found = [v for v in answers(queueing(workers, exponential(mean_s))) if v.trusted]
    assert len(found) >= 0.95 * len(SEEDS)
    assert share([holds(v, truth, truth) for v in found]) >= 0.8
    assert all(v.capacity_per_s == pytest.approx(truth, rel=0.1) for v in found)


@pytest.mark.parametrize(("steepness", "within"), [(2.0, 0.07), (0.5, 0.07)])
def test_what_does_less_when_asked_for_more_is_found_where_that_begins(
    steepness: float, within: float
) -> None:
    """Kept up is 98% done, so the truth is a small range: ``x^(−1 − steepness) = 0.98`` ends it."""
    top = 200 * 0.98 ** (-1 / (1 + steepness))
    found = answers(collapsing(200, steepness))
    assert all(v.trusted for v in found)
    assert all(v.capacity_per_s == pytest.approx(200, rel=within) for v in found)
    assert share([holds(v, 200, top) for v in found]) >= 0.75
    steep = share([v.finding is Finding.COLLAPSES for v in found])
    assert steep >= (0.9 if steepness == 2.0 else 0.3)


def slowing(rate_of_bound_per_s: float, share: float = 0.2) -> Server:
    """Never fails; from a rate on a share of requests takes 300 ms instead of 2 ms."""

    def serve(rate_per_s: float, for_s: float, rng: Random) -> list[Answer]:
        slow = share if rate_per_s > rate_of_bound_per_s else 0.0
        return [
            (due_s, due_s + (0.3 if rng.random() < slow else 0.002), True)
            for due_s in dues(rate_per_s, for_s)
        ]

    return serve


def test_latency_ends_it_where_goodput_goes_on_growing() -> None:
    """The capacity is between the last rate within the bound and the first beyond it."""
    for verdict in answers(slowing(123.0), range(5)):
        assert verdict.finding is Finding.SLOWS
        assert holds(verdict, 123, 123)
        assert verdict.give_per_s is not None
        assert 123 * 0.93 <= verdict.give_per_s <= 123


def test_a_latency_bound_that_is_given_is_the_one_that_holds() -> None:
    """300 ms are within 400 ms, so it grows up to the ceiling."""
    verdict, results = calibrate(slowing(123.0), 1, Plan(ceiling_per_s=500, latency_bound_s=0.4))
    assert verdict.finding is Finding.AT_LEAST
    assert verdict.give_per_s == 500
    assert max(r.step.rate_per_s for r in results) == 500


def test_a_ceiling_close_above_the_capacity_is_no_obstacle() -> None:
    """Nothing beyond it is tried: 2.4% too much has to do."""
    verdict, results = calibrate(rejecting(200.0), 1, Plan(ceiling_per_s=205))
    assert verdict.capacity_per_s == pytest.approx(200, rel=0.005)
    assert max(r.step.rate_per_s for r in results) == 205


def test_a_latency_that_breaks_just_below_the_ceiling_asks_for_a_higher_one() -> None:
    """Where the high rate tells nothing for sure, a higher one would."""
    server, plan = slowing(195.0, share=0.055), Plan(ceiling_per_s=200)
    found = [calibrate(server, seed, plan)[0] for seed in range(6)]
    unsure = [verdict for verdict in found if verdict.finding is Finding.UNSTABLE]
    assert unsure
    assert all("raise --ceiling" in verdict.reason for verdict in unsure)


def test_what_fails_a_little_always_is_not_overloaded_for_that() -> None:
    """Two in a hundred fail at any load: shortfalls are measured against the lightest step."""
    inner = rejecting(200.0)

    def flaky(rate_per_s: float, for_s: float, rng: Random) -> list[Answer]:
        return [
            (due_s, end_s, ok and index % 40 != 7)
            for index, (due_s, end_s, ok) in enumerate(inner(rate_per_s, for_s, rng))
        ]

    verdict, _ = calibrate(flaky, 3, limits=StepLimits(measured_s=8.0))
    assert verdict.capacity_per_s == pytest.approx(200, rel=0.04)


def test_the_same_seed_makes_the_same_steps() -> None:
    """No clock and no randomness of its own."""
    server = queueing(10, exponential(0.1))
    assert calibrate(server, 5) == calibrate(server, 5)
