"""What the lanes of several runs are called: a policy with other parameters is another lane."""

from collections.abc import Iterable, Mapping

from reports.folding.conditions import flattened
from reports.measuring.sampling import Sampled

LaneId = tuple[str, str, str]
"""Its name, its policy, and what that does: lanes of several runs that agree in all are one."""
MOST = 3


def lane_id(lane: Sampled) -> LaneId:
    """What has to be the same in a lane of another run, for both to be one."""
    return lane.lane, lane.policy, lane.describe


def titles_of(lanes: Iterable[tuple[Sampled, Mapping[str, object]]]) -> dict[LaneId, str]:
    """A title for each lane, each with the scenario that it was in; they are in that order.

    Lanes of one name say in brackets in what their policies differ: ``full-jitter (cap = 2s)``.
    """
    plain: dict[LaneId, str] = {}
    parameters: dict[LaneId, Mapping[str, str]] = {}
    for lane, scenario in lanes:
        own = lane_id(lane)
        if own not in plain:
            plain[own] = lane.title
            parameters[own] = _parameters(lane, scenario)
    named: dict[str, list[LaneId]] = {}
    for own, title in plain.items():
        named.setdefault(title, []).append(own)
    for title, alike in named.items():
        if len(alike) > 1:
            plain |= _told_apart(title, alike, parameters)
    return plain


def _told_apart(
    title: str, alike: list[LaneId], parameters: Mapping[LaneId, Mapping[str, str]]
) -> dict[LaneId, str]:
    """By the parameters that differ; numbered where those do not tell."""
    keys = dict.fromkeys(key for own in alike for key in parameters[own])
    differ = [key for key in keys if len({parameters[own].get(key) for own in alike}) > 1]
    found: dict[LaneId, str] = {}
    for number, own in enumerate(alike, 1):
        there = parameters[own]
        said = ", ".join(f"{key} = {there.get(key, 'default')}" for key in differ[:MOST])
        found[own] = f"{title} ({said})" if said else f"{title} ({number})"
    if len(set(found.values())) < len(found):
        return {own: f"{text} ({number})" for number, (own, text) in enumerate(found.items(), 1)}
    return found


def _parameters(lane: Sampled, scenario: Mapping[str, object]) -> Mapping[str, str]:
    """What the scenario says of the lane's policy; nothing where that is not to be found."""
    policies = scenario.get("policies")
    for choice in policies if isinstance(policies, list | tuple) else ():
        if isinstance(choice, Mapping) and lane.lane == (choice.get("lane") or choice.get("name")):
            return flattened(choice)
    return {}
