"""What a finding says, in one line: the value, the limit, and why that is a breach."""

import math

from aftershock_units import format_share
from reports.judging.gate.samples import Sample
from reports.judging.gate.verdict import Finding, Outcome, Verdict, Why
from reports.measuring.measure import Measure, Unit
from reports.measuring.sampling import SampledRun
from reports.rendering import words
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
    sure = (
        f", with {format_share(rule.confidence)} confidence" if rule.confidence is not None else ""
    )
    return f"{rule.measure.title} ≤ {_limit(found)}{sure}"


def lane_title(found: Finding) -> str:
    """What the lane is called, on one line."""
    return words.printable(found.title)


def value_of(found: Finding) -> str:
    """The cell of a table: the value of the worst sample, or how many are within."""
    if found.rule.confidence is not None:
        return f"{found.within} of {found.n} within"
    if found.worst is None or found.worst.value is None:
        return "not measured"
    return _compared(found.rule.measure, found.worst)[0]


def limit_of(found: Finding) -> str:
    """The limit in the measure's own unit, and how it was said where that is another.

    That of the worst sample; of a median only where it is the same for all.
    """
    if found.worst is None or (found.rule.confidence is not None and found.bound is None):
        return _limit(found)
    _, most = _compared(found.rule.measure, found.worst)
    other = found.rule.limit.of_what(found.rule.measure)
    return f"{most} ({_limit(found)})" if other else most


def summed_up(verdict: Verdict) -> str:
    """The last line: ``2 of 10 rules are broken.``"""
    count = len(verdict.findings)
    if verdict.outcome is Outcome.NOT_VALID:
        bad, all_ = len(verdict.not_valid), len(verdict.runs)
        who = (
            "The result is" if all_ == 1 else f"{bad} of {all_} runs {'is' if bad == 1 else 'are'}"
        )
        return f"{who} not valid: no rule was judged."
    rules = "1 rule" if count == 1 else f"{count} rules"
    over = "" if len(verdict.runs) == 1 else f" by {len(verdict.runs)} runs"
    if verdict.outcome is Outcome.KEPT:
        return f"{rules} kept{over}."
    return f"{len(verdict.broken)} of {rules} broken{over}."


def why_not_valid(run: SampledRun) -> str:
    """All reasons against one run, on one line."""
    return words.printable("; ".join(run.invalid_because))


def _of_each(found: Finding) -> str:
    """Every sample has to keep it: the worst one is told."""
    worst, several = found.worst, found.n > 1
    if worst is None or worst.value is None or found.why is Why.NOT_MEASURED:
        part = f" in {found.unmeasured} of {found.n}" if several else ""
        return f"not measured{part}, limit {_limit(found)}{_began_too_early(found)}"
    value, _ = _compared(found.rule.measure, worst)
    sign = "," if worst.value.late else " ≤" if found.kept else " >"
    limit = "limit " if worst.value.late else ""
    line = f"{value}{sign} {limit}{limit_of(found)}"
    if several:
        line += f", worst of {found.n}"
        line += "" if found.kept else f"; {found.within} of {found.n} within"
    if found.why is Why.TOO_BRIEF:
        line += ": not watched for long enough to show that it is kept"
    return line + _began_too_early(found)


def _of_median(found: Finding) -> str:
    """The median has to keep it, with some confidence."""
    sure, required = found.sure or 0.0, found.rule.confidence or 0.0
    line = f"{found.within} of {found.n} within {limit_of(found)}"
    line = (
        f"{found.rule.measure.title} {line}: {_sure(sure)} sure, {format_share(required)} required"
    )
    if found.why is Why.TOO_FEW:
        line += f"; that takes {found.needed} samples at least"
    if found.why is Why.UNLIKE:
        line += "; the triggers are not alike, so there is no one median"
    if found.unmeasured > found.unsettled:
        line += f"; {found.unmeasured - found.unsettled} not measured"
    return line + _began_too_early(found)


def _began_too_early(found: Finding) -> str:
    if not found.unsettled:
        return ""
    return f"; {found.unsettled} of {found.n} began before the lane was over the one before"


def _limit(found: Finding) -> str:
    """As it was said: ``3x the dip``, ``5% of the requests``, ``1.2``."""
    limit, measure = found.rule.limit, found.rule.measure
    what = limit.of_what(measure)
    if not what:
        return written(measure, Value(limit.amount))
    if limit.unit is Unit.MULTIPLE and found.trigger:
        what = words.length(found.trigger)
        what = what if what != "its length" else f"the {noun(found.trigger)}"
    return f"{limit.text} {'of ' if limit.unit is Unit.SHARE else ''}{what}"


def _compared(measure: Measure, sample: Sample) -> tuple[str, str]:
    """The value and the most it may be; with all digits where a breach would look like none."""
    if sample.value is None or sample.bound is None:
        return words.NOT_MEASURED, words.NOT_MEASURED
    value, bound = written(measure, sample.value), written(measure, Value(sample.bound))
    if value == bound and not sample.within:
        return _exactly(measure, sample.value.amount), _exactly(measure, sample.bound)
    return value, bound


def _exactly(measure: Measure, amount: float) -> str:
    if measure.unit is Unit.SHARE:
        return f"{amount * 100:.12g}%"
    return f"{amount:.12g}{_UNITS.get(measure.unit, '')}"


def _sure(share: float) -> str:
    """To a tenth, and never rounded up: what is required is reached, or it is not."""
    return f"{math.floor(share * 1000 + 1e-9) / 10:g}%"
