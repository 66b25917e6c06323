"""What disturbed a run and its lanes, in words."""

import re
from collections.abc import Iterable

from aftershock_units import format_number
from reports.folding.trigger import Event, Trigger
from reports.measuring.recovery import Figures, Recovery
from reports.record import Action, Fault
from reports.rendering import words
from reports.summary import Report
from reports.text import noun

PHRASES = {
    "dip": "a {} dip",
    "spike": "a {} load spike",
    "latency": "{} of added latency",
    "error": "{} of errors",
    "hang": "a {} hang",
    "reset": "{} of connections reset",
    "cut": "{} of answers cut short",
}
LENGTHS = {"dip", "spike", "hang"}
"""What one can speak of as a length."""


def told(kind: str, text: str, length_s: float) -> str:
    """A disturbance in words: ``a 2.0 s dip``, ``5.0 s of added latency (200ms ± 50ms)``."""
    what = PHRASES.get(kind, "{} of a disturbance").format(words.seconds(length_s))
    # A share of all is no news, and what a dip left stands elsewhere.
    detail = "" if kind == "dip" else text.removesuffix("100%").removesuffix(", ")
    return f"{what} ({detail})" if detail else what


def trigger(found: Trigger) -> str:
    """What recovery is measured after: ``a 2.0 s dip``, ``2 dips, 3.0 s together``."""
    if found.together == 1:
        return told(found.type, found.text, found.length_s)
    what = noun(found.type) if found.type in LENGTHS else "disturbance"
    return f"{found.together} {what}s, {words.seconds(found.length_s)} together"


def named_after(policy: Recovery) -> bool:
    """Whether the lane's name says what disturbed it, as ``a dip of 2.5 s`` does."""
    if policy.trigger is None or policy.trigger.together > 1:
        return False
    length = rf"(?<![\d.]){re.escape(format_number(policy.trigger.length_s))} ?s\b"
    return noun(policy.trigger.type) in policy.title and bool(re.search(length, policy.title))


def action(found: Event) -> str:
    """What an operator did, in short: ``shed 90%``, ``block retries``, ``reopen``."""
    return f"shed {found.text}" if found.type == "shed" else found.type.replace("-", " ")


def several(kind: str, length: str) -> str:
    """Disturbances of a kind and a length: ``dips of up to 2.0 s``."""
    plural = {"dip": "dips", "spike": "load spikes", "hang": "hangs"}.get(kind)
    return f"{plural} of {length}" if plural else PHRASES.get(kind, "{}").format(length)


def happening(span: Fault | Action) -> tuple[str, str, str]:
    """What happened, in which detail, and to which lanes: cells of a table."""
    kind = span.type.replace("-", " ")
    detail = span.text or (_depth(span) if isinstance(span, Fault) else "")
    return (
        kind,
        detail or words.NOT_MEASURED,
        "all" if span.lanes is None else ", ".join(span.lanes),
    )


def _depth(dip: Fault) -> str:
    """``20/s``; ``20%, ramp``: what a dip leaves, and its shape where that is no step."""
    return ", ".join(filter(None, [dip.capacity, dip.shape if dip.shape != "step" else ""]))


def set_off(report: Report) -> str:
    """The run's trigger in full: ``dip, step to 20/s``, ``added latency, 200ms ± 50ms, 50%``."""
    found = report.trigger
    if found is None:
        return words.NOT_MEASURED
    if found.together > 1:
        depth = (
            "" if found.capacity_per_s is None else f", down to {words.rate(found.capacity_per_s)}"
        )
        last = "" if found.together == found.count else f"{found.count}, the last of them "
        return f"{last}{trigger(found)}{depth}, listed below"
    if found.type == "dip":
        what = f"dip, {found.shape} to {words.rate(found.capacity_per_s)}"
    else:
        what = f"{noun(found.type)}, {found.text}" if found.text else noun(found.type)
    return what if found.count == 1 else f"{found.count}, listed below; the last to end: {what}"


def disturbed_by(policy: Figures) -> str:
    """What a lane's trigger was, as the cell of a table: ``3.0 s dip``."""
    return trigger(policy.trigger).removeprefix("a ") if policy.trigger else "undisturbed"


def band(report: Report) -> str:
    """What the bands in the charts are."""
    found = report.trigger
    if found and report.distributions and found.together == 1:
        return several(found.type, words.seconds(found.length_s))
    if found is None or not report.alike or found.count > 1:
        return "dips and other disturbances"
    if found.type == "dip":
        return f"the dip: {words.rate(found.capacity_per_s)} for {words.seconds(found.length_s)}"
    return trigger(found)


def per(each: Iterable[Figures]) -> str:
    """The title of settled ÷ the length of what it came after."""
    found = [one.trigger for one in each if one.trigger]
    kinds = {one.type for one in found}
    alone = all(one.together == 1 for one in found)
    return f"÷ {kinds.pop()}" if len(kinds) == 1 and kinds <= LENGTHS and alone else "÷ trigger"


def what(report: Report) -> str:
    """What everything happened after: "dip", "load spike", … or "trigger" where lanes differ."""
    kinds = {policy.trigger.type for policy in report.policies if policy.trigger}
    return noun(kinds.pop()) if len(kinds) == 1 else "trigger"


def each(report: Report) -> str:
    """What was repeated: ``dips``, ``load spikes``, or "triggers" of a kind without a plural."""
    return {"dip": "dips", "load spike": "load spikes", "hang": "hangs"}.get(
        what(report), "triggers"
    )


def length_of(found: Trigger) -> str:
    """What a time is a multiple of: ``the dip``, ``its length``, ``their length``."""
    return "their length" if found.together > 1 else length(found.type)


def length(kind: str) -> str:
    """Likewise, of one disturbance."""
    return f"the {noun(kind)}" if kind in LENGTHS else "its length"
