"""The machine of one request: every pair of state and event, legal and not."""

from collections.abc import Callable
from random import Random

import pytest

from loadtests.policies import (
    Action,
    AttemptError,
    Await,
    Call,
    Course,
    IllegalAnswerError,
    IllegalEventError,
    Outcome,
    PolicyError,
    Request,
    Send,
    State,
    Stop,
    StopReason,
    Wait,
    preset,
)

OVERLOADED = Outcome(status=503, elapsed_s=0.0)
SERVED = Outcome(status=200, elapsed_s=0.0)

EVENTS: dict[str, Callable[[Request], object]] = {
    "start": lambda request: request.start(0.0),
    "sent": lambda request: request.sent(),
    "finished": lambda request: request.finished(0.0, OVERLOADED),
    "resumed": lambda request: request.resumed(0.0),
}
LEGAL: dict[State, tuple[str, ...]] = {
    State.NEW: ("start",),
    State.READY: ("sent",),
    State.IN_FLIGHT: ("finished", "resumed"),
    State.BACKING_OFF: ("resumed",),
    State.DONE: (),
}
PATH = {
    State.NEW: [],
    State.READY: ["start"],
    State.IN_FLIGHT: ["start", "sent"],
    State.BACKING_OFF: ["start", "sent", "finished"],
    State.DONE: ["start", "sent", "finished", "resumed", "sent", "finished"],
}


def in_state(state: State) -> Request:
    request = Request(preset("immediate", attempts=2).build(), Call(Random(0)))
    for event in PATH[state]:
        EVENTS[event](request)
    assert request.state is state
    return request


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("event", list(EVENTS))
def test_an_event_is_allowed_where_the_table_says(state: State, event: str) -> None:
    """Elsewhere it raises, naming both, and changes nothing."""
    request = in_state(state)
    if event in LEGAL[state]:
        EVENTS[event](request)
        return
    with pytest.raises(
        IllegalEventError, match=f"'{event}' is not allowed in state '{state.value}'"
    ):
        EVENTS[event](request)
    assert request.state is state


def test_attempts_are_numbered_from_one() -> None:
    """The number goes out with the attempt."""
    request = in_state(State.READY)
    assert request.sent() == 1
    request.finished(0.0, OVERLOADED)
    request.resumed(0.0)
    assert request.sent() == 2


def test_a_request_tells_how_it_ended() -> None:
    """And only then."""
    request = in_state(State.IN_FLIGHT)
    assert request.reason is None
    request.finished(0.0, SERVED)
    assert request.succeeded
    assert request.reason is StopReason.SUCCEEDED


@pytest.mark.parametrize("seconds", [-0.001, float("nan"), float("inf")])
def test_a_wait_that_makes_no_sense_cannot_be_built(seconds: float) -> None:
    """A negative wait is how an overflow shows."""
    with pytest.raises(ValueError, match="expected a finite number, 0 or more"):
        Wait(seconds)


@pytest.mark.parametrize(("status", "error"), [(None, None), (503, AttemptError.RESET)])
def test_an_outcome_has_a_status_or_an_error(
    status: int | None, error: AttemptError | None
) -> None:
    """Never both, never neither."""
    with pytest.raises(ValueError, match="either a status or an error"):
        Outcome(status=status, error=error, elapsed_s=0.0)


class Scripted:
    """A policy that answers what it is told to, in turn."""

    def __init__(self, *answers: Action) -> None:
        self.answers = list(answers)
        self.abandonments = 0

    def begin(self, call: Call) -> Course:
        return self

    def start(self, now_s: float) -> Action:
        return self.answers.pop(0)

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        return self.answers.pop(0)

    def resumed(self, now_s: float) -> Action:
        return self.answers.pop(0)

    def abandoned(self, now_s: float) -> None:
        self.abandonments += 1

    def describe(self) -> str:
        return "as told"


def test_two_attempts_can_be_in_flight() -> None:
    """A hedge is sent while the first has not ended; a failure of one leaves the other."""
    policy = Scripted(
        Send(hedge_after_s=0.1), Send(hedge_after_s=0.1), Await(), Stop(StopReason.SUCCEEDED)
    )
    request = Request(policy, Call(Random(0)))
    request.start(0.0)
    request.sent()
    assert request.resumed(0.1) == Send(hedge_after_s=0.1)
    assert request.sent() == 2
    assert request.in_flight == 2
    assert request.finished(0.2, OVERLOADED) == Await()
    assert request.finished(0.3, SERVED) == Stop(StopReason.SUCCEEDED)


def test_what_a_policy_raises_is_told_as_such() -> None:
    """It is no mistake of the driver."""
    request = Request(Scripted(Send()), Call(Random(0)))  # has nothing to say after that
    request.start(0.0)
    request.sent()
    with pytest.raises(PolicyError, match="the policy raised IndexError: pop from empty list"):
        request.finished(0.0, OVERLOADED)


@pytest.mark.parametrize("answer", ["send", None, Stop("done")])  # type: ignore[arg-type]
def test_an_answer_that_is_none_is_told_as_such(answer: Action) -> None:
    """A policy of somebody's own may answer anything."""
    request = Request(Scripted(answer), Call(Random(0)))
    with pytest.raises(IllegalAnswerError):
        request.start(0.0)


@pytest.mark.parametrize("field", ["timeout_s", "hedge_after_s"])
@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_a_send_with_times_that_make_no_sense_cannot_be_built(field: str, seconds: float) -> None:
    """As with a wait."""
    with pytest.raises(ValueError, match="expected a finite number, 0 or more"):
        Send(**{field: seconds})


@pytest.mark.parametrize("answer", [Await(), Await(1.0)])
def test_a_policy_cannot_await_what_is_not_in_flight(answer: Action) -> None:
    """Nothing would ever come."""
    request = Request(Scripted(answer), Call(Random(0)))
    with pytest.raises(IllegalAnswerError, match="with 0 attempts in flight"):
        request.start(0.0)


def test_a_policy_cannot_back_off_with_an_attempt_in_flight() -> None:
    """`Wait` says that nothing is."""
    request = Request(Scripted(Send(hedge_after_s=0.0), Wait(1.0)), Call(Random(0)))
    request.start(0.0)
    request.sent()
    with pytest.raises(IllegalAnswerError, match="with 1 attempts in flight"):
        request.resumed(0.0)


def test_an_abandoned_request_tells_its_policy_once() -> None:
    """Budgets and permits come back; one that is done has nothing to give."""
    policy = Scripted(Send())
    request = Request(policy, Call(Random(0)))
    request.start(0.0)
    request.abandoned(0.0)
    request.abandoned(0.0)
    assert (policy.abandonments, request.state) == (1, State.DONE)
