"""What the page asks, read from JSON into the types of `faults`, whose errors it shares."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aftershock_units import parse_duration_s, parse_named, parse_rate_per_s, parse_share
from faults.action import DEFAULT_REOPEN_S, OperatorAction
from faults.dip import Dip, parse_shape
from faults.fault import ServiceFault, parse_fault_type
from loadtests.control_room.acting.fields import AskedError, Fields, Lanes, read_object

MAX_BODY_BYTES = 16 * 1024
MAX_KEY_LENGTH = 64
ID = re.compile(r"(dip|fault|action)-[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Plan:
    """Something to begin `after_s` seconds from now."""

    planned: Dip | ServiceFault | OperatorAction
    after_s: float


@dataclass(frozen=True, slots=True)
class SetCapacity:
    """The base capacity of lanes, attempts per second."""

    rate_per_s: float
    lanes: Lanes


@dataclass(frozen=True, slots=True)
class Reset:
    """Drop everything that is planned, and lanes and ticks."""


@dataclass(frozen=True, slots=True)
class EndOf:
    """End what has this id, or cancel it before it begins."""

    id: str


Act = Plan | SetCapacity | Reset | EndOf


@dataclass(frozen=True, slots=True)
class Asked:
    """An act, and the key of the intention behind it."""

    key: str
    act: Act


_WHEN = ("for", "after", "lanes")


def _dip(fields: Fields) -> Act:
    dip = Dip(
        capacity=fields.text("capacity"),
        workers=fields.whole("workers"),
        service_time_s=fields.read("service_time", parse_duration_s),
        shape=parse_shape(fields.text("shape") or "step"),
        slow_start_s=fields.read("slow_start", parse_duration_s) or 0.0,
        for_s=_for_s(fields),
        at_s=_after_s(fields),
        lanes=fields.lanes(),
    )
    return Plan(dip, dip.at_s)


def _fault(fields: Fields) -> Act:
    share = fields.read("share", parse_share)
    fault = ServiceFault(
        type=parse_fault_type(fields.needed("type", '"latency"')),
        share=1.0 if share is None else share,
        add_s=fields.read("add", parse_duration_s),
        spread_s=fields.read("spread", parse_duration_s),
        status=fields.whole("status"),
        retry_after_s=fields.read("retry_after", parse_duration_s),
        for_s=_for_s(fields),
        at_s=_after_s(fields),
        lanes=fields.lanes(),
    )
    return Plan(fault, fault.at_s)


def _for_s(fields: Fields) -> float:
    return parse_named("for", parse_duration_s, fields.needed("for", '"2s"'))


def _after_s(fields: Fields) -> float:
    return fields.read("after", parse_duration_s) or 0.0


def _shed(fields: Fields) -> Act:
    share = fields.read("share", parse_share)
    return _action(OperatorAction("shed", _for_s(fields), _after_s(fields), fields.lanes(), share))


def _block_retries(fields: Fields) -> Act:
    for_s, after_s = _for_s(fields), _after_s(fields)
    return _action(OperatorAction("block-retries", for_s, after_s, fields.lanes()))


def _reopen(fields: Fields) -> Act:
    for_s = fields.read("for", parse_duration_s)
    return _action(
        OperatorAction(
            "reopen",
            DEFAULT_REOPEN_S if for_s is None else for_s,
            _after_s(fields),
            fields.lanes(),
            step=fields.read("step", parse_share),
            every_s=fields.read("every", parse_duration_s),
            max_errors=fields.read("max_errors", parse_share),
        )
    )


def _action(action: OperatorAction) -> Act:
    return Plan(action, action.at_s)


def _capacity(fields: Fields) -> Act:
    text = fields.needed("capacity", '"100/s"')
    return SetCapacity(parse_named("capacity", parse_rate_per_s, text), fields.lanes())


def _reset(fields: Fields) -> Act:  # noqa: ARG001 - it has none
    return Reset()


def _end(fields: Fields) -> Act:
    ended = fields.needed("id", '"dip-3"')
    if not ID.fullmatch(ended):
        raise AskedError(f"id: {ended[:32]!r} is not one of a dip, a fault or an action", "id")
    return EndOf(ended)


_VERBS: Mapping[str, tuple[tuple[str, ...], Callable[[Fields], Act]]] = {
    "dip": (("capacity", "workers", "service_time", "shape", "slow_start", *_WHEN), _dip),
    "fault": (("type", "share", "add", "spread", "status", "retry_after", *_WHEN), _fault),
    "shed": (("share", *_WHEN), _shed),
    "block-retries": (_WHEN, _block_retries),
    "reopen": (("step", "every", "max_errors", *_WHEN), _reopen),
    "capacity": (("capacity", "lanes"), _capacity),
    "reset": ((), _reset),
    "end": (("id",), _end),
}
VERBS = tuple(_VERBS)


def read_asked(verb: str, body: bytes) -> Asked:
    """What a body asks of one of `VERBS`. Raises `AskedError`."""
    allowed, read = _VERBS[verb]
    fields = Fields(read_object(body), ("key", *allowed))
    key = fields.needed("key", "a random text that stands for one intention")
    if not 0 < len(key) <= MAX_KEY_LENGTH:
        raise AskedError(f"key: expected 1 to {MAX_KEY_LENGTH} characters", "key")
    try:
        return Asked(key, read(fields))
    except AskedError:
        raise
    except ValueError as error:
        raise _named(error, allowed) from None


def _named(error: ValueError, allowed: tuple[str, ...]) -> AskedError:
    """The error of `faults`, which begins with the field's name."""
    sentence = str(error)
    field, colon, rest = sentence.partition(": ")
    if field == "at":  # of a plan; the page says how soon from now
        return AskedError(f"after: {rest}", "after")
    return AskedError(sentence, field if colon and field in allowed else None)
