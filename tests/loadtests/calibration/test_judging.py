"""What one step was to the target, or that it says nothing of it."""

from dataclasses import replace

import pytest

from loadtests.calibration.history import History
from loadtests.calibration.judging import (
    Baseline,
    Load,
    baseline_of,
    generator_fault,
    judge,
    judge_together,
    long_enough,
    shortfall,
)
from loadtests.calibration.steps import Purpose, Step, StepLimits, StepResult, Stopped

GOOD = StepResult(
    step=Step(100.0, Purpose.GROW, 0.06),
    measured_s=4.0,
    offered_per_s=100.0,
    goodput_per_s=100.0,
    batches_per_s=(100.0,) * 10,
    succeeded_share=1.0,
    p50_s=0.005,
    p95_s=0.01,
    slow_share=0.0,
    late_p99_s=0.002,
    cpu=0.2,
)
BASELINE = Baseline(succeeded_share=1.0, p95_s=0.01, bound_s=0.06)


@pytest.mark.parametrize(
    ("p95_s", "asked_s", "bound_s"),
    [(0.01, None, 0.06), (0.1, None, 0.3), (0.1, 0.2, 0.2)],
    ids=["at least 50 ms more", "three times", "as asked for"],
)
def test_the_latency_bound(p95_s: float, asked_s: float | None, bound_s: float) -> None:
    """From the lightest step, unless it is given."""
    assert baseline_of(replace(GOOD, p95_s=p95_s), asked_s).bound_s == pytest.approx(bound_s)


@pytest.mark.parametrize(
    ("result", "load"),
    [
        (GOOD, Load.SUSTAINED),
        (replace(GOOD, goodput_per_s=98.5, batches_per_s=(98.5,) * 10), Load.SUSTAINED),
        (replace(GOOD, goodput_per_s=97.0, batches_per_s=(97.0,) * 10), Load.SHORT),
        (
            replace(GOOD, goodput_per_s=97.0, batches_per_s=(90.0, 104.0) * 5),
            Load.SUSTAINED,
        ),
        (replace(GOOD, succeeded_share=0.97), Load.SHORT),
        (replace(GOOD, slow_share=0.06), Load.SLOW),
        (replace(GOOD, stopped=Stopped.QUEUE), Load.SLOW),
        (replace(GOOD, late_p99_s=0.06), Load.DOUBTFUL),
        (replace(GOOD, cpu=0.95), Load.DOUBTFUL),
    ],
    ids=[
        "good", "2% may be missing", "3% may not", "but in noise", "3% failed", "6% slow",
        "a queue grew", "sent late", "no CPU to spare",
    ],
)  # fmt: skip
def test_one_step(result: StepResult, load: Load) -> None:
    """The generator's word comes first: late sending looks like a slow target."""
    assert judge(result, BASELINE) is load


def test_what_fails_always_is_no_shortfall() -> None:
    """4% fail at the lightest load and now."""
    usual = replace(BASELINE, succeeded_share=0.96)
    now = replace(GOOD, goodput_per_s=96.0, batches_per_s=(96.0,) * 10, succeeded_share=0.96)
    assert shortfall(now, usual) == pytest.approx(0)
    assert judge(now, usual) is Load.SUSTAINED


@pytest.mark.parametrize(
    ("p50_s", "blamed"), [(0.01, True), (0.4, False), (0.0, False)],
    ids=["as quick as ever", "slower", "no answer at all"],
)  # fmt: skip
def test_the_bound_on_requests_in_flight_is_the_generators(p50_s: float, blamed: bool) -> None:
    """Where the target is as quick as ever: then the rate alone needs that many."""
    result = replace(GOOD, stopped=Stopped.IN_FLIGHT, p50_s=p50_s)
    assert (generator_fault(result, BASELINE) is not None) == blamed


def steps_of(*shortfalls: float, slow: float = 0.0) -> list[StepResult]:
    return [
        replace(
            GOOD,
            goodput_per_s=100 * (1 - short),
            succeeded_share=1 - max(0, short),
            slow_share=slow,
        )
        for short in shortfalls
    ]


@pytest.mark.parametrize(
    ("results", "load"),
    [
        (steps_of(0.0, 0.0, 0.0, 0.0), Load.SUSTAINED),
        (steps_of(0.1, 0.11, 0.1, 0.12), Load.SHORT),
        (steps_of(0.0, 0.0, 0.0, 0.0, slow=0.2), Load.SLOW),
        (steps_of(0.0, 0.12, 0.0, 0.1), Load.UNDECIDED),
    ],
    ids=["all well", "all short", "all slow", "now so, now so"],
)
def test_steps_of_one_rate_together(results: list[StepResult], load: Load) -> None:
    """What differs too much between them is not decided by its mean."""
    assert judge_together(results, BASELINE) is load


def test_a_step_is_long_enough_for_its_first_answers() -> None:
    """Answers of 2 s need a warm-up of 3 s, and a window in proportion."""
    limits = StepLimits(warm_up_s=1.0, measured_s=4.0)
    assert long_enough(limits, BASELINE) is limits
    longer = long_enough(limits, replace(BASELINE, p95_s=2.0))
    assert (longer.warm_up_s, longer.measured_s) == (3, 12)
    assert long_enough(longer, replace(BASELINE, p95_s=2.0)) is longer


def at(rate_per_s: float, purpose: Purpose, share: float = 1.0) -> StepResult:
    """A step of which this share was done."""
    done = share * rate_per_s
    return replace(
        GOOD,
        step=Step(rate_per_s, purpose, 0.06),
        offered_per_s=rate_per_s,
        goodput_per_s=done,
        batches_per_s=(done,) * 10,
    )


def test_what_was_kept_up_with_is_no_lucky_step() -> None:
    """One that went well above rates that went badly says nothing; a hiccup below it neither."""
    light = at(10.0, Purpose.LIGHT)
    good = [light, *(at(20.0, Purpose.GROW, share) for share in (0.9, 1.0, 1.0))]
    bad = [at(40.0, Purpose.LOW, share) for share in (0.9, 0.8, 1.0)]
    lucky = at(60.0, Purpose.NARROW)
    assert History([*good, lucky], None).kept_up_per_s == 60
    assert History([*good, *bad, lucky], None).kept_up_per_s == 20
    assert History([], None).kept_up_per_s is None
