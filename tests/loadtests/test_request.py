"""The machine of one request: every pair of state and event, legal and not."""

from collections.abc import Callable
from random import Random

import pytest

from loadtests.policies import (
    IllegalEventError,
    Outcome,
    PolicySpec,
    Request,
    State,
    StopReason,
    Wait,
)

OVERLOADED = Outcome(status=503, elapsed_s=0.0)
SERVED = Outcome(status=200, elapsed_s=0.0)

EVENTS: dict[str, Callable[[Request], object]] = {
    "start": lambda request: request.start(0.0),
    "sent": lambda request: request.sent(),
    "finished": lambda request: request.finished(0.0, OVERLOADED),
    "resumed": lambda request: request.resumed(0.0),
}
LEGAL = {
    State.NEW: "start",
    State.READY: "sent",
    State.IN_FLIGHT: "finished",
    State.BACKING_OFF: "resumed",
    State.DONE: None,
}
PATH = {
    State.NEW: [],
    State.READY: ["start"],
    State.IN_FLIGHT: ["start", "sent"],
    State.BACKING_OFF: ["start", "sent", "finished"],
    State.DONE: ["start", "sent", "finished", "resumed", "sent", "finished"],
}


def in_state(state: State) -> Request:
    request = Request(PolicySpec("immediate", attempts=2).build(), Random(0))
    for event in PATH[state]:
        EVENTS[event](request)
    assert request.state is state
    return request


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("event", list(EVENTS))
def test_an_event_is_allowed_in_one_state_only(state: State, event: str) -> None:
    """Elsewhere it raises, naming both, and changes nothing."""
    request = in_state(state)
    if LEGAL[state] == event:
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


@pytest.mark.parametrize(("status", "error"), [(None, None), (503, "reset")])
def test_an_outcome_has_a_status_or_an_error(status: int | None, error: str | None) -> None:
    """Never both, never neither."""
    with pytest.raises(ValueError, match="either a status or an error"):
        Outcome(status=status, error=error, elapsed_s=0.0)
