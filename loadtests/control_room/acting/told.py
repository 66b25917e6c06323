"""What was done, in a sentence, and what the page is answered."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from aftershock_units import format_number, format_rate
from faults.action import OperatorAction
from faults.admin import ActionStatus, DipStatus, FaultStatus
from faults.dip import Dip
from faults.fault import ServiceFault
from loadtests.control_room.acting.asked import Plan, SetCapacity
from loadtests.control_room.acting.fields import Lanes

Status = DipStatus | FaultStatus | ActionStatus


@dataclass(frozen=True, slots=True)
class Done:
    """What was done: a sentence, and of what has them the id and the times."""

    said: str
    id: str | None = None
    start_epoch_s: float | None = None
    end_epoch_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP status and the body as JSON has it.

    `stands`: the same key gets it again. An error stands only where it is not known whether
    anything was done.
    """

    status: int
    body: Mapping[str, object] = field(default_factory=dict)
    stands: bool = False


def begun(plan: Plan, status: Status, offset_s: float) -> Done:
    """``Dip to 20% for 2 s in all lanes, from 14:03:02.1 to 14:03:04.1 UTC``."""
    start_s, end_s = status.start_s + offset_s, status.end_s + offset_s
    until = f"{clock(start_s)} to {clock(end_s)} UTC"
    planned = plan.planned
    if isinstance(planned, OperatorAction) and planned.action == "reopen":
        until = f"{clock(start_s)} until all is open, at the latest {clock(end_s)} UTC"
        what = f"Reopening {planned.text}"
    else:
        what = f"{_what(planned)} for {spoken(planned.for_s)}{_shape(planned)}"
    return Done(f"{what} {where(planned.lanes)}, from {until}", status.id, start_s, end_s)


def ended(status: Status, offset_s: float) -> Done:
    """What became of it."""
    start_s, end_s = status.start_s + offset_s, status.end_s + offset_s
    if status.state == "cancelled":
        said = f"{status.id} ({status.what}) is cancelled: it never begins"
    else:
        said = f"{status.id} ({status.what}) ends at {clock(end_s)} UTC"
    return Done(said, status.id, start_s, end_s)


def capacity_set(asked: SetCapacity, now_epoch_s: float) -> Done:
    """The new capacity; that it stays matters where there is none."""
    rate = format_rate(asked.rate_per_s)
    said = f"Capacity set to {rate} {where(asked.lanes)}, at {clock(now_epoch_s)} UTC"
    return Done(said if asked.rate_per_s else f"{said}: nothing is admitted until it is changed")


def was_reset(*, going: bool) -> Done:
    """All that a reset drops, and what that costs a run that goes on."""
    cost = "; the run that is being recorded will not be valid" if going else ""
    return Done(
        "Reset: dips, faults, actions, lanes and their history are gone, capacity is as "
        f"configured{cost}"
    )


def where(lanes: Lanes) -> str:
    """``in all lanes``, ``in lane a``, ``in lanes a, b``."""
    if lanes is None:
        return "in all lanes"
    return f"in lane{'' if len(lanes) == 1 else 's'} {', '.join(lanes)}"


def clock(epoch_s: float) -> str:
    """Time of the day in UTC, to a tenth of a second: ``14:03:02.1``."""
    tenths = round(epoch_s * 10)
    return time.strftime("%H:%M:%S", time.gmtime(tenths // 10)) + f".{tenths % 10}"


def spoken(seconds: float) -> str:
    """``2 s``, ``500 ms``."""
    if 0 < seconds < 1:
        return f"{format_number(seconds * 1000)} ms"
    return f"{format_number(seconds)} s"


def _shape(planned: Dip | ServiceFault | OperatorAction) -> str:
    return " as a ramp" if isinstance(planned, Dip) and planned.shape == "ramp" else ""


def _what(planned: Dip | ServiceFault | OperatorAction) -> str:
    match planned:
        case Dip():
            return f"Dip to {planned.text}"
        case ServiceFault():
            return f"Fault {planned.type} ({planned.text})"
        case OperatorAction(action="shed"):
            return f"Shedding {planned.text}"
        case OperatorAction():
            return "Blocking retries"
