"""Whether a target kept up with a step. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import variance

from loadtests.calibration.statistics import mean_interval, student_t95
from loadtests.calibration.steps import StepLimits, StepResult, Stopped

MAX_SHORTFALL = 0.02
"""The share of the offered load that may stay undone in a step that the target keeps up with."""
MAX_SLOW = 0.05
"""The share of requests that may be slower than the bound: it is one on p95."""
MIN_LIGHT_SUCCESS = 0.95
BOUND_FACTOR = 3.0
BOUND_AT_LEAST_S = 0.05
WARM_UP_LATENCIES = 1.5
MAX_LATE_S = 0.05
MAX_CPU = 0.9


class Load(StrEnum):
    """What a step was to the target."""

    SUSTAINED = "sustained"
    SHORT = "short"
    """Less was done than asked for."""
    SLOW = "slow"
    """All of it was done, but later than the bound."""
    DOUBTFUL = "doubtful"
    """The generator was not on time, so the step says nothing."""
    UNDECIDED = "undecided"
    """Several steps that do not tell beyond their noise."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """How the target answers when nothing presses it, and the latency bound for all that follows.

    `succeeded_share` is what shortfalls are measured against: a service that fails one request
    in a hundred always is not overloaded for that.
    """

    succeeded_share: float
    p95_s: float
    bound_s: float


def baseline_of(light: StepResult, bound_s: float | None) -> Baseline:
    """`bound_s` as given; or else three times the light step's p95, and at least 50 ms above it."""
    if bound_s is None:
        bound_s = max(BOUND_FACTOR * light.p95_s, light.p95_s + BOUND_AT_LEAST_S)
    return Baseline(light.succeeded_share, light.p95_s, bound_s)


def long_enough(limits: StepLimits, baseline: Baseline) -> StepLimits:
    """The limits with a warm-up of 1.5 times the light step's p95, and the window in proportion.

    Until the first answers are due nothing can end: a window that begins before would call that a
    shortfall. Where the warm-up is as long already, the limits as they are.
    """
    factor = WARM_UP_LATENCIES * baseline.p95_s / limits.warm_up_s
    if factor <= 1 + 1e-9:
        return limits
    return replace(
        limits, warm_up_s=factor * limits.warm_up_s, measured_s=factor * limits.measured_s
    )


def shortfall(result: StepResult, baseline: Baseline) -> float:
    """The share of the offered load that was not done: ``1 − goodput / (offered · usual share)``.

    What is offered and not done failed, or waits: the queue grew by it.
    """
    expected = result.offered_per_s * baseline.succeeded_share
    return 1 - result.goodput_per_s / expected if expected > 0 else 0.0


def failing(result: StepResult, baseline: Baseline) -> float:
    """The share of requests that failed for the load: beyond those that fail always."""
    return 1 - result.succeeded_share / baseline.succeeded_share


def generator_fault(result: StepResult, baseline: Baseline | None = None) -> str | None:
    """Why the step says more of the generator than of the target; None when it does not."""
    if result.late_p99_s > MAX_LATE_S:
        return f"1% of requests left more than {result.late_p99_s * 1000:.0f} ms late"
    if result.cpu > MAX_CPU:
        return f"sending took {result.cpu:.0%} of a core"
    usual_s = 0.0 if baseline is None else 1.5 * baseline.p95_s
    if result.stopped is Stopped.IN_FLIGHT and 0 < result.p50_s <= usual_s:
        return "more requests were in flight than the bound allows, and the target was no slower"
    return None


def judge(result: StepResult, baseline: Baseline) -> Load:
    """Read one step.

    It fell short when more than 2% failed, or when the shortfall is above 2% and above its noise:
    t · (deviation of the window's ten parts) / √10, relative to the offered load.
    """
    if generator_fault(result, baseline) is not None:
        return Load.DOUBTFUL
    batches = result.batches_per_s
    noise = student_t95(len(batches) - 1) * math.sqrt(variance(batches) / len(batches))
    noise /= max(result.offered_per_s, 1e-9)
    if failing(result, baseline) > MAX_SHORTFALL:
        return Load.SHORT
    if shortfall(result, baseline) > max(MAX_SHORTFALL, noise):
        return Load.SHORT
    if result.stopped is not None or result.slow_share > MAX_SLOW:
        return Load.SLOW
    return Load.SUSTAINED


def judge_together(results: Sequence[StepResult], baseline: Baseline) -> Load:
    """Read repeated steps of one rate, with 95% confidence from how they differ.

    Too much is what the whole interval of the shortfall, or of the share of slow requests, says.
    Sustained is a rate of which the whole intervals of failures and slow requests are in order, and
    the mean shortfall with them: its own interval also holds what is under way at a window's ends,
    which is no failure. All others are undecided.
    """
    resolution = max(1 / max(r.offered_per_s * r.measured_s, 1.0) for r in results)
    short = mean_interval([shortfall(r, baseline) for r in results], resolution)
    failed = mean_interval([failing(r, baseline) for r in results], resolution)
    slow = mean_interval([r.slow_share for r in results])
    if max(short.low, failed.low) > MAX_SHORTFALL:
        return Load.SHORT
    if slow.low > MAX_SLOW:
        return Load.SLOW
    done = failed.high <= MAX_SHORTFALL and short.mean <= MAX_SHORTFALL
    return Load.SUSTAINED if done and slow.high <= MAX_SLOW else Load.UNDECIDED
