"""The machine of one request, driven by events and answering with actions.

The rules, event by event; any other pair of state and event is a mistake of the driver and raises.

==============  ============  ==============================================
state           event         next state
==============  ============  ==============================================
new             start         ready, backing off or done: as the policy says
ready           sent          in flight
in flight       finished      ready, in flight, backing off or done: as the policy says
in flight       resumed       ready, in flight or done: as the policy says (a hedge is due)
backing off     resumed       ready, backing off or done: as the policy says
any but done    abandoned     done
done            —             —
==============  ============  ==============================================

Several attempts can be in flight at once: a hedge is sent while the one before it has not ended.
"""

from enum import StrEnum

from loadtests.policies.actions import Action, Await, Send, Stop, StopReason, Wait
from loadtests.policies.call import Call
from loadtests.policies.outcome import Outcome
from loadtests.policies.policy import RetryPolicy


class State(StrEnum):
    """Where a request is."""

    NEW = "new"
    READY = "ready"
    IN_FLIGHT = "in flight"
    BACKING_OFF = "backing off"
    DONE = "done"


_NEW, _READY, _IN_FLIGHT = State.NEW, State.READY, State.IN_FLIGHT
_BACKING_OFF, _DONE = State.BACKING_OFF, State.DONE
"""Named once: what an enum has is slow to look up in Python 3.11."""


class IllegalEventError(RuntimeError):
    """The driver reported an event that cannot happen in the request's state."""

    def __init__(self, event: str, state: State) -> None:
        """Name the event and the state."""
        super().__init__(f"event {event!r} is not allowed in state {state.value!r}")


class PolicyError(RuntimeError):
    """The policy raised, or gave an answer that makes no sense where the request is."""


class IllegalAnswerError(PolicyError):
    """The policy gave an answer that makes no sense where the request is."""


class Request:
    """One request on its way through a policy.

    `attempts` counts the attempts sent so far, `in_flight` those that have not ended.
    """

    __slots__ = ("_course", "attempts", "in_flight", "reason", "state")

    def __init__(self, policy: RetryPolicy, call: Call) -> None:
        """A request not yet started. This and the events raise `PolicyError` if the policy does."""
        try:
            self._course = policy.begin(call)
        except Exception as error:
            raise _raised(error) from error
        self.state = _NEW
        self.attempts = 0
        self.in_flight = 0
        self.reason: StopReason | None = None

    @property
    def succeeded(self) -> bool:
        """The request is done and an attempt succeeded."""
        return self.reason is StopReason.SUCCEEDED

    def start(self, now_s: float) -> Action:
        """The user wants the request done."""
        self._expect("start", _NEW)
        try:
            action = self._course.start(now_s)
        except Exception as error:
            raise _raised(error) from error
        return self._apply(action)

    def sent(self) -> int:
        """The driver is sending an attempt; returns its number, from 1."""
        self._expect("sent", _READY)
        self.state = _IN_FLIGHT
        self.attempts += 1
        self.in_flight += 1
        return self.attempts

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """An attempt in flight ended."""
        self._expect("finished", _IN_FLIGHT)
        self.in_flight -= 1
        try:
            action = self._course.finished(now_s, outcome)
        except Exception as error:
            raise _raised(error) from error
        return self._apply(action)

    def resumed(self, now_s: float) -> Action:
        """The wait is over, or a hedge is due."""
        if self.state is not _IN_FLIGHT:
            self._expect("resumed", _BACKING_OFF)
        try:
            action = self._course.resumed(now_s)
        except Exception as error:
            raise _raised(error) from error
        return self._apply(action)

    def abandoned(self, now_s: float) -> None:
        """The driver gave the request up: a test is over. Without effect on one that is done."""
        if self.state is not _DONE:
            self.state = _DONE
            self._course.abandoned(now_s)

    def _expect(self, event: str, state: State) -> None:
        if self.state is not state:
            raise IllegalEventError(event, self.state)

    def _apply(self, action: Action) -> Action:
        match action:
            case Send():
                self.state = _READY
            case Wait() if not self.in_flight:
                self.state = _BACKING_OFF
            case Await() if self.in_flight:
                self.state = _IN_FLIGHT
            case Stop(StopReason() as reason):
                self.state = _DONE
                self.reason = reason
            case _:
                raise IllegalAnswerError(f"{action} with {self.in_flight} attempts in flight")
        return action


def _raised(error: Exception) -> PolicyError:
    return PolicyError(f"the policy raised {type(error).__name__}: {error}")
