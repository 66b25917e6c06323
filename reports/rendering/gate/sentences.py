"""What a finding says, in one line: the value, the limit, and why that is a breach."""

import math
from decimal import Decimal

from reports.judging.gate.finding import Finding, Why
from reports.judging.gate.rules import Rule
from reports.judging.gate.samples import ROUNDING, Sample
from reports.judging.gate.verdict import Outcome, Verdict
from reports.measuring.measure import Measure, Unit
from reports.measuring.sampling import SampledRun
from reports.rendering import triggers, words
from reports.rendering.cells import written
from reports.statistics.value import Value
from reports.text import noun

_UNITS = {Unit.SECONDS: " s", Unit.MULTIPLE: "×", Unit.FACTOR: "×", Unit.RATE: "/s"}


def said(found: Finding) -> str:
    """``settled 4.9 s ≤ 6.0 s (3x the dip)``; of a breach also why it is one."""
    if found.rule.confidence is not None:
        return _of_median(found)
    return f"{found.rule.measure.title} {_of_each(found)}"


def rule_title(found: Finding) -> str:
    """What is asked for: ``settled ≤ 3x the dip``; ``…, with 95% confidence``."""
    rule = found.rule
    sure = f", with {_percent(rule.confidence)} confidence" if rule.confidence is not None else ""
    return f"{rule.measure.title} ≤ {_limit(found)}{sure}"


def lane_title(found: Finding) -> str:
    """What the lane is called, on one line."""
    return words.printable(found.title)


def summed_up(verdict: Verdict) -> str:
    """The last line: ``2 of 10 rules broken by runs/20261130-101500.``"""
    count = len(verdict.findings)
    if verdict.outcome is Outcome.NOT_VALID:
        bad, all_ = len(verdict.not_valid), len(verdict.runs)
        who = (
            "The result is" if all_ == 1 else f"{bad} of {all_} runs {'is' if bad == 1 else 'are'}"
        )
        return f"{who} not valid: no rule was judged."
    rules = "1 rule" if count == 1 else f"{count} rules"
    by = (
        f"{len(verdict.runs)} runs"
        if len(verdict.runs) > 1
        else words.printable(verdict.runs[0].name)
    )
    if verdict.outcome is Outcome.KEPT:
        return f"{rules} kept by {by}."
    return f"{len(verdict.broken)} of {rules} broken by {by}."


def why_not_valid(run: SampledRun) -> str:
    """All reasons against one run, on one line."""
    return words.printable("; ".join(run.invalid_because))


def _of_each(found: Finding) -> str:
    """Every sample has to keep it: the worst one is told."""
    worst = found.worst
    lacking = found.unmeasured - found.unsettled
    if worst is None or worst.value is None:
        part = f" in {lacking} of {found.n}" if lacking and found.n > 1 else ""
        return f"not measured{part}, limit {_limit(found)}{_began_too_early(found)}"
    value, _ = _compared(found.rule, worst)
    sign = "," if worst.value.late else " ≤" if worst.within else " >"
    limit = "limit " if worst.value.late else ""
    line = f"{value}{sign} {limit}{_own_limit(found)}"
    if (measured := found.n - found.unmeasured) > 1:
        line += f", worst of {measured}"
    if found.n > 1 and not found.kept:
        line += f"; {found.within} of {found.n} within"
    if lacking:
        line += f"; not measured in {lacking} of {found.n}"
    if found.why is Why.TOO_BRIEF:
        line += ": not watched for long enough to show that it is kept"
    return line + _began_too_early(found)


def _of_median(found: Finding) -> str:
    """The median has to keep it, with some confidence."""
    sure, required = found.sure or 0.0, found.rule.confidence or 0.0
    of_what = " of this run alone" if found.alone else ""
    line = (
        f"{found.rule.measure.title} {_within(found)} {_own_limit(found)}: "
        f"{_sure(sure, required)} sure{of_what}, {_percent(required)} required"
    )
    if found.why is Why.TOO_FEW:
        line += f"; that takes {found.needed} {'runs' if found.by_run else 'samples'} at least"
    if found.why is Why.UNLIKE:
        line += "; the triggers are not alike, so there is no one median"
    if found.unmeasured > found.unsettled:
        line += f"; {found.unmeasured - found.unsettled} not measured"
    return line + _began_too_early(found)


