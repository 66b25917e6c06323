"""Figures and names as people read them. Terminal and page share these."""

from datetime import UTC, datetime

from aftershock_units import format_number
from reports.folding.run import Run
from reports.measuring.recovery import Recovery
from reports.measuring.stack import CLIENT, Level, Stack
from reports.summary import Report

NOT_MEASURED = "–"


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


def by_layer(stack: Stack, level: Level) -> str:
    """``225, 3× by gateway 1``: the attempts of a layer, and how many it made of each."""
    by = "the client" if level.made_by == CLIENT else printable(level.made_by)
    return f"{count(level.attempts)}, {counted(stack, level.factor)} by {by}"


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
