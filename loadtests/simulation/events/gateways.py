"""The gateways of a scenario's layers in virtual time: each retries by its own policy.

What they do is as `loadtests.gateway` does it; its rules and its answers are taken from there.
"""

from random import Random

from loadtests.gateway.errors import DEADLINE_OVER, OwnAnswer, no_answer, not_sent
from loadtests.gateway.exchange import SHORTEST_ATTEMPT_S
from loadtests.gateway.headers import says_do_not_retry
from loadtests.layers import LAYER
from loadtests.policies import Action, Call, Request, RetryPolicy, Send, StopReason, Wait
from loadtests.scenario import MAX_LAYERS, PolicyChoice, Scenario, choose_policy
from loadtests.simulation.events.agenda import Agenda
from loadtests.simulation.events.attempt import Attempt, Callee, Reply
from loadtests.simulation.events.carriage import Carriage
from loadtests.simulation.events.meter import table
from loadtests.simulation.fleet import source_of
from loadtests.simulation.metered import MeteredLayer
from target_service.meter import count
from target_service.words import OWNED

_OWNED = OWNED.decode("latin-1")
_WITHOUT_RETRY = "no-retry"
"""The policy of a gateway that has none of its own for a lane."""


class Gateway:
    """One gateway, as one lane sees it: a policy of its own in front of whom it calls."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing it is told once
        self,
        name: str,
        policy: RetryPolicy,
        call: Call,
        callee: Callee,
        agenda: Agenda,
        timeout_s: float,
    ) -> None:
        """`timeout_s` bounds each attempt that it makes."""
        self.name = name
        self.policy = policy
        self.call = call
        self.callee = callee
        self.agenda = agenda
        self.timeout_s = timeout_s
        self._offered: list[int] = []
        self._ticks: list[list[int]] = []

    def receive(self, attempt: Attempt, now_s: float) -> None:
        """An attempt of its caller arrives: here it is a request."""
        count(self._offered, attempt.attempt)
        errand = _Errand(self, attempt)
        attempt.errand = errand
        errand.start(now_s)

    def leave(self, attempt: Attempt, now_s: float) -> None:
        """The caller of an attempt has gone: so are all attempts that were made for it."""
        if attempt.errand is not None:
            attempt.errand.abandon(now_s)
            attempt.errand = None

    def close_tick(self) -> None:
        """A tick is over."""
        self._ticks.append(self._offered)
        self._offered = []

    def metered(self) -> MeteredLayer:
        """What arrived, tick by tick."""
        return MeteredLayer(self.name, table(self._ticks))


class _Errand(Carriage):
    """What a gateway does for one attempt of its caller."""

    __slots__ = ("_asker", "_forbidden", "_gateway", "_last", "_left_alone")

    def __init__(self, gateway: Gateway, asker: Attempt) -> None:
        request = Request(gateway.policy, gateway.call)
        super().__init__(request, gateway.callee, gateway.agenda)
        self._gateway = gateway
        self._asker = asker
        self._last: Reply | None = None
        self._forbidden = False
        self._left_alone = False
        """No attempt may follow, whatever the policy wants: it is asked no more."""

    def attempt(self, number: int, send: Send, now_s: float) -> tuple[Attempt, float]:
        """Its number is that of the caller's attempt − 1 + our own; a deadline is passed on."""
        own_s, deadline_s = self._gateway.timeout_s, self._asker.deadline_s
        timeout_s = own_s if send.timeout_s is None else min(own_s, send.timeout_s)
        if deadline_s is not None:
            timeout_s = min(timeout_s, max(0.0, deadline_s - now_s))
        before = max(0, self._asker.attempt - 1)
        return Attempt(self, before + number, now_s, deadline_s), timeout_s

    def perform(self, action: Action, now_s: float) -> None:
        """Do what the policy wants, while an attempt may follow."""
        sends_s = now_s + action.seconds if isinstance(action, Wait) else now_s
        if isinstance(action, Send | Wait) and not self._may_send_at(sends_s):
            self._left_alone = True
            self.request.abandoned(now_s)
            if not self.flights:
                self._answer(None, now_s)
        else:
            super().perform(action, now_s)

    def ended(self, attempt: Attempt, reply: Reply, now_s: float) -> None:
        """An answer has come, which is passed on if it is the last."""
        self._last = reply
        if reply.status is not None and says_do_not_retry(reply.headers):
            self._forbidden = True
        if not self._left_alone:
            super().ended(attempt, reply, now_s)
            return
        self.flights.remove(attempt)
        if reply.succeeded or not self.flights:
            self.leave_flights(now_s)
            self._answer(None, now_s)

    def done(self, reason: StopReason, now_s: float) -> None:
        """The policy is done with it."""
        self._answer(reason, now_s)

    def abandon(self, now_s: float) -> None:
        """The caller has gone."""
        self.leave_flights(now_s)
        self.void_timers()
        self.request.abandoned(now_s)

    def _may_send_at(self, at_s: float) -> bool:
        """Not after the deadline, nor after a do-not-retry."""
        return not (self._forbidden or self._is_over_at(at_s))

    def _is_over_at(self, at_s: float) -> bool:
        deadline_s = self._asker.deadline_s
        return deadline_s is not None and at_s > deadline_s - SHORTEST_ATTEMPT_S

    def _answer(self, reason: StopReason | None, now_s: float) -> None:
        self._asker.errand = None
        self.agenda.answer(self._asker, self._outward(reason, now_s), now_s)

    def _outward(self, reason: StopReason | None, now_s: float) -> Reply:
        """What the caller is told: the last answer, or one of our own where there is none."""
        last = self._last
        if self._is_over_at(now_s) and not (last and last.succeeded):
            return _own(DEADLINE_OVER)
        if last is None:
            return _own(not_sent(reason))
        if last.error is not None:
            return _own(no_answer(last.error))
        if _OWNED not in last.headers:
            return last
        # An error from below is not our own: nobody but us retries it.
        headers = {name: value for name, value in last.headers.items() if name != _OWNED}
        return Reply(last.status, headers=headers)


def _own(answer: OwnAnswer) -> Reply:
    return Reply(answer.status)


def gateways_before(
    service: Callee, scenario: Scenario, choice: PolicyChoice, agenda: Agenda
) -> tuple[Gateway, ...]:
    """The gateways that the attempts of a lane pass, the outermost first."""
    lane, callee = choice.lane_name, service
    gateways: list[Gateway] = []
    for number, policies in reversed(list(enumerate(scenario.layers(), 1))):
        source = source_of(choose_policy(policies.get(lane, _WITHOUT_RETRY)))
        jitter = Random(f"{scenario.seed * MAX_LAYERS + number}/jitter/{lane}")
        call = Call(jitter, path=scenario.load.path)
        callee = Gateway(
            LAYER.format(number), source.build(), call, callee, agenda, scenario.load.timeout_s
        )
        gateways.insert(0, callee)
    return tuple(gateways)
