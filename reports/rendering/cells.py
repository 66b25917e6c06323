"""A measure of a lane as people read it, whatever measure it is."""

from collections.abc import Callable, Iterable, Mapping

from reports.measuring.catalogue import TIMES_TRIGGER
from reports.measuring.measure import Measure, Unit
from reports.measuring.recovery import Figures
from reports.rendering import outcomes, triggers, words
from reports.statistics.value import Value
from reports.summary import Report

_WRITTEN: Mapping[Unit, Callable[[float], str]] = {
    Unit.SECONDS: words.seconds,
    Unit.MULTIPLE: words.times,
    Unit.COUNT: words.count,
    Unit.RATE: words.rate,
    Unit.FACTOR: words.factor,
    Unit.SHARE: words.share,
}
_OWN: Mapping[str, Callable[[Figures], str]] = {
    "first_fit_s": outcomes.first_fit,
    "settled_s": outcomes.settled,
    "times_trigger": lambda figures: words.times(
        figures.after.times_trigger if figures.after else None
    ),
    "goodput_back_s": outcomes.goodput_back,
    "latency_back_s": outcomes.latency_back,
}
"""Measures that have a word for what did not come about."""
_UNITS = (" s", "/s", "×", "%")


def cell(measure: Measure, figures: Figures) -> str:
    """What the measure is of this lane: ``5.8 s``, ``never``, ``not recovered within 30 s``."""
    own = _OWN.get(measure.name)
    return own(figures) if own else written(measure, measure.of(figures))


def written(measure: Measure, value: Value | None) -> str:
    """A value of the measure: ``5.8 s``, ``> 30 s`` for what had not come about by then."""
    if value is None:
        return words.NOT_MEASURED
    if not value.late:
        return _WRITTEN[measure.unit](value.amount)
    if measure.unit is Unit.SECONDS:
        return words.beyond(value.amount)
    return f"> {_WRITTEN[measure.unit](value.amount)}"


def span(low: str, high: str, joint: str = "–", *, both: bool = False) -> str:
    """``4.4–5.6 s``: two figures with their unit once; one of two alike, unless `both` are due."""
    if low == high and not both:
        return low
    unit = next((unit for unit in _UNITS if low.endswith(unit) and high.endswith(unit)), "")
    return f"{low.removesuffix(unit)}{joint}{high}"


def is_lost(measure: Measure, figures: Figures) -> bool:
    """Whether it says that the lane did not recover: such a cell stands out."""
    value, after = measure.of(figures), figures.after
    return measure.verdict and after is not None and after.lost and bool(value and value.late)


def title(measure: Measure, report: Report, *, brief: bool = False) -> str:
    """What its column is called in a report, in few letters where it must be `brief`."""
    return titled(measure, report.policies, brief=brief)


def titled(measure: Measure, each: Iterable[Figures], *, brief: bool = False) -> str:
    """Likewise, of any figures."""
    if measure is TIMES_TRIGGER:
        return triggers.per(each)
    return measure.brief if brief else measure.title
