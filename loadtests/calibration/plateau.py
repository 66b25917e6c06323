"""Measures a goodput that stays when more is offered. Pure.

Steps *far* above the plateau (10%) give its mean with Student's interval: whole steps are the
repetitions, so that what differs from one step to the next counts as noise, and nothing has to be
assumed of how the seconds in one step hang together. There are five; where those differ much there
are up to ten, by Stein's two stages. Five steps *near* the plateau (3% above), in turn with these,
tell whether goodput falls with what is offered: then there is no plateau to measure. Last a
*check*: two steps at the rate to be given, which the target must keep up with.
"""

import math
from statistics import fmean

from loadtests.calibration.history import History
from loadtests.calibration.judging import MAX_SHORTFALL, Load, shortfall
from loadtests.calibration.rounding import rounded_down
from loadtests.calibration.statistics import (
    Interval,
    difference_interval,
    mean_interval,
    two_stage_interval,
)
from loadtests.calibration.steps import Purpose, Step, StepResult
from loadtests.calibration.verdict import Finding, Verdict

FAR_FACTOR = 1.10
NEAR_FACTOR = 1.03
STEPS = 5
MAX_STEPS = 10
WIDE = 0.05
"""Of the mean: an interval that is wider to either side is worth more steps."""
TOO_WIDE = 0.15
OVER_ENOUGH = 0.05
"""The shortfall that shows that a far step was above the plateau all the time."""
MAX_FAR_RATES = 4
MAX_FALL = 0.02
CHECKS = 2
CHECK_DOWN = 0.95
MAX_CHECK_RATES = 5


def next_on_plateau(history: History, ceiling_per_s: float) -> Step | Verdict | None:
    """The next step, or the verdict; None when goodput falls, so that there is no plateau."""
    rate_per_s = history.of(Purpose.FAR)[-1].step.rate_per_s
    near_per_s = rate_per_s * NEAR_FACTOR / FAR_FACTOR
    far = [r for r in history.of(Purpose.FAR) if r.step.rate_per_s == rate_per_s]
    near = [r for r in history.of(Purpose.NEAR) if r.step.rate_per_s == near_per_s]
    if len(near) < min(len(far), STEPS):
        return Step(near_per_s, Purpose.NEAR)
    if len(far) < STEPS:
        return Step(rate_per_s, Purpose.FAR)
    if _not_over(history, far, ceiling_per_s) or _grows(history, far, near):
        return _further(history, rate_per_s, ceiling_per_s)
    if _falls(far, near):
        return None
    plateau = interval_of(far)
    return _measured(history, far, plateau, max(plateau.high, _peak(far, near)))


def _measured(
    history: History, far: list[StepResult], plateau: Interval, high_per_s: float
) -> Step | Verdict:
    """More steps where the first differ, else the check of what they say."""
    if len(far) < _wanted(far):
        return Step(far[0].step.rate_per_s, Purpose.FAR)
    if plateau.half_width > TOO_WIDE * plateau.mean:
        goodputs = [r.goodput_per_s for r in far]
        return history.verdict(
            Finding.UNSTABLE,
            f"goodput at {far[0].step.rate_per_s:.4g}/s differed too much between {len(far)} "
            f"steps: {min(goodputs):.4g}/s to {max(goodputs):.4g}/s",
        )
    return _check(history, plateau, high_per_s)


def interval_of(far: list[StepResult]) -> Interval:
    """Of the mean goodput, no finer than one request in a step."""
    return two_stage_interval(
        [r.goodput_per_s for r in far], STEPS, max(1 / r.measured_s for r in far)
    )


def _wanted(far: list[StepResult]) -> int:
    """How many steps make the interval narrow, by the first five: ``n₁ · (width₁ ÷ wanted)²``."""
    first = mean_interval([r.goodput_per_s for r in far[:STEPS]])
    wanted = STEPS * (first.half_width / (WIDE * first.mean)) ** 2 if first.mean > 0 else 0
    return max(STEPS, min(math.ceil(wanted), MAX_STEPS))


