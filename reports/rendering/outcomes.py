"""When a lane recovered, or that it did not, in words."""

from reports.measuring.recovery import Aftermath, Figures
from reports.rendering import words


def settled(policy: Figures) -> str:
    """When the load settled, or the verdict that the lane did not recover."""
    after = policy.after
    if after is None:
        return words.NOT_MEASURED
    return not_recovered(after) if after.settled_s is None else words.seconds(after.settled_s)


def not_recovered(after: Aftermath) -> str:
    """The verdict on a lane that did not recover: ``not recovered within 30 s``."""
    return "not settled yet" if after.too_soon else _not_within("not recovered", after)


def goodput_back(policy: Figures) -> str:
    """When goodput was back, or that it was not while it was watched."""
    after = policy.after
    if after is None or not after.goodput_known:
        return words.NOT_MEASURED
    if after.goodput_back_s is not None:
        return words.seconds(after.goodput_back_s)
    if after.goodput_from_s is not None:
        return f"from {words.seconds(after.goodput_from_s)}"
    return _lacking("not back", after)


def _lacking(what: str, after: Aftermath) -> str:
    return "not yet" if after.too_soon else _not_within(what, after)


def _not_within(what: str, after: Aftermath) -> str:
    """``not back within 30 s``: of what did not come about no more is known than that."""
    return "not watched" if after.unwatched else f"{what} within {words.span(after.observed_s)}"


def first_fit(policy: Figures) -> str:
    """When the load first fitted in capacity, or that it did not while it was watched."""
    if policy.after is None:
        return words.NOT_MEASURED
    found_s = policy.after.first_fit_s
    return _lacking("not", policy.after) if found_s is None else words.seconds(found_s)


def latency_back(policy: Figures) -> str:
    """When latency was back at its baseline, or that it was not while it was watched."""
    after, cost = policy.after, policy.cost
    if after is None or cost is None or cost.latency_before_ms is None:
        return words.NOT_MEASURED
    if cost.latency_back_s is None:
        return _lacking("not back", after)
    return words.seconds(cost.latency_back_s)
