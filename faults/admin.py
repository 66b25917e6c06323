"""A client of the target's admin API."""

import http.client
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, TypeVar
from urllib.parse import quote

from aftershock_units import format_rate
from faults.action import OperatorAction
from faults.asking import ask_action, ask_dip, ask_fault
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.http import KeptConnection, split_url
from faults.statuses import ActionStatus, DipStatus, FaultStatus
from faults.wire import (
    FieldProblem,
    LaneState,
    LaneTick,
    NotOursError,
    TargetError,
    TargetState,
    TickRow,
    Trace,
    TracedAttempt,
    read_action,
    read_actions,
    read_dip,
    read_dips,
    read_error,
    read_fault,
    read_faults,
    read_state,
    read_ticks,
    read_trace,
)

__all__ = [
    "ActionStatus",
    "AdminClient",
    "AdminError",
    "AdminUnreachableError",
    "ClockOffset",
    "DipStatus",
    "FaultStatus",
    "FieldProblem",
    "GatewayError",
    "LaneState",
    "LaneTick",
    "NotATargetError",
    "TargetError",
    "TargetState",
    "TickRow",
    "Trace",
    "TracedAttempt",
    "clock_offset",
]

_NOT_FOUND: Final = "not-found"
"""What a server of ours says where it has nothing, its target and its gateway alike."""

_STATE: Final = "/admin/state"
TICKS_PER_PAGE = 600
"""A shorter answer of the target's ticks is the last one: part of its contract."""

Answer = TypeVar("Answer")


