"""What an attempt may have met in place of the audit's own refusal. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from faults.wire import TargetState, TracedAttempt


class _Planned(Protocol):
    """A dip, a fault or an operator's action, as the target says it stands."""

    @property
    def id(self) -> str: ...
    @property
    def start_s(self) -> float: ...
    @property
    def end_s(self) -> float: ...
    @property
    def lanes(self) -> Sequence[str] | None: ...
    @property
    def state(self) -> str: ...
    @property
    def over(self) -> bool: ...
    @property
    def what(self) -> str: ...


def in_use(state: TargetState, lane: str) -> str | None:
    """What is in force in the lane, or is to be, and which of the two; None: nothing is."""
    planned = _planned(state, lane)
    return next((f"{what} is {each.state}" for each, what in planned if not each.over), None)


def disturbances(
    attempts: Iterable[TracedAttempt],
    lane: str,
    before: TargetState,
    after: TargetState,
    own: str | None,
) -> tuple[str, ...]:
    """Why a course between these two states proves nothing: clauses, and none where it does.

    `own` is the id of the audit's fault, if there is one: it must still be in force.
    """
    others = [
        f"{what} was in force"
        for each, what in _planned(after, lane)
        if each.id != own and each.start_s <= after.now_s and each.end_s > before.now_s
    ]
    turned_away = any(attempt.outcome == "turned-away" for attempt in attempts)
    if turned_away and not others:
        others = ["the target's own capacity turned attempts away (give it more)"]
    if own is not None and not any(each.id == own and not each.over for each in after.faults):
        others.append("the refusal was taken back by somebody else")
    return tuple(others)


def _planned(state: TargetState, lane: str) -> Iterator[tuple[_Planned, str]]:
    """All that touches the lane, and what it is for people."""
    for kind, planned in (("dip", state.dips), ("fault", state.faults), ("action", state.actions)):
        for each in planned:
            ours = each.lanes is None or lane in each.lanes
            if ours and each.state != "cancelled":
                yield each, f"the {kind} {each.id} ({each.what})"
