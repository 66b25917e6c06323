"""One attempt on its way, what comes back to who sent it, and who they are."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from loadtests.policies import AttemptError, Outcome, RetryPolicy
from target_service.limits import MAX_ATTEMPT
from target_service.service import Job

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Reply:
    """What comes back for an attempt: a status with headers, or the error that its sender meets."""

    status: int | None
    error: AttemptError | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: _NO_HEADERS)

    @property
    def succeeded(self) -> bool:
        """As `Outcome.succeeded`."""
        return self.status is not None and Outcome(self.status, headers=self.headers).succeeded


SERVED = Reply(200)
TIMED_OUT = Reply(None, AttemptError.TIMEOUT)
RESET = Reply(None, AttemptError.RESET)
CLOSED = Reply(None, AttemptError.CLOSED)


class Caller(Protocol):
    """Who sent an attempt."""

    def foresees(self, attempt: "Attempt", at_s: float) -> bool:
        """It will be answered then, with success: whether the caller has no need to see it come.

        So it is for one for whom nothing follows from a success but that it is counted.
        """
        ...

    def ended(self, attempt: "Attempt", reply: Reply, now_s: float) -> None:
        """An answer has come."""
        ...

    def gave_up(self, attempt: "Attempt", now_s: float) -> None:
        """The time of the attempt is over, and no answer has come."""
        ...


class Attempt(Job):
    """One attempt, also as the service model sees it.

    `over`: its caller waits for it no longer; it waits until `until_s`. `held`: the service has it,
    and has not counted yet what became of it. `errand`: what a gateway does for it. `tick`: that in
    which the request of a client was due; `policy`: that of a request that has no machine yet.
    """

    __slots__ = ("caller", "errand", "held", "over", "policy", "sent_s", "tick", "until_s")

    def __init__(
        self,
        caller: Caller,
        number: int,
        sent_s: float,
        deadline_s: float | None = None,
        tick: int = 0,
    ) -> None:
        super().__init__(number if number < MAX_ATTEMPT else MAX_ATTEMPT, deadline_s=deadline_s)
        self.caller = caller
        self.tick = tick
        self.sent_s = sent_s
        self.until_s = math.inf
        self.over = False
        self.held = False
        self.errand: Errand | None = None
        self.policy: RetryPolicy | None = None


class Errand(Protocol):
    """What a gateway does for an attempt."""

    def abandon(self, now_s: float) -> None:
        """Its caller has gone."""
        ...


class Callee(Protocol):
    """Whom attempts are sent to: the service, or a gateway in front of it."""

    def receive(self, attempt: Attempt, now_s: float) -> None:
        """An attempt arrives."""
        ...

    def leave(self, attempt: Attempt, now_s: float) -> None:
        """Its caller has gone."""
        ...
