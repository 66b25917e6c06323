"""The clients of a lane: their requests, one after another, each driven through its policy."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from loadtests.policies import Call, Request, RetryPolicy, Send, StopReason
from loadtests.simulation.events.agenda import Agenda
from loadtests.simulation.events.attempt import TIMED_OUT, Attempt, Callee, Reply
from loadtests.simulation.events.bounds import Bounds
from loadtests.simulation.events.carriage import Carriage
from loadtests.simulation.events.quiet import first_send
from loadtests.simulation.events.seen import Seen


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for all requests of a lane: what is asked, for how long, until when."""

    call: Call
    timeout_s: float
    deadlines: bool
    end_s: float
    """What would be heard from then on is not."""
    bounds: Bounds


class Clients:
    """Sends requests as they become due.

    Of a quiet policy (`first_send`) a first attempt is made without a `Request`, which is made up
    for when the attempt fails.
    """

    def __init__(
        self,
        policies: Iterator[RetryPolicy],
        terms: Terms,
        callee: Callee,
        agenda: Agenda,
        seen: Seen,
    ) -> None:
        """`policies` has the policy of each request in turn, without end."""
        self.terms = terms
        self.callee = callee
        self.agenda = agenda
        self.seen = seen
        one = next(policies)
        self._policies = chain([one], policies)
        self._first = first_send(one)
        self._first_timeout_s = self.timeout_s(self._first) if self._first else 0.0
        self._sent = 0

    @property
    def are_quiet(self) -> bool:
        """Nothing follows from a success but that it is counted."""
        return self._first is not None

    def timeout_s(self, send: Send) -> float:
        """Within the clients' own time limit."""
        own_s = self.terms.timeout_s
        return own_s if send.timeout_s is None else min(own_s, send.timeout_s)

    def request(self, tick: int, due_s: float) -> None:
        """A request is due now."""
        policy, seen = next(self._policies), self.seen
        seen.issued[tick] += 1
        if self._first is None:
            request = Request(policy, self.terms.call)
            ClientRequest(request, self, tick, due_s).start(due_s)
            return
        seen.attempts[tick] += 1
        self._sent += 1
        timeout_s = self._first_timeout_s
        deadline_s = due_s + timeout_s if self.terms.deadlines else None
        attempt = Attempt(self, 1, due_s, deadline_s, tick)
        attempt.policy = policy
        self.agenda.limit(attempt, timeout_s, due_s)
        self.callee.receive(attempt, due_s)

    def foresees(self, attempt: Attempt, at_s: float) -> bool:
        """If it comes in time it is counted now."""
        if at_s > attempt.until_s:
            return False
        attempt.over = True
        if at_s < self.terms.end_s:
            self.seen.succeeded(attempt.tick, at_s - attempt.sent_s)
        return True

    def ended(self, attempt: Attempt, reply: Reply, now_s: float) -> None:
        """Now the policy is to be told."""
        assert attempt.policy is not None  # noqa: S101 - only such attempts are the clients' own
        request = Request(attempt.policy, self.terms.call)
        request.start(attempt.sent_s)
        request.sent()
        made = ClientRequest(request, self, attempt.tick, attempt.sent_s)
        made.flights.append(attempt)
        made.ended(attempt, reply, now_s)

    def gave_up(self, attempt: Attempt, now_s: float) -> None:
        """Likewise."""
        self.callee.leave(attempt, now_s)
        self.ended(attempt, TIMED_OUT, now_s)

    def deadline_s(self, now_s: float, timeout_s: float) -> float | None:
        """What an attempt says of when it will be given up."""
        return now_s + timeout_s if self.terms.deadlines else None

    def attempted(self, tick: int) -> None:
        """An attempt of a request that was due in this tick is made."""
        self.seen.attempts[tick] += 1
        self._sent += 1

    def close_tick(self) -> None:
        """A tick is over. Raises `ScenarioError` after too many attempts."""
        self.seen.close_tick()
        self.terms.bounds.check(self._sent)


class ClientRequest(Carriage):
    """One request of a client."""

    __slots__ = ("_clients", "_due_s", "_tick")

    def __init__(self, request: Request, clients: Clients, tick: int, due_s: float) -> None:
        super().__init__(request, clients.callee, clients.agenda)
        self._clients = clients
        self._tick = tick
        self._due_s = due_s

    def attempt(self, number: int, send: Send, now_s: float) -> tuple[Attempt, float]:
        """Within the clients' own time limit; what it says of its deadline is when that is up."""
        clients = self._clients
        clients.attempted(self._tick)
        timeout_s = clients.timeout_s(send)
        return Attempt(self, number, now_s, clients.deadline_s(now_s, timeout_s)), timeout_s

    def foresees(self, attempt: Attempt, at_s: float) -> bool:
        """If it comes in time it is counted now, where the policy has no need to be told."""
        clients = self._clients
        if not clients.are_quiet or at_s > attempt.until_s:
            return False
        attempt.over = True
        if at_s < clients.terms.end_s:
            clients.seen.succeeded(self._tick, at_s - self._due_s)
        return True

    def done(self, reason: StopReason, now_s: float) -> None:
        """Count it."""
        if reason is StopReason.SUCCEEDED:
            self._clients.seen.succeeded(self._tick, now_s - self._due_s)
        else:
            self._clients.seen.failed(self._tick, reason)
