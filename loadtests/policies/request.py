"""The machine of one request, driven by events and answering with actions.

The rules, event by event; any other pair of state and event is a mistake of the driver and raises.

==============  ============  ==============================================
state           event         next state
==============  ============  ==============================================
new             start         ready, backing off or done: as the policy says
ready           sent          in flight
in flight       finished      ready, backing off or done: as the policy says
backing off     resumed       ready, backing off or done: as the policy says
done            —             —
==============  ============  ==============================================
"""

from enum import StrEnum
from random import Random

from loadtests.policies.actions import Action, Send, Stop, StopReason, Wait
from loadtests.policies.outcome import Outcome
from loadtests.policies.policy import RetryPolicy


class State(StrEnum):
    """Where a request is."""

    NEW = "new"
    READY = "ready"
    IN_FLIGHT = "in flight"
    BACKING_OFF = "backing off"
    DONE = "done"


class IllegalEventError(RuntimeError):
    """The driver reported an event that cannot happen in the request's state."""

    def __init__(self, event: str, state: State) -> None:
        """Name the event and the state."""
        super().__init__(f"event {event!r} is not allowed in state {state.value!r}")


class Request:
    """One request on its way through a policy. `attempts` counts the attempts sent so far."""

    __slots__ = ("_policy", "_rng", "attempts", "reason", "state")

    def __init__(self, policy: RetryPolicy, rng: Random) -> None:
        """A request not yet started; `rng` is where its jitter is drawn from."""
        self._policy = policy
        self._rng = rng
        self.state = State.NEW
        self.attempts = 0
        self.reason: StopReason | None = None

    @property
    def succeeded(self) -> bool:
        """The request is done and its last attempt succeeded."""
        return self.reason is StopReason.SUCCEEDED

    def start(self, now_s: float) -> Action:
        """The user wants the request done."""
        self._expect("start", State.NEW)
        return self._apply(self._policy.on_request(now_s))

    def sent(self) -> int:
        """The driver is sending an attempt; returns its number, from 1."""
        self._expect("sent", State.READY)
        self.state = State.IN_FLIGHT
        self.attempts += 1
        return self.attempts

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """The attempt in flight ended."""
        self._expect("finished", State.IN_FLIGHT)
        return self._apply(self._policy.on_outcome(now_s, self.attempts, outcome, self._rng))

    def resumed(self, now_s: float) -> Action:
        """The wait is over."""
        self._expect("resumed", State.BACKING_OFF)
        return self._apply(self._policy.on_resume(now_s, self.attempts + 1))

    def _expect(self, event: str, state: State) -> None:
        if self.state is not state:
            raise IllegalEventError(event, self.state)

    def _apply(self, action: Action) -> Action:
        match action:
            case Send():
                self.state = State.READY
            case Wait():
                self.state = State.BACKING_OFF
            case Stop(reason):
                self.state = State.DONE
                self.reason = reason
        return action
