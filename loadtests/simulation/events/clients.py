"""The clients of a lane: their requests, one after another in turn, and what they see of them."""

from collections.abc import Iterator

import numpy as np

from loadtests.policies import Call, Request, RetryPolicy, Send, StopReason
from loadtests.scenario import ScenarioError
from loadtests.simulation.events.agenda import Agenda
from loadtests.simulation.events.attempt import Attempt, Callee
from loadtests.simulation.events.carriage import Carriage
from loadtests.simulation.metered import Clients as ClientsSeen
from reports.record import bucket_of

MOST_ATTEMPTS = 50_000_000
"""In one lane: nobody would wait for the end of more."""


class Clients:
    """Sends requests as they become due, and counts by the tick in which they did."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing it is told once
        self,
        policies: Iterator[RetryPolicy],
        call: Call,
        callee: Callee,
        agenda: Agenda,
        ticks: int,
        timeout_s: float,
        deadlines: bool,
    ) -> None:
        """`policies` has the policy of each request in turn, without end."""
        self._policies = policies
        self._call = call
        self._callee = callee
        self._agenda = agenda
        self.timeout_s = timeout_s
        self.deadlines = deadlines
        self.issued = [0] * ticks
        self.succeeded = [0] * ticks
        self.attempts = [0] * ticks
        self.failed: dict[str, list[int]] = {}
        self.latency: dict[tuple[int, int], int] = {}
        self.sent = 0

    def request(self, tick: int, due_s: float) -> None:
        """A request is due now."""
        self.issued[tick] += 1
        request = Request(next(self._policies), self._call)
        _ClientRequest(request, self._callee, self._agenda, self, tick, due_s).start(due_s)

    def attempted(self, tick: int) -> None:
        """An attempt of a request that was due in this tick. Raises `ScenarioError` at too many."""
        self.attempts[tick] += 1
        self.sent += 1
        if self.sent > MOST_ATTEMPTS:
            raise ScenarioError(f"more than {MOST_ATTEMPTS:,} attempts: simulate less load")

    def ended(self, tick: int, due_s: float, reason: StopReason, now_s: float) -> None:
        """A request that was due in this tick is over."""
        if reason is StopReason.SUCCEEDED:
            self.succeeded[tick] += 1
            key = tick, bucket_of((now_s - due_s) * 1000)
            self.latency[key] = self.latency.get(key, 0) + 1
            return
        if reason.value not in self.failed:
            self.failed[reason.value] = [0] * len(self.issued)
        self.failed[reason.value][tick] += 1

    def seen(self) -> ClientsSeen:
        """All of it."""
        latency = [(tick, bucket, count) for (tick, bucket), count in sorted(self.latency.items())]
        return ClientsSeen(
            issued=np.array(self.issued, np.int64),
            succeeded=np.array(self.succeeded, np.int64),
            attempts=np.array(self.attempts, np.int64),
            failed={why: np.array(by, np.int64) for why, by in sorted(self.failed.items())},
            latency=np.array(latency, np.int64).reshape(-1, 3),
        )


class _ClientRequest(Carriage):
    """One request of a client."""

    __slots__ = ("_clients", "_due_s", "_tick")

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        request: Request,
        callee: Callee,
        agenda: Agenda,
        clients: Clients,
        tick: int,
        due_s: float,
    ) -> None:
        super().__init__(request, callee, agenda)
        self._clients = clients
        self._tick = tick
        self._due_s = due_s

    def attempt(self, number: int, send: Send, now_s: float) -> tuple[Attempt, float]:
        """Within the clients' own time limit; what it says of its deadline is when that is up."""
        clients = self._clients
        clients.attempted(self._tick)
        own_s = clients.timeout_s
        timeout_s = own_s if send.timeout_s is None else min(own_s, send.timeout_s)
        deadline_s = now_s + timeout_s if clients.deadlines else None
        return Attempt(self, number, now_s, deadline_s), timeout_s

    def done(self, reason: StopReason, now_s: float) -> None:
        """Count it."""
        self._clients.ended(self._tick, self._due_s, reason, now_s)
