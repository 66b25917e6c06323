"""Does at the target what the page asks, once for each intention, and says what was done when."""

import logging
import time
from collections.abc import Callable
from dataclasses import asdict

from faults.action import OperatorAction
from faults.admin import AdminClient, AdminError, AdminUnreachableError, clock_offset
from faults.dip import Dip
from faults.fault import ServiceFault
from loadtests.control_room.acting import told
from loadtests.control_room.acting.asked import (
    VERBS,
    Act,
    EndOf,
    Plan,
    Reset,
    SetCapacity,
    read_asked,
)
from loadtests.control_room.acting.fields import AskedError
from loadtests.control_room.acting.log import ActLog
from loadtests.control_room.acting.once import Once, OtherActError
from loadtests.control_room.acting.told import Done, Reply, Status

log = logging.getLogger("aftershock")

_NEVER_SENT = (ConnectionRefusedError,)
_NOT_THE_ASKERS = frozenset({401, 403})
"""The target refuses us, not what is asked."""


class Acts:
    """What is done from the page. `said` is the log of it."""

    def __init__(
        self,
        client_for: Callable[[], AdminClient],
        said: ActLog,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`client_for` gives a client of the target of now; each act closes its own."""
        self._client_for = client_for
        self._said = said
        self._clock = clock
        self._once: Once[Reply] = Once(lambda answer: answer.stands)

    def perform(self, verb: str, body: bytes) -> Reply:
        """Do it, unless its key says that it was done. Never raises for what comes from outside."""
        if verb not in VERBS:
            return _error(404, f"{verb[:32]!r} cannot be done: expected {', '.join(VERBS)}")
        try:
            asked = read_asked(verb, body)
        except AskedError as error:
            return self._refused(verb, _error(400, str(error), error.field))
        try:
            answer, again = self._once.do(asked.key, asked.act, lambda: self._do(verb, asked.act))
        except OtherActError as error:
            return self._refused(verb, _error(400, f"key: {error}", "key"))
        return Reply(answer.status, {**answer.body, "again": True}) if again else answer

    def _do(self, verb: str, act: Act) -> Reply:
        try:
            client = self._client_for()
        except ValueError as error:
            return self._refused(verb, _error(502, f"no target: {error}"))
        try:
            done = _at_target(client, act, self._clock)
        except AdminError as error:
            return self._refused(verb, _of_target(error, act))
        finally:
            client.close()
        log.info("control room: %s", done.said)
        self._said.add(self._clock(), done.said, ok=True)
        return Reply(200, {**asdict(done), "again": False}, stands=True)

    def _refused(self, verb: str, answer: Reply) -> Reply:
        self._said.add(self._clock(), f"{verb} failed: {answer.body['error']}", ok=False)
        return answer


def _at_target(client: AdminClient, act: Act, clock: Callable[[], float]) -> Done:
    """Have the target do it. Raises `AdminError`."""
    match act:
        case Plan(planned, after_s):
            offset_s = clock_offset(client, samples=2, clock=clock).offset_s
            return told.begun(act, _begin(client, planned, after_s), offset_s)
        case EndOf(of):
            offset_s = clock_offset(client, samples=2, clock=clock).offset_s
            return told.ended(_end(client, of), offset_s)
        case SetCapacity(rate_per_s, lanes):
            client.set_capacity(rate_per_s, lanes)
            return told.capacity_set(act, clock())
        case Reset():
            client.reset()
            return told.was_reset(clock())


def _begin(
    client: AdminClient, planned: Dip | ServiceFault | OperatorAction, after_s: float
) -> Status:
    match planned:
        case Dip():
            return client.begin_dip(planned, after_s)
        case ServiceFault():
            return client.begin_fault(planned, after_s)
        case OperatorAction():
            return client.begin_action(planned, after_s)


def _end(client: AdminClient, of: str) -> Status:
    if of.startswith("dip-"):
        return client.end_dip(of)
    return client.end_fault(of) if of.startswith("fault-") else client.end_action(of)


def _of_target(error: AdminError, act: Act) -> Reply:
    """The target's own words: 400 where what is asked is at fault, else 502."""
    status = error.status or 0
    if 400 <= status < 500 and status not in _NOT_THE_ASKERS:
        return _error(400, str(error))
    unsure = (
        isinstance(act, Plan)
        and isinstance(error, AdminUnreachableError)
        and not isinstance(error.__cause__, _NEVER_SENT)
    )
    if not unsure:
        return _error(502, str(error))
    return _error(502, f"{error}. It may have begun all the same: see the list", stands=True)


def _error(status: int, sentence: str, field: str | None = None, *, stands: bool = False) -> Reply:
    return Reply(status, {"error": sentence, "field": field}, stands)