def _fall(far: list[StepResult], near: list[StepResult]) -> Interval:
    """How much more was done near the plateau than far above it."""
    return difference_interval([r.goodput_per_s for r in near], [r.goodput_per_s for r in far])


def _falls(far: list[StepResult], near: list[StepResult]) -> bool:
    """Whether goodput falls with what is offered: beyond noise, and by over 2%."""
    fall = _fall(far, near)
    return fall.low > 0 and fall.mean > MAX_FALL * fmean(r.goodput_per_s for r in far)


def _grows(history: History, far: list[StepResult], near: list[StepResult]) -> bool:
    """Whether it still grows: the same the other way round, of near steps that were too much."""
    growth = _fall(near, far)
    more = growth.low > 0 and growth.mean > MAX_FALL * fmean(r.goodput_per_s for r in far)
    return more and _mean_shortfall(history, near) > MAX_SHORTFALL


def _peak(far: list[StepResult], near: list[StepResult]) -> float:
    """How high goodput may be where it is highest, if it does fall by less than can be told.

    The upper end of what was done near, and as much again as a line through far and near may rise
    from there to the plateau. 0 where more was done far than near.
    """
    fall = _fall(far, near)
    if fall.mean <= 0:
        return 0.0
    nearby = mean_interval([r.goodput_per_s for r in near])
    return nearby.high + fall.high * (NEAR_FACTOR - 1) / (FAR_FACTOR - NEAR_FACTOR)


def _mean_shortfall(history: History, results: list[StepResult]) -> float:
    if history.baseline is None:
        raise RuntimeError("no plateau before the light step")
    return fmean(shortfall(r, history.baseline) for r in results)


def _not_over(history: History, far: list[StepResult], ceiling_per_s: float) -> bool:
    """Whether it was hardly above the plateau; under the ceiling, hardly has to do."""
    below_ceiling = far[0].step.rate_per_s * FAR_FACTOR <= ceiling_per_s
    return _mean_shortfall(history, far) < (OVER_ENOUGH if below_ceiling else MAX_SHORTFALL)


def _further(history: History, rate_per_s: float, ceiling_per_s: float) -> Step | Verdict:
    """Measure again at a higher rate: this one is not clearly above the plateau."""
    if rate_per_s * FAR_FACTOR > ceiling_per_s:
        return history.too_close_to(ceiling_per_s)
    if len({r.step.rate_per_s for r in history.of(Purpose.FAR)}) < MAX_FAR_RATES:
        return Step(rate_per_s * FAR_FACTOR, Purpose.FAR)
    return history.verdict(
        Finding.UNSTABLE,
        f"goodput still grows at {rate_per_s:.4g}/s, where earlier the target fell short",
    )


def _check(history: History, plateau: Interval, high_per_s: float) -> Step | Verdict:
    """The lower end of the interval first; 5% less as long as the target does not keep up."""
    checks = history.of(Purpose.CHECK)
    rate_per_s = rounded_down(plateau.low)
    for _ in range(MAX_CHECK_RATES):
        here = [r for r in checks if r.step.rate_per_s == rate_per_s]
        if all(history.judged(r) is Load.SUSTAINED for r in here):
            if len(here) < CHECKS:
                return Step(rate_per_s, Purpose.CHECK)
            return Verdict(
                Finding.SATURATED,
                "goodput stopped growing",
                capacity_per_s=plateau.mean,
                low_per_s=plateau.low,
                high_per_s=high_per_s,
                give_per_s=rate_per_s,
            )
        rate_per_s = rounded_down(rate_per_s * CHECK_DOWN)
    return history.verdict(
        Finding.UNSTABLE,
        f"goodput stopped growing at {plateau.mean:.4g}/s, but the target did not keep up with "
        f"{rate_per_s / CHECK_DOWN:.4g}/s either",
    )
