"""Carries one request through its policy in virtual time: the third of three drivers."""

from functools import partial

from loadtests.policies import Action, Outcome, Request, Send, Stop, StopReason
from loadtests.simulation.events.agenda import Agenda
from loadtests.simulation.events.attempt import TIMED_OUT, Attempt, Callee, Reply


class Carriage:
    """One request of a client, or of a gateway. A timer counts until the policy answers anew."""

    __slots__ = ("_answers", "agenda", "callee", "flights", "request")

    def __init__(self, request: Request, callee: Callee, agenda: Agenda) -> None:
        self.request = request
        self.callee = callee
        self.agenda = agenda
        self.flights: list[Attempt] = []
        self._answers = 0

    # What differs

    def attempt(self, number: int, send: Send, now_s: float) -> tuple[Attempt, float]:
        """Attempt `number`, and how long it may take."""
        raise NotImplementedError

    def done(self, reason: StopReason, now_s: float) -> None:
        """The request is over."""
        raise NotImplementedError

    # What happens

    def start(self, now_s: float) -> None:
        """The request is due."""
        self.perform(self.request.start(now_s), now_s)

    def foresees(self, attempt: Attempt, at_s: float) -> bool:
        """The policy is to be told."""
        del attempt, at_s
        return False

    def ended(self, attempt: Attempt, reply: Reply, now_s: float) -> None:
        """An answer to an attempt has come."""
        self.flights.remove(attempt)
        outcome = Outcome(reply.status, now_s - attempt.sent_s, reply.error, reply.headers, now_s)
        self.perform(self.request.finished(now_s, outcome), now_s)

    def gave_up(self, attempt: Attempt, now_s: float) -> None:
        """An attempt has had its time: its callee is left."""
        self.callee.leave(attempt, now_s)
        self.ended(attempt, TIMED_OUT, now_s)

    def perform(self, action: Action, now_s: float) -> None:
        """Do what the policy wants."""
        self._answers += 1
        if isinstance(action, Send):
            self._send(action, now_s)
        elif isinstance(action, Stop):
            self.leave_flights(now_s)
            self.done(action.reason, now_s)
        elif action.seconds is not None:
            self._ask_again(action.seconds, now_s)

    def leave_flights(self, now_s: float) -> None:
        """What is in flight still is not waited for."""
        for flight in self.flights:
            flight.over = True
            self.callee.leave(flight, now_s)
        self.flights.clear()

    def void_timers(self) -> None:
        """Nothing that is planned for this request happens any more."""
        self._answers += 1

    def _send(self, send: Send, now_s: float) -> None:
        attempt, timeout_s = self.attempt(self.request.sent(), send, now_s)
        self.flights.append(attempt)
        self.agenda.limit(attempt, timeout_s, now_s)
        if send.hedge_after_s is not None:
            self._ask_again(send.hedge_after_s, now_s)
        self.callee.receive(attempt, now_s)

    def _ask_again(self, seconds: float, now_s: float) -> None:
        self.agenda.at(now_s + seconds, partial(self._resume, self._answers))

    def _resume(self, answers: int, now_s: float) -> None:
        if answers == self._answers:
            self.perform(self.request.resumed(now_s), now_s)
