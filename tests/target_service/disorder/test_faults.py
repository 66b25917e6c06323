"""What befalls an attempt is decided by the plan, the tick, the lane and a drawn number."""

import math
from collections.abc import Sequence
from random import Random

import pytest

from target_service.disorder.faults import (
    AddedLatency,
    Blow,
    Cut,
    Ending,
    Error,
    Fault,
    FaultPlan,
    Faults,
    Hang,
    Reset,
    fault_for,
    type_of,
)

N = 20_000


def faults_of(*plans: FaultPlan, start: int = 0, length: int = 10) -> list[Fault]:
    """These plans, all in force in the same ticks."""
    faults = Faults()
    for plan in plans:
        faults.plan(plan, start, length)
    return list(faults)


def blows(faults: Sequence[Fault], count: int = N, seed: str = "0/blows") -> list[Blow | None]:
    """What befalls so many attempts."""
    rng = Random(seed)
    return [fault_for(faults, "a", 0, rng) for _ in range(count)]


def within(share: float, seen: int, count: int = N) -> bool:
    """Whether `seen` of `count` is within five standard deviations of a binomial's mean."""
    return abs(seen - share * count) <= 5 * math.sqrt(count * share * (1 - share)) + 1e-9


@pytest.mark.parametrize("effect", [Error(429, 2), Hang(), Reset(), Cut()])
def test_a_fault_strikes_in_its_ticks_and_lanes_alone(effect: Ending) -> None:
    """[start, end), and every attempt there when its share is all of them."""
    faults = faults_of(FaultPlan(effect, 0.3, lanes=("a", "b")), start=2, length=3)
    rng = Random("0/ticks")
    struck = [fault_for(faults, "a", seq, rng) for seq in range(7)]
    assert struck == [None, None, *[Blow(0.0, effect)] * 3, None, None]
    assert fault_for(faults, "b", 2, rng) == Blow(0.0, effect)
    assert fault_for(faults, "c", 2, rng) is None


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99, 1.0])
def test_the_share_is_kept(share: float) -> None:
    """By the binomial distribution; nothing of none and all of all."""
    struck = sum(blow is not None for blow in blows(faults_of(FaultPlan(Hang(), 1, share=share))))
    assert within(share, struck)


def test_added_latency_is_uniform_around_its_mean() -> None:
    """200 ms ± 50 ms, with the mean and deviation of that."""
    faults = faults_of(FaultPlan(AddedLatency(0.2, 0.05), 1))
    delays_s = [blow.delay_s for blow in blows(faults) if blow and blow.ending is None]
    assert len(delays_s) == N
    assert 0.15 <= min(delays_s) < 0.1501
    assert 0.2499 < max(delays_s) <= 0.25
    deviation_s = 0.1 / math.sqrt(12)
    assert abs(sum(delays_s) / N - 0.2) < 5 * deviation_s / math.sqrt(N)


def test_added_latency_is_never_below_zero() -> None:
    """A spread above the mean leaves a share of zeros: here a quarter."""
    delays_s = [
        blow.delay_s for blow in blows(faults_of(FaultPlan(AddedLatency(0.1, 0.2), 1))) if blow
    ]
    assert min(delays_s) == 0.0
    assert within(0.25, sum(delay_s == 0.0 for delay_s in delays_s))


def test_latency_without_spread_is_exact() -> None:
    """No spread, no luck."""
    assert set(blows(faults_of(FaultPlan(AddedLatency(0.2), 1)), 20)) == {Blow(0.2, None)}


def test_latencies_add_up_and_add_to_what_else_strikes() -> None:
    """A late error is both."""
    faults = faults_of(
        FaultPlan(AddedLatency(0.2), 1), FaultPlan(Error(500), 1), FaultPlan(AddedLatency(0.3), 1)
    )
    assert blows(faults, 1) == [Blow(0.5, Error(500))]


def test_of_several_endings_that_of_the_oldest_fault_is_seen() -> None:
    """An attempt cannot be both reset and answered; one that the oldest spares gets the next."""
    faults = faults_of(FaultPlan(Reset(), 1, share=0.3), FaultPlan(Error(500), 1, share=0.5))
    seen = blows(faults)
    assert within(0.3, sum(blow == Blow(0.0, Reset()) for blow in seen))
    assert within(0.35, sum(blow == Blow(0.0, Error(500)) for blow in seen))
    assert within(0.35, sum(blow is None for blow in seen))


def test_the_same_numbers_drawn_are_the_same_blows() -> None:
    """So that a simulation is repeatable."""
    faults = faults_of(
        FaultPlan(AddedLatency(0.2, 0.1), 1, share=0.5), FaultPlan(Cut(), 1, share=0.1)
    )
    assert blows(faults, 200, "1/x") == blows(faults, 200, "1/x")
    assert blows(faults, 200, "1/x") != blows(faults, 200, "2/x")


def test_every_effect_has_the_name_of_its_type() -> None:
    """As the admin API has it."""
    effects = (AddedLatency(1), Error(), Hang(), Reset(), Cut())
    assert [type_of(effect) for effect in effects] == ["latency", "error", "hang", "reset", "cut"]
