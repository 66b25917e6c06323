"""Figures and names as people read them. Terminal and page share these."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from aftershock_units import format_number
from reports.folding.run import Run
from reports.folding.trigger import Event, Trigger
from reports.measuring.recovery import Aftermath, Figures, Recovery
from reports.measuring.stack import Stack
from reports.record import Action, Fault
from reports.summary import Report
from reports.text import noun

NOT_MEASURED = "–"
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


def printable(text: str) -> str:
    """`text` on one line, with nothing in it that a terminal would obey."""
    return "".join(char if char.isprintable() else "�" for char in text)


def name(policy: Recovery) -> str:
    """The policy, and its lane where that has another name; or the lane alone if all are alike."""
    return policy.title


def column(report: Report) -> str:
    """The title of the column of names: the policy, where it is the same in all lanes."""
    policies = {policy.policy for policy in report.policies}
    named = any(policy.policy in policy.title for policy in report.policies)
    return "policy" if named or len(policies) != 1 else policies.pop()


def seconds(value: float | None) -> str:
    """``5.8 s``: a duration to a tenth of a second."""
    return NOT_MEASURED if value is None else f"{value:.1f} s"


def span(length_s: float) -> str:
    """``30 s``, ``7.6 s``: how long it was watched, say, with a decimal only where it has one."""
    return f"{format_number(round(length_s, 1))} s"


def beyond(observed_s: float) -> str:
    """``> 30 s``: what did not come about while it was watched."""
    return f"> {span(observed_s)}"


def times(value: float | None) -> str:
    """``2.9×``."""
    return NOT_MEASURED if value is None else f"{value:.1f}×"


def factor(value: float | None) -> str:
    """``1.16×``: an amplification, to a hundredth."""
    return NOT_MEASURED if value is None else f"{value:.2f}×"


def counted(stack: Stack, value: float | None) -> str:
    """``4×``: what a layer made of each attempt, to as many digits as counting can tell."""
    return NOT_MEASURED if value is None else f"{stack.counted(value)}×"


def count(value: float) -> str:
    """``46,649``."""
    return f"{value:,.0f}"


def millions(value: float) -> str:
    """``665.1 M``, where a table has no room for all digits."""
    return f"{value / 1e6:,.1f} M"


def rate(per_s: float | None) -> str:
    """``100/s``, with a decimal only below 10."""
    if per_s is None:
        return NOT_MEASURED
    return f"{per_s:,.0f}/s" if per_s >= 10 or per_s == round(per_s) else f"{per_s:.1f}/s"


def millis(value: float | None) -> str:
    """``12 ms``, with a decimal only below 10."""
    if value is None:
        return NOT_MEASURED
    return f"{value:,.0f} ms" if value >= 9.95 else f"{value:.1f} ms"


def share(value: float) -> str:
    """``3.1%``, ``0.04%``, ``12%``: a digit or two that say something."""
    percent = round(value * 100, 6)
    if percent >= 99.95 or percent == round(percent):
        return f"{percent:.0f}%"
    if percent >= 1:
        return f"{percent:.1f}%"
    return f"{percent:.2g}%" if percent >= 0.001 else "< 0.001%"


def whole_percent(share: float | None) -> str:
    """``41%``, of what is known no better."""
    return NOT_MEASURED if share is None else f"{share:.0%}"


def made(run: Run) -> str:
    """When the run was, or that there was none: ``simulated, engine ticks, seed 0``."""
    if not run.simulated:
        return started(run.started_epoch_s)
    engine = run.versions.get("engine")
    return ", ".join(["simulated", *([f"engine {engine}"] if engine else []), f"seed {run.seed}"])


def started(epoch_s: float) -> str:
    """``2026-11-30 10:15:00 UTC``."""
    try:
        return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, OSError, ValueError):
        return NOT_MEASURED


def settled(policy: Figures) -> str:
    """When the load settled, or the verdict that the lane did not recover."""
    after = policy.after
    if after is None:
        return NOT_MEASURED
    return not_recovered(after) if after.settled_s is None else seconds(after.settled_s)


def not_recovered(after: Aftermath) -> str:
    """The verdict on a lane that did not recover: ``not recovered within 30 s``."""
    if after.too_soon:
        return "not settled yet"
    return f"not recovered within {span(after.observed_s)}"


def goodput_back(policy: Figures) -> str:
    """When goodput was back, or that it was not while it was watched."""
    after = policy.after
    if after is None or not after.goodput_known:
        return NOT_MEASURED
    if after.goodput_back_s is not None:
        return seconds(after.goodput_back_s)
    if after.goodput_from_s is not None:
        return f"from {seconds(after.goodput_from_s)}"
    return "not yet" if after.too_soon else f"not back within {span(after.observed_s)}"


def never(after: Aftermath) -> str:
    """What did not come about while it was watched."""
    return "not yet" if after.too_soon else "never"


def told(kind: str, text: str, length_s: float) -> str:
    """A disturbance in words: ``a 2.0 s dip``, ``5.0 s of added latency (200ms ± 50ms)``."""
    what = PHRASES.get(kind, "{} of a disturbance").format(seconds(length_s))
    # A share of all is no news, and what a dip left stands elsewhere.
    detail = "" if kind == "dip" else text.removesuffix("100%").removesuffix(", ")
    return f"{what} ({detail})" if detail else what


def trigger(found: Trigger) -> str:
    """What recovery is measured after: ``a 2.0 s dip``, ``2 dips, 3.0 s together``."""
    if found.together == 1:
        return told(found.type, found.text, found.length_s)
    what = noun(found.type) if found.type in LENGTHS else "disturbance"
    return f"{found.together} {what}s, {seconds(found.length_s)} together"


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
    return kind, detail or NOT_MEASURED, "all" if span.lanes is None else ", ".join(span.lanes)


def _depth(dip: Fault) -> str:
    """``20/s``; ``20%, ramp``: what a dip leaves, and its shape where that is no step."""
    return ", ".join(filter(None, [dip.capacity, dip.shape if dip.shape != "step" else ""]))


def set_off(report: Report) -> str:
    """The run's trigger in full: ``dip, step to 20/s``, ``added latency, 200ms ± 50ms, 50%``."""
    found = report.trigger
    if found is None:
        return NOT_MEASURED
    if found.together > 1:
        depth = "" if found.capacity_per_s is None else f", down to {rate(found.capacity_per_s)}"
        last = "" if found.together == found.count else f"{found.count}, the last of them "
        return f"{last}{trigger(found)}{depth}, listed below"
    if found.type == "dip":
        what = f"dip, {found.shape} to {rate(found.capacity_per_s)}"
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
        return several(found.type, seconds(found.length_s))
    if found is None or not report.alike or found.count > 1:
        return "dips and other disturbances"
    if found.type == "dip":
        return f"the dip: {rate(found.capacity_per_s)} for {seconds(found.length_s)}"
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


def first_fit(policy: Figures) -> str:
    """When the load first fitted in capacity, or that it never did."""
    if policy.after is None:
        return NOT_MEASURED
    found_s = policy.after.first_fit_s
    return never(policy.after) if found_s is None else seconds(found_s)


def latency_back(policy: Figures) -> str:
    """When latency was back at its baseline, or that it never was."""
    after, cost = policy.after, policy.cost
    if after is None or cost is None or cost.latency_before_ms is None:
        return NOT_MEASURED
    return never(after) if cost.latency_back_s is None else seconds(cost.latency_back_s)
