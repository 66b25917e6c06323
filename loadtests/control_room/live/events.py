"""What went wrong or was done, planned or in force or over, on the page's clock."""

from collections.abc import Sequence

from aftershock_units import format_share
from faults.statuses import ActionStatus, DipStatus, FaultStatus
from faults.wire import TargetState
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.live.planned import Planned, to_come
from reports.record import Fault

MAX_EVENTS = 100


def listed(
    target: TargetState | None, tally: ClientTally, offset_s: float, now_epoch_s: float
) -> list[dict[str, object]]:
    """The newest events, the oldest first.

    Spikes are the clients', and what the run plans is its own until the target knows of it.
    """
    found = [
        *(_dip(dip, offset_s) for dip in (target.dips if target else ())),
        *(_fault(fault, offset_s) for fault in (target.faults if target else ())),
        *(_action(action, offset_s) for action in (target.actions if target else ())),
    ]
    if tally.run is not None:
        anchor_s = tally.run.anchor_epoch_s
        found += [_spike(spike, anchor_s, now_epoch_s) for spike in tally.spikes]
    if tally.going is not None:
        plan = to_come(tally.going, target, offset_s, now_epoch_s)
        found += [_planned(one, tally.going.anchor_epoch_s) for one in plan]
    return sorted(found, key=_start_s)[-MAX_EVENTS:]


def _start_s(event: dict[str, object]) -> float:
    start_s = event["start_epoch_s"]
    return start_s if isinstance(start_s, float) else 0.0


def _event(  # noqa: PLR0913, PLR0917 - the fields of an event
    given: str,
    kind: str,
    text: str,
    lanes: Sequence[str] | None,
    start_epoch_s: float,
    end_epoch_s: float,
    state: str,
    open_share: str | None = None,
) -> dict[str, object]:
    return {
        "id": given,
        "kind": kind,
        "text": text,
        "lanes": None if lanes is None else list(lanes),
        "start_epoch_s": round(start_epoch_s, 3),
        "end_epoch_s": round(end_epoch_s, 3),
        "state": state,
        "open_share": open_share,
    }


def _dip(dip: DipStatus, offset_s: float) -> dict[str, object]:
    when = dip.start_s + offset_s, dip.end_s + offset_s
    return _event(dip.id, "dip", dip.what, dip.lanes, *when, dip.state)


def _fault(fault: FaultStatus, offset_s: float) -> dict[str, object]:
    when = fault.start_s + offset_s, fault.end_s + offset_s
    return _event(fault.id, fault.type, fault.text, fault.lanes, *when, fault.state)


def _action(action: ActionStatus, offset_s: float) -> dict[str, object]:
    when = action.start_s + offset_s, action.end_s + offset_s
    opened = _open_share(action)
    return _event(action.id, action.action, action.text, action.lanes, *when, action.state, opened)


def _open_share(action: ActionStatus) -> str | None:
    """What a reopening lets through: ``"40%"``, or ``"40–100%"`` where its lanes differ."""
    if action.action != "reopen" or action.share is None:
        return None
    away = (action.shares or {"": action.share}).values()
    least, most = format_share(1.0 - max(away)), format_share(1.0 - min(away))
    return least if least == most else f"{least.removesuffix('%')}–{most}"


def _planned(one: Planned, anchor_epoch_s: float) -> dict[str, object]:
    when = one.start_s + anchor_epoch_s, one.end_s + anchor_epoch_s
    return _event(one.id, one.kind, one.text, one.lanes, *when, "pending")


def _spike(spike: Fault, anchor_epoch_s: float, now_epoch_s: float) -> dict[str, object]:
    when = spike.start_s + anchor_epoch_s, spike.end_s + anchor_epoch_s
    if when[0] == when[1]:
        state = "cancelled"
    elif now_epoch_s < when[0]:
        state = "pending"
    else:
        state = "active" if now_epoch_s < when[1] else "ended"
    return _event(spike.id, "spike", spike.text, spike.lanes, *when, state)