def _within(found: Finding) -> str:
    """``9 of 10 within``; ``4 of 5 runs mostly within`` where each had several dips."""
    return f"{found.within} of {found.n} {'runs mostly ' if found.by_run else ''}within"


def _began_too_early(found: Finding) -> str:
    if not found.unsettled:
        return ""
    return (
        f"; no sample in {found.unsettled} of {found.triggers}: "
        "begun before the lane was over the one before"
    )


def _own_limit(found: Finding) -> str:
    """The limit in the measure's own unit, and how it was said where that is another.

    That of the worst sample; of a median only where it is the same for all.
    """
    if found.worst is None or (found.rule.confidence is not None and found.bound is None):
        return _limit(found)
    _, most = _compared(found.rule, found.worst)
    other = found.rule.limit.of_what(found.rule.measure)
    return f"{most} ({_limit(found)})" if other else most


def _limit(found: Finding) -> str:
    """As it was said: ``3x the dip``, ``5% of the requests``, ``1.2``."""
    limit = found.rule.limit
    what = limit.of_what(found.rule.measure)
    if not what:
        return _most(found.rule, limit.amount)
    if limit.unit is Unit.MULTIPLE and found.trigger:
        what = triggers.length(found.trigger)
        what = what if what != "its length" else f"the {noun(found.trigger)}"
    return f"{limit.text} {'of ' if limit.unit is Unit.SHARE else ''}{what}"


def _compared(rule: Rule, sample: Sample) -> tuple[str, str]:
    """The value and the most it may be; with all digits where rounded ones would say otherwise."""
    if sample.value is None or sample.bound is None:
        return words.NOT_MEASURED, words.NOT_MEASURED
    measure = rule.measure
    value, most = written(measure, sample.value), _most(rule, sample.bound)
    if not sample.value.late and (_number(value) <= _number(most)) is not sample.within:
        return _exactly(measure, sample.value.amount), _exactly(measure, sample.bound)
    return value, most


def _most(rule: Rule, bound: float) -> str:
    """A bound as its measure is written, and never rounded up.

    What comes of multiplying is cut to what can be counted, or to three decimals.
    """
    measure = rule.measure
    if rule.limit.unit is not measure.unit:
        parts = 1 if measure.unit is Unit.COUNT else 1000
        bound = math.floor(bound * parts * (1 + ROUNDING)) / parts
    text, exact = written(measure, Value(bound)), _exactly(measure, bound)
    return text if math.isclose(_number(text), _number(exact)) else exact


def _number(text: str) -> float:
    """What is written there, without its unit."""
    return float("".join(char for char in text if char in "0123456789."))


def _exactly(measure: Measure, amount: float) -> str:
    if measure.unit is Unit.SHARE:
        return _percent(amount)
    return f"{_digits(amount)}{_UNITS.get(measure.unit, '')}"


def _percent(share: float) -> str:
    """``99.9999999%``: with all digits that there are."""
    return f"{_digits(share, 100)}%"


def _digits(amount: float, times: int = 1) -> str:
    """All that tell it from any other number, and no exponent."""
    whole, _, part = f"{Decimal(repr(amount)) * times:f}".partition(".")
    return f"{whole}.{part.rstrip('0')}".removesuffix(".")


def _sure(share: float, required: float) -> str:
    """Never rounded up, and to as many digits as say whether it is what is required."""
    for digits in range(1, 13):
        shown = math.floor(share * 10 ** (digits + 2) + ROUNDING) / 10 ** (digits + 2)
        if (shown >= required) is (share >= required):
            break
    return _percent(shown)
