"""The next step from those before: bounded, and never blaming the target for the generator."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadtests.calibration.planning import Plan, give_up, next_move
from loadtests.calibration.rounding import rounded_down
from loadtests.calibration.steps import Purpose, Step, StepLimits, StepResult
from loadtests.calibration.verdict import Finding, Verdict
from tests.loadtests.calibration.servers import Answer, calibrate, dues, measure, rejecting

LIMITS = StepLimits()


def answered(step: Step, capacity_per_s: float = 200.0) -> StepResult:
    return measure(rejecting(capacity_per_s), step, LIMITS, Random(1))


def test_it_begins_lightly_and_doubles() -> None:
    """What goes badly while it grows is looked at twice, unless it was refused or broke down."""
    results: list[StepResult] = []
    for expected in (10, 20, 40, 80, 160, 320):
        move = next_move(results, Plan())
        assert isinstance(move, Step)
        assert move.rate_per_s == expected
        results.append(answered(move))
    assert results[-1].stopped is not None
    narrowing = next_move(results, Plan())
    assert isinstance(narrowing, Step)
    assert narrowing.purpose is Purpose.NARROW
    results[-1] = replace(results[-1], succeeded_share=1.0)
    broken_down = next_move(results, Plan())
    assert isinstance(broken_down, Step)
    assert broken_down.purpose is Purpose.NARROW
    results[-1] = replace(results[-1], stopped=None)
    assert next_move(results, Plan()) == results[-1].step


def test_a_hiccup_while_it_grows_does_not_end_the_search() -> None:
    """Two of three looks went well."""
    good = [answered(Step(rate, Purpose.GROW, 0.06)) for rate in (20.0, 40.0)]
    light = answered(Step(10.0, Purpose.LIGHT))
    bad = replace(good[1], goodput_per_s=30.0, batches_per_s=(30.0,) * 10)
    again = next_move([light, good[0], bad], Plan())
    assert isinstance(again, Step)
    assert again.rate_per_s == 40
    third = next_move([light, good[0], bad, good[1]], Plan())
    assert isinstance(third, Step)
    assert third.rate_per_s == 40
    onwards = next_move([light, good[0], bad, good[1], good[1]], Plan())
    assert isinstance(onwards, Step)
    assert onwards.rate_per_s == 80


def test_the_bound_is_told_to_every_step_after_the_first() -> None:
    """Three times what the lightest step took, and at least 50 ms more."""
    first = next_move([], Plan())
    assert isinstance(first, Step)
    assert first.bound_s is None
    second = next_move([answered(first)], Plan())
    assert isinstance(second, Step)
    assert second.bound_s is not None
    assert 0.05 < second.bound_s < 0.06


@settings(max_examples=40, deadline=None)
@given(
    capacity=st.floats(2, 900),
    ceiling=st.floats(1, 1000),
    noise=st.floats(0, 0.6),
    seed=st.integers(0, 1000),
)
def test_it_ends_and_never_goes_beyond_its_ceiling(
    capacity: float, ceiling: float, noise: float, seed: int
) -> None:
    """However erratic the target is: the number of steps and each rate are bounded."""

    def erratic(rate_per_s: float, for_s: float, rng: Random) -> list[Answer]:
        share = min(1.0, capacity / rate_per_s * (1 + rng.uniform(-noise, noise)))
        return [
            (due, due + rng.expovariate(100), rng.random() < share)
            for due in dues(rate_per_s, for_s)
        ]

    plan = Plan(start_per_s=min(10, ceiling), ceiling_per_s=ceiling)
    verdict, results = calibrate(erratic, seed, plan, StepLimits(0.2, 0.8))
    assert len(results) <= plan.max_steps
    assert max(r.step.rate_per_s for r in results) <= ceiling * (1 + 1e-9)
    if verdict.give_per_s is not None:
        assert verdict.give_per_s <= ceiling
        assert verdict.trusted


def test_steps_too_short_for_a_request_are_no_answer() -> None:
    """What is at least nothing is no capacity."""
    light = replace(answered(Step(1.0, Purpose.LIGHT)), goodput_per_s=0.0)
    verdict = next_move([light, replace(light, step=Step(1.0, Purpose.GROW))], Plan(1.0, 1.0))
    assert isinstance(verdict, Verdict)
    assert not verdict.trusted
    assert verdict.reason == "at 1/s no request ended within a step: give a longer --step"


def test_a_hiccup_of_the_generator_is_repeated_and_counts_for_nothing() -> None:
    """The step is made again as it was."""
    light = answered(Step(10.0, Purpose.LIGHT))
    late = replace(answered(Step(20.0, Purpose.GROW, 0.06)), late_p99_s=0.3)
    assert next_move([light, late], Plan(latency_bound_s=0.06)) == late.step
    onwards = next_move([light, late, answered(late.step)], Plan())
    assert isinstance(onwards, Step)
    assert onwards.rate_per_s == 40


def test_a_generator_that_stays_late_is_the_limit() -> None:
    """No number is made of it; what went well before is said."""
    light = answered(Step(10.0, Purpose.LIGHT))
    grown = answered(Step(20.0, Purpose.GROW, 0.06))
    busy = replace(answered(Step(40.0, Purpose.GROW, 0.06)), cpu=0.99)
    verdict = next_move([light, grown, *[busy] * 4], Plan())
    assert isinstance(verdict, Verdict)
    assert verdict.finding is Finding.GENERATOR
    assert not verdict.trusted
    assert verdict.capacity_per_s is None
    assert verdict.kept_up_per_s == 20
    assert "at 40/s" in verdict.reason
    assert "99% of a core" in verdict.reason


def test_a_target_that_fails_at_any_load_has_no_capacity() -> None:
    """It is asked more and more gently, down to once a second."""

    def broken(rate_per_s: float, for_s: float, rng: Random) -> list[Answer]:
        return [(due_s, due_s + 0.01, rng.random() < 0.7) for due_s in dues(rate_per_s, for_s)]

    verdict, results = calibrate(broken, 1, limits=StepLimits(measured_s=20.0))
    assert verdict.finding is Finding.FAILING
    assert [round(r.step.rate_per_s, 2) for r in results] == [10, 3.33, 1.11, 1]


def test_a_capacity_below_the_lightest_step_is_found_all_the_same() -> None:
    """Of three workers of 1 s."""
    verdict, _ = calibrate(
        rejecting(6.0, tick_s=1.0), 1, limits=StepLimits(measured_s=20.0, warm_up_s=2.0)
    )
    assert verdict.capacity_per_s == pytest.approx(6, rel=0.05)


def test_giving_up_tells_what_is_known() -> None:
    """When the time is over, or somebody stops it."""
    light = answered(Step(10.0, Purpose.LIGHT))
    verdict = give_up([light], Plan(), Finding.OUT_OF_TIME, "no answer within 10 s")
    assert (verdict.trusted, verdict.kept_up_per_s) == (False, 10)
    assert give_up([], Plan(), Finding.INTERRUPTED, "stopped").kept_up_per_s is None


@pytest.mark.parametrize(
    ("rate", "rounded"), [(198.7, 198), (1234.5, 1230), (9.999, 9.99), (0.5, 0.5), (200.0, 200)]
)
def test_what_one_would_type(rate: float, rounded: float) -> None:
    """Three digits, never more than was measured."""
    assert rounded_down(rate) == pytest.approx(rounded)
