"""Finds the two rates that the capacity lies between, where there is no plateau to measure. Pure.

Four steps each at a *low* and a *high* rate, in turn. The low one must be proved to be kept up with
and the high one not to be, each with 95% confidence from the differences between its steps (2.5%
of error at the side that matters), so the capacity lies between them with at least 95%. A rate of
which the steps do not tell is given up for one 7% further out.
"""

import math

from loadtests.calibration.history import History
from loadtests.calibration.judging import Load, judge_together
from loadtests.calibration.rounding import rounded_down
from loadtests.calibration.steps import Purpose, Step, StepResult
from loadtests.calibration.verdict import Finding, Verdict

REPEATS = 4
OUTWARDS = 1.07
MAX_RATES = 8
TOO_WIDE = 1.35
"""High ÷ low beyond which the two ends are no answer."""


def next_in_bracket(history: History, ceiling_per_s: float) -> Step | Verdict:
    """The next step, or the verdict."""
    at = _by_rate(history)
    if len(at) < 2 or min(len(results) for results in at.values()) < REPEATS:
        return _fill(history, at)
    loads = {rate: _together(history, results) for rate, results in at.items()}
    low = max((r for r in loads if loads[r] is Load.SUSTAINED), default=None)
    high = min((r for r in loads if _over(loads[r]) and r > (low or 0)), default=None)
    if low is not None and high is not None and high <= TOO_WIDE * low:
        return _verdict(low, high, loads[high])
    lowest, highest = min(loads) / OUTWARDS, max(loads) * OUTWARDS
    found_both = low is not None and high is not None
    if low is not None and not found_both and highest > ceiling_per_s:
        return history.too_close_to(ceiling_per_s)
    if found_both or len(loads) >= MAX_RATES:
        return history.verdict(
            Finding.UNSTABLE,
            f"between {min(loads):.4g}/s and {max(loads):.4g}/s the same rates went well and badly",
        )
    return Step(lowest, Purpose.LOW) if low is None else Step(highest, Purpose.HIGH)


def _by_rate(history: History) -> dict[float, list[StepResult]]:
    at: dict[float, list[StepResult]] = {}
    for result in history.of(Purpose.LOW, Purpose.HIGH):
        at.setdefault(result.step.rate_per_s, []).append(result)
    return at


def _fill(history: History, at: dict[float, list[StepResult]]) -> Step:
    """Until every rate has its steps: the two first ones in turn, later ones by themselves."""
    low, high = _first_rates(history)
    if len(at.get(low, [])) <= len(at.get(high, [])) < REPEATS:
        return Step(low, Purpose.LOW)
    if len(at.get(high, [])) < REPEATS:
        return Step(high, Purpose.HIGH)
    rate = next(rate for rate, results in at.items() if len(results) < REPEATS)
    return Step(rate, at[rate][0].step.purpose)


def _first_rates(history: History) -> tuple[float, float]:
    """Where the search ended; or below the steps of a plateau that was none."""
    near = history.of(Purpose.NEAR)
    high = history.high
    if near:
        high = near[0].step.rate_per_s
    if high is None:
        raise RuntimeError("no bracket before a rate was too much")
    return min(history.low, high / 1.02), high


def _together(history: History, results: list[StepResult]) -> Load:
    if history.baseline is None:
        raise RuntimeError("no bracket before the light step")
    return judge_together(results, history.baseline)


def _over(load: Load) -> bool:
    return load in (Load.SHORT, Load.SLOW)


def _verdict(low: float, high: float, load: Load) -> Verdict:
    slows = load is Load.SLOW
    return Verdict(
        Finding.SLOWS if slows else Finding.COLLAPSES,
        "latency breaks its bound" if slows else "goodput falls when more is offered",
        capacity_per_s=math.sqrt(low * high),
        low_per_s=low,
        high_per_s=high,
        give_per_s=rounded_down(low),
    )
