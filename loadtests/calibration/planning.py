"""Which step comes next, or the verdict, from the steps so far. Pure: a function of history.

1. *light*: the lowest rate tells how the target answers when nothing presses it.
2. *grow*: the rate doubles until the target falls short or is too slow, or until the ceiling.
3. *narrow*: between the highest rate it kept up with and the lowest it did not, down to 16%. The
   goodput of an overloaded step says where to look; where goodput falls, the middle does. In both,
   what went badly is looked at twice where it may have been a hiccup.
4. Measure, by `plateau` where goodput stays when more is offered, or by `bracket` where it falls
   or where only latency breaks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from loadtests.calibration.bracket import next_in_bracket
from loadtests.calibration.history import History
from loadtests.calibration.judging import MIN_LIGHT_SUCCESS, Load, generator_fault
from loadtests.calibration.plateau import FAR_FACTOR, next_on_plateau
from loadtests.calibration.rounding import rounded_down
from loadtests.calibration.statistics import difference_interval
from loadtests.calibration.steps import Purpose, Step, StepResult
from loadtests.calibration.verdict import Finding, Verdict

GROWTH = 2.0
NARROW_UNDER = 0.95
"""Of the goodput of an overloaded step: a rate that the target should keep up with."""
CLOSE = 1.16
"""`FAR_FACTOR` ÷ `NARROW_UNDER`: closer than this the two ends need not come for a plateau."""
CLOSE_BISECTED = 1.05
CLEARLY_OVER = 1.07
"""Of the goodput: a rate below it is too close to the plateau to measure that at."""
MAX_FALL = 0.03
MIN_RATE_PER_S = 1.0
MAX_NARROW = 14
MAX_DOUBTFUL = 12
MAX_DOUBTFUL_IN_A_ROW = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """The bounds of a calibration. `latency_bound_s` None: from the lightest step."""

    start_per_s: float = 10.0
    ceiling_per_s: float = 1000.0
    latency_bound_s: float | None = None
    max_steps: int = 80


def next_move(results: Sequence[StepResult], plan: Plan) -> Step | Verdict:
    """The next step, or the verdict when no more is to be learnt."""
    history = History(results, plan.latency_bound_s)
    move = _move(history, plan)
    if isinstance(move, Verdict):
        return replace(move, kept_up_per_s=history.kept_up_per_s)
    if len(results) >= plan.max_steps:
        return history.verdict(Finding.UNSTABLE, f"no answer after {plan.max_steps} steps")
    return replace(move, bound_s=history.baseline.bound_s if history.baseline else None)


def give_up(results: Sequence[StepResult], plan: Plan, finding: Finding, reason: str) -> Verdict:
    """The verdict when there is no time for `next_move` to come to one: what is known."""
    return History(results, plan.latency_bound_s).verdict(finding, reason)


def _move(history: History, plan: Plan) -> Step | Verdict:
    if history.doubtful and history.doubtful[-1] is history.results[-1]:
        return _again(history)
    if history.baseline is None:
        return _light(history, plan)
    if history.of(Purpose.LOW, Purpose.HIGH):
        return next_in_bracket(history, plan.ceiling_per_s)
    if history.of(Purpose.FAR):
        move = next_on_plateau(history, plan.ceiling_per_s)
        return next_in_bracket(history, plan.ceiling_per_s) if move is None else move
    return _search(history, plan)


def _again(history: History) -> Step | Verdict:
    """Repeat a doubtful step, but not without end: a hiccup passes, a limit stays."""
    step = history.results[-1].step
    tail = history.results[-MAX_DOUBTFUL_IN_A_ROW:]
    stays = len(tail) == MAX_DOUBTFUL_IN_A_ROW and all(r in history.doubtful for r in tail)
    if not stays and len(history.doubtful) <= MAX_DOUBTFUL:
        return step
    fault = generator_fault(history.results[-1], history.baseline)
    return history.verdict(
        Finding.GENERATOR, f"the generator was the limit at {step.rate_per_s:.4g}/s: {fault}"
    )


def _light(history: History, plan: Plan) -> Step | Verdict:
    """The first step, or one lighter than one that failed."""
    tried = history.of(Purpose.LIGHT)
    if not tried:
        return Step(min(plan.start_per_s, plan.ceiling_per_s), Purpose.LIGHT)
    rate_per_s = tried[-1].step.rate_per_s
    if rate_per_s <= MIN_RATE_PER_S:
        failed = 1 - tried[-1].succeeded_share
        return history.verdict(
            Finding.FAILING,
            f"at {rate_per_s:.3g}/s {failed:.0%} of requests fail; expected at most "
            f"{1 - MIN_LIGHT_SUCCESS:.0%}",
        )
    return Step(max(MIN_RATE_PER_S, rate_per_s / 3), Purpose.LIGHT)


def _search(history: History, plan: Plan) -> Step | Verdict:
    """Grow and narrow, then the first step of a measurement."""
    low, high = history.low, history.high
    if history.waiting_for_second_look is not None:
        return history.waiting_for_second_look
    if high is None:
        return _grow(low, history, plan)
    if len(history.of(Purpose.NARROW)) >= MAX_NARROW:
        return history.verdict(Finding.UNSTABLE, "the same rates went well and badly in turn")
    if history.load_at(high) is Load.SHORT and not _falls(history.at(low), history.at(high)):
        step = _towards_plateau(low, high, history.at(high), plan.ceiling_per_s)
        if step is not None:
            return step
    if high > CLOSE_BISECTED * low:
        return Step(math.sqrt(low * high), Purpose.NARROW)
    return next_in_bracket(history, plan.ceiling_per_s)


def _towards_plateau(
    low: float, high: float, over: Sequence[StepResult], ceiling_per_s: float
) -> Step | None:
    """A rate a little above what the overloaded target does, one a little below, then measure."""
    goodput = fmean(result.goodput_per_s for result in over)
    above, below = FAR_FACTOR * goodput, NARROW_UNDER * goodput
    if low * 1.01 < above < high / 1.02:
        return Step(above, Purpose.NARROW)
    if high > CLOSE * low and low * 1.01 < below < high / 1.01:
        return Step(below, Purpose.NARROW)
    if high > CLOSE * 1.05 * low:
        return None
    return Step(min(high if high > CLEARLY_OVER * goodput else above, ceiling_per_s), Purpose.FAR)


def _falls(low: Sequence[StepResult], high: Sequence[StepResult]) -> bool:
    """Whether less was done at the higher rate: by more than 3%, and than the parts tell apart."""
    difference = difference_interval(_parts(low), _parts(high))
    usual_per_s = fmean(_parts(low))
    return difference.low > 0 and difference.mean > MAX_FALL * usual_per_s


def _parts(results: Sequence[StepResult]) -> list[float]:
    return [goodput for result in results for goodput in result.batches_per_s]


def _grow(low: float, history: History, plan: Plan) -> Step | Verdict:
    if low < plan.ceiling_per_s:
        return Step(min(low * GROWTH, plan.ceiling_per_s), Purpose.GROW)
    if len(history.at(low)) < 2:
        return Step(low, Purpose.GROW)
    goodput = min(low, fmean(result.goodput_per_s for result in history.at(low)))
    if not goodput:
        return history.verdict(
            Finding.UNSTABLE, f"at {low:.4g}/s no request ended within a step: give a longer --step"
        )
    return Verdict(
        Finding.AT_LEAST,
        f"the target kept up with the ceiling of {plan.ceiling_per_s:.4g}/s",
        capacity_per_s=goodput,
        low_per_s=goodput,
        give_per_s=rounded_down(goodput),
    )
