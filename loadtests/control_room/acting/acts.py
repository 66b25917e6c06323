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
from loadtests.control_room.acting.undone import MayHaveBegunError, Undone, by_target

log = logging.getLogger("aftershock")


class Acts:
    """What is done from the page. `said` is the log of it."""

    def __init__(
        self,
        client_for: Callable[[], AdminClient],
        said: ActLog,
        clock: Callable[[], float] = time.time,
        going: Callable[[], bool] = lambda: False,
    ) -> None:
        """`client_for` gives a client of the target of now; each act closes its own.

        `going` tells whether a run is being recorded.
        """
        self._client_for = client_for
        self._said = said
        self._clock = clock
        self._going = going
        self._once: Once[Reply] = Once(lambda answer: answer.stands)

    def perform(self, verb: str, body: bytes) -> Reply:
        """Do it, unless its key says that it was done. Never raises for what comes from outside."""
        if verb not in VERBS:
            return _no_such_verb(verb)
        try:
            asked = read_asked(verb, body)
        except AskedError as error:
            return self._not_done(Undone(verb, "refused", str(error), error.field))
        try:
            answer, again = self._once.do(asked.key, asked.act, lambda: self._do(verb, asked.act))
        except OtherActError as error:
            return self._not_done(Undone(verb, "refused", f"key: {error}", "key"))
        return Reply(answer.status, {**answer.body, "again": True}) if again else answer

    def _do(self, verb: str, act: Act) -> Reply:
        try:
            client = self._client_for()
        except ValueError as error:
            return self._not_done(Undone(verb, "failed", f"no target: {error}"))
        try:
            done = _at_target(client, act, self._clock, self._going)
        except AdminError as error:
            return self._not_done(by_target(verb, act, error))
        finally:
            client.close()
        log.info("control room: %s", done.said)
        self._said.add(self._clock(), done.said, "done")
        return Reply(200, {"kind": "done", **asdict(done), "again": False}, stands=True)

    def _not_done(self, undone: Undone) -> Reply:
        self._said.add(self._clock(), undone.said, undone.kind)
        return undone.reply


def _no_such_verb(verb: str) -> Reply:
    said = f"{verb[:32]!r} cannot be done: expected {', '.join(VERBS)}"
    return Reply(404, {"kind": "refused", "said": said, "error": said, "field": None})


def _at_target(
    client: AdminClient, act: Act, clock: Callable[[], float], going: Callable[[], bool]
) -> Done:
    """Have the target do it. Raises `AdminError`."""
    match act:
        case Plan(planned, after_s):
            offset_s = clock_offset(client, samples=2, clock=clock).offset_s
            return told.begun(act, _begun(client, planned, after_s), offset_s)
        case EndOf(of):
            offset_s = clock_offset(client, samples=2, clock=clock).offset_s
            return told.ended(_end(client, of), offset_s)
        case SetCapacity(rate_per_s, lanes):
            client.set_capacity(rate_per_s, lanes)
            return told.capacity_set(act, clock())
        case Reset():
            client.reset()
            return told.was_reset(going=going())


def _begun(
    client: AdminClient, planned: Dip | ServiceFault | OperatorAction, after_s: float
) -> Status:
    """Raises `MayHaveBegunError` where the target was told and has not answered."""
    try:
        return _begin(client, planned, after_s)
    except AdminUnreachableError as error:
        if isinstance(error.__cause__, ConnectionRefusedError):
            raise
        raise MayHaveBegunError(str(error)) from error


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
