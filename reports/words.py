"""The report in words: sentences and figures as people read them. Terminal and page share these."""

import math
from datetime import UTC, datetime

from aftershock_units import format_number
from reports.recovery import Recovery
from reports.settling import HOLD_S
from reports.summary import Report

NOT_MEASURED = "–"


def printable(text: str) -> str:
    """`text` on one line, with nothing in it that a terminal would obey."""
    return "".join(char if char.isprintable() else "�" for char in text)


def name(policy: Recovery) -> str:
    """The policy, and its lane where that has another name; a lane may begin with the policy's."""
    if policy.lane == policy.policy or policy.lane.startswith(f"{policy.policy}:"):
        return policy.lane
    return f"{policy.policy} ({policy.lane})"


def seconds(value: float | None) -> str:
    """``5.8 s``: a duration to a tenth of a second."""
    return NOT_MEASURED if value is None else f"{value:.1f} s"


def times(value: float | None) -> str:
    """``2.9×``."""
    return NOT_MEASURED if value is None else f"{value:.1f}×"


def factor(value: float | None) -> str:
    """``1.16×``: an amplification, to a hundredth."""
    return NOT_MEASURED if value is None else f"{value:.2f}×"


def count(value: float) -> str:
    """``46,649``."""
    return f"{value:,.0f}"


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


def share(value: float | None) -> str:
    """``41%``."""
    return NOT_MEASURED if value is None else f"{value:.0%}"


def started(epoch_s: float) -> str:
    """``2026-11-30 10:15:00 UTC``."""
    try:
        return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, OSError, ValueError):
        return NOT_MEASURED


def settled(policy: Recovery, report: Report) -> str:
    """When the lane settled, or the verdict that it did not."""
    if policy.after is None:
        return NOT_MEASURED
    if policy.after.settled_s is None:
        return f"not recovered within {format_number(round(report.observed_s, 1))} s"
    return seconds(policy.after.settled_s)


def first_fit(policy: Recovery) -> str:
    """When the load first fitted in capacity, or that it never did."""
    if policy.after is None:
        return NOT_MEASURED
    return "never" if policy.after.first_fit_s is None else seconds(policy.after.first_fit_s)


def latency_back(policy: Recovery) -> str:
    """When latency was back at its baseline, or that it never was."""
    if policy.cost is None or policy.cost.latency_before_ms is None:
        return NOT_MEASURED
    return "never" if policy.cost.latency_back_s is None else seconds(policy.cost.latency_back_s)


def headline(report: Report) -> str:
    """One sentence: what the slowest policy did. A name stands between backticks."""
    measured = (policy for policy in report.policies if policy.after and policy.requests)
    worst = max(measured, key=_slowness, default=None)
    if report.dip is None or worst is None or worst.after is None:
        return "No dip was found in this run, so there is no recovery to measure."
    dip = f"a {report.dip.length_s:.1f} s dip"
    if worst.after.calm_from_s is not None:
        return (
            f"`{name(worst)}` was under capacity {seconds(worst.after.calm_from_s)} after {dip} "
            f"was over, and not watched long enough to call it settled."
        )
    if worst.after.settled_s is None:
        return (
            f"`{name(worst)}` had not recovered {seconds(report.observed_s)} after {dip} was over."
        )
    if worst.after.settled_s == 0:
        return f"Load was back under capacity as soon as {dip} was over."
    return (
        f"`{name(worst)}` kept the service overloaded for {seconds(worst.after.settled_s)} "
        f"after {dip}: {times(worst.after.times_dip)} the dip."
    )


def runner_up(report: Report) -> str | None:
    """A second sentence: which policy recovered best. `None` when nothing tells them apart."""
    measured = [policy for policy in report.policies if policy.after and policy.requests]
    if len(measured) < 2:
        return None
    worst, best = max(measured, key=_slowness), min(measured, key=_merit)
    alike = _slowness(worst)[:2] == _slowness(best)[:2]
    if best.after is None or not best.after.recovered or alike:
        return None
    how = "at once" if best.after.settled_s == 0 else f"after {seconds(best.after.settled_s)}"
    return (
        f"`{name(best)}` recovered best: {how}, "
        f"with {count(best.failed)} of {count(best.requests)} requests failed."
    )


def remarks(report: Report) -> tuple[str, ...]:
    """What a table of figures does not say: verdicts, relapses, storms that noise would hide."""
    found = []
    for policy in report.policies:
        after = policy.after
        if after is None:
            continue
        if not after.recovered:
            found.append(
                f"`{name(policy)}`: {settled(policy, report)} after the dip{calm(policy)}."
            )
        if after.relapses:
            found.append(f"`{name(policy)}`: {relapses(policy)}.")
    return (*found, *_hidden(report))


def calm(policy: Recovery) -> str:
    """Of a lane that did not recover: that it was calm at the end, where it was."""
    since_s = policy.after.calm_from_s if policy.after else None
    if since_s is None:
        return ""
    return (
        f"; it was under capacity from {seconds(since_s)} on, and was watched for less than "
        f"the {HOLD_S:.0f} s more that it takes to call it settled"
    )


def relapses(policy: Recovery) -> str:
    """``relapsed 2 times after it had settled, the largest with 120 attempts above capacity``."""
    waves = policy.after.relapses if policy.after else ()
    if not waves:
        return "no relapse"
    often = "once" if len(waves) == 1 else f"{len(waves)} times"
    size = "with" if len(waves) == 1 else "at worst with"
    largest = count(max(wave.attempts for wave in waves))
    return f"relapsed {often} after it had settled, {size} {largest} attempts above capacity"


def _hidden(report: Report) -> tuple[str, ...]:
    """Whose noise hides which storms: all lanes in one sentence when they are alike."""
    noisy = [policy for policy in report.policies if policy.after and policy.after.noise_hides]
    if not noisy:
        return ()
    limits = [p.after.noise_per_s for p in noisy if p.after and p.after.noise_per_s is not None]
    upto = f"{max(limits):,.1f}/s"
    capacity = rate(min(policy.capacity_per_s for policy in noisy))
    return (
        f"Load up to {upto} looks like ordinary variation here: a storm between the capacity, "
        f"{capacity}, and that is not counted.",
    )


def _slowness(policy: Recovery) -> tuple[bool, float, int]:
    """Orders by settled, not recovered last and those calm at the end before the others; of
    equals, by failed requests.
    """
    after = policy.after
    if after is None or after.settled_s is not None:
        return (False, (after.settled_s or 0.0) if after else 0.0, policy.failed)
    return (True, math.inf if after.calm_from_s is None else after.calm_from_s, policy.failed)


def _merit(policy: Recovery) -> tuple[bool, float, bool, int]:
    """Orders by settled; of equals a policy that retries comes first: it is the better news."""
    lost, settled_s, failed = _slowness(policy)
    return (lost, settled_s, not policy.retries, failed)