class AdminError(Exception):
    """The target does not do what it was asked; the message names its URL and what it said.

    `status` is the HTTP status, or None where there was no answer. `said` is the target's own
    error, without the URL, or None where it was not a target that answered.
    """

    def __init__(
        self, message: str, status: int | None = None, said: TargetError | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.said = said


class AdminUnreachableError(AdminError):
    """Nothing answers there."""


class NotATargetError(AdminError):
    """Something answers there, but it has no admin API of ours."""


class GatewayError(AdminError):
    """A gateway answers there: it has a meter, and nothing that could be dipped."""


class AdminClient:
    """Steers and reads one target. Every method raises `AdminError` and its kinds.

    It may be shared by threads or greenlets; they then take turns.
    """

    def __init__(self, base_url: str, token: str | None = None, timeout_s: float = 2.0) -> None:
        """Nothing is sent yet. Raises `ValueError` for what is not an HTTP URL, or no token.

        `timeout_s` bounds every single wait for the target.
        """
        self.base_url = base_url.rstrip("/")
        parts = split_url(base_url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._connection = KeptConnection(base_url, timeout_s)
        self._headers = {"Authorization": f"Bearer {_checked_token(token)}"} if token else {}

    def state(self) -> TargetState:
        """The target as it stands."""
        return self._ask("GET", _STATE, read_state)

    def ticks(
        self, after: int | None = None, pause: Callable[[], None] = lambda: None
    ) -> list[TickRow]:
        """The kept finished ticks with a number above `after`, in order; None: all of them.

        `pause` is called while many are read: others in the process may have a turn there.
        """
        rows: list[TickRow] = []
        while True:
            query = "" if after is None else f"?after={after}"
            page = self._ask("GET", f"/admin/ticks{query}", lambda text: read_ticks(text, pause))
            rows += page
            if len(page) < TICKS_PER_PAGE:
                return rows
            after = page[-1].seq

    def dips(self) -> list[DipStatus]:
        """The dips pending, active and lately over."""
        return self._ask("GET", "/admin/dips", read_dips)

    def begin_dip(self, dip: Dip, after_s: float = 0.0) -> DipStatus:
        """Plan `dip` to begin `after_s` seconds from now; its own `at_s` is not looked at."""
        return self._ask("POST", "/admin/dips", read_dip, ask_dip(dip, after_s), again=False)

    def end_dip(self, dip_id: str) -> DipStatus:
        """End a dip with the running tick, or cancel it before it begins."""
        return self._ask("DELETE", f"/admin/dips/{quote(dip_id, safe='')}", read_dip)

    def faults(self) -> list[FaultStatus]:
        """The faults pending, active and lately over."""
        return self._ask("GET", "/admin/faults", read_faults)

    def begin_fault(self, fault: ServiceFault, after_s: float = 0.0) -> FaultStatus:
        """Plan `fault` to begin `after_s` seconds from now; its own `at_s` is not looked at."""
        asked = ask_fault(fault, after_s)
        return self._ask("POST", "/admin/faults", read_fault, asked, again=False)

    def end_fault(self, fault_id: str) -> FaultStatus:
        """End a fault with the running tick, or cancel it before it begins."""
        return self._ask("DELETE", f"/admin/faults/{quote(fault_id, safe='')}", read_fault)

    def actions(self) -> list[ActionStatus]:
        """The operator's actions pending, active and lately over."""
        return self._ask("GET", "/admin/actions", read_actions)

    def begin_action(self, action: OperatorAction, after_s: float = 0.0) -> ActionStatus:
        """Plan `action` to begin `after_s` seconds from now; its own `at_s` is not looked at."""
        asked = ask_action(action, after_s)
        return self._ask("POST", f"/admin/{action.action}", read_action, asked, again=False)

    def end_action(self, action_id: str) -> ActionStatus:
        """End an action with the running tick, or cancel it before it begins."""
        return self._ask("DELETE", f"/admin/actions/{quote(action_id, safe='')}", read_action)

    def set_capacity(self, rate_per_s: float, lanes: Iterable[str] | None = None) -> TargetState:
        """Set the base capacity of these lanes, or of all that are and will be."""
        asked = {
            "capacity": format_rate(rate_per_s),
            "lanes": None if lanes is None else list(lanes),
        }
        return self._ask("PUT", "/admin/capacity", read_state, asked)

    def register_lanes(self, names: Iterable[str]) -> None:
        """Make lanes exist before their first attempt. No name: nothing is asked."""
        asked = list(names)
        if asked:
            self._ask("POST", "/admin/lanes", bytes, {"lanes": asked})

    def trace(self, trace_id: str) -> Trace:
        """The attempts that bore this mark in ``X-Aftershock-Trace``; none where none has come."""
        return self._ask("GET", f"/admin/traces/{quote(trace_id, safe='')}", read_trace)

    def reset(self) -> TargetState:
        """Drop dips, faults, actions, lanes and kept ticks; restore the configured capacity."""
        return self._ask("POST", "/admin/reset", read_state)

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        self._connection.close()

    def _nothing_at(self, path: str) -> NotATargetError:
        """With what there is to look at: all of these give the same 404."""
        return NotATargetError(
            f"{self.base_url}{path} answers 404, so no admin API of a target is there: that of "
            f"`aftershock serve` is at {self._origin}; that of a CapacityGate under its "
            f"admin_path, as in {self._origin}/aftershock (--admin-url of `aftershock run`), while "
            "AFTERSHOCK_GATE is on",
            HTTPStatus.NOT_FOUND,
        )

    def _ask(
        self,
        method: str,
        path: str,
        read: Callable[[bytes], Answer],
        asked: Mapping[str, object] | None = None,
        *,
        again: bool = True,
    ) -> Answer:
        body = None if asked is None else json.dumps(asked).encode()
        headers = {**self._headers, **({"Content-Type": "application/json"} if asked else {})}
        try:
            status, text = self._connection.call(method, path, body, headers, again=again)
        except (OSError, http.client.HTTPException) as error:
            reason = str(error) or type(error).__name__
            raise AdminUnreachableError(
                f"no target answers at {self.base_url}: {reason}"
            ) from error
        try:
            if 200 <= status < 300:
                return read(text)
            said = read_error(text)
        except NotOursError as error:
            if status == HTTPStatus.NOT_FOUND:
                raise self._nothing_at(path) from None
            raise NotATargetError(
                f"{self.base_url}{path} answers {status}, but is no Aftershock target: {error}",
                status,
            ) from error
        if said.error == _NOT_FOUND:
            if path == _STATE:
                raise self._nothing_at(path)
            self.state()  # raises, where nothing of ours is
            raise GatewayError(
                f"{self.base_url} is a gateway, which has no dips, faults or actions: name the "
                "target behind it",
                status,
                said,
            )
        where = (
            ": the variable AFTERSHOCK_ADMIN_TOKEN has it, or --token"
            if status == HTTPStatus.UNAUTHORIZED
            else ""
        )
        raise AdminError(
            f"{self.base_url}{path} answers {status}: {said.error}: {said.message}{where}",
            status,
            said,
        )


def _checked_token(token: str) -> str:
    """As a target takes it. A line break, say, of a file, would end the header."""
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("token: a token is printable ASCII without spaces or line breaks")
    return token


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """``target's now_s + offset_s`` is the local clock, to within half of `rtt_s` seconds."""

    offset_s: float
    rtt_s: float


def clock_offset(
    client: AdminClient, samples: int = 5, clock: Callable[[], float] = time.monotonic
) -> ClockOffset:
    """Where the target's clock stands against `clock`, from the quickest of `samples` exchanges.

    The target is taken to have looked at its clock in the middle of the exchange. Raises
    `AdminError`.
    """

    def sample() -> ClockOffset:
        sent_s = clock()
        now_s = client.state().now_s
        back_s = clock()
        return ClockOffset((sent_s + back_s) / 2 - now_s, back_s - sent_s)

    return min((sample() for _ in range(max(1, samples))), key=lambda taken: taken.rtt_s)
