"""Marked requests are remembered attempt by attempt, and never without bound."""

import pytest

from target_service.limits import MAX_TRACED_ATTEMPTS, MAX_TRACES
from target_service.traces import Trace, TracedAttempt, Traces


def arrived(t_s: float, attempt: int = 1) -> TracedAttempt:
    return TracedAttempt(t_s, attempt, "audit", "admitted")


def test_the_attempts_of_a_mark_are_kept_in_the_order_they_came() -> None:
    """At the very time they came, not the tick; other marks are kept apart."""
    traces = Traces()
    for t_s in (1.00001, 1.00002, 3.5):
        traces.note(b"a", arrived(t_s))
    traces.note(b"b", arrived(2.0))
    assert [attempt.t_s for attempt in traces.of("a").attempts] == [1.00001, 1.00002, 3.5]
    assert [attempt.t_s for attempt in traces.of("b").attempts] == [2.0]


def test_a_mark_that_never_came_has_no_attempts() -> None:
    """Asking for it does not make it exist."""
    traces = Traces(traces=1)
    traces.note(b"a", arrived(1.0))
    assert traces.of("b") == Trace("b", (), 0)
    assert len(traces.of("a").attempts) == 1


@pytest.mark.parametrize(
    "mark", [b"", b"a" * 65, b"a b", b"a\n", b"\xff", b"a/b", "ä".encode(), b"a,b"]
)
def test_what_is_no_id_is_not_kept(mark: bytes) -> None:
    """It comes from outside and would be kept."""
    traces = Traces(traces=1)
    traces.note(b"known", arrived(1.0))
    traces.note(mark, arrived(2.0))
    assert len(traces.of("known").attempts) == 1
    assert traces.of(mark.decode("latin-1")).attempts == ()


def test_the_oldest_trace_is_forgotten_first() -> None:
    """By its first attempt: one that goes on is not kept for ever."""
    traces = Traces()
    for number in range(MAX_TRACES):
        traces.note(b"%d" % number, arrived(number))
    traces.note(b"0", arrived(900.0))
    traces.note(b"new", arrived(1000.0))
    assert traces.of("0").attempts == ()
    assert len(traces.of("1").attempts) == 1
    assert len(traces.of("new").attempts) == 1


def test_a_trace_has_a_bound_of_its_own_and_says_what_is_beyond() -> None:
    """The first are kept: they say what began it."""
    traces = Traces()
    for number in range(MAX_TRACED_ATTEMPTS + 7):
        traces.note(b"a", arrived(number))
    trace = traces.of("a")
    assert [attempt.t_s for attempt in trace.attempts] == list(range(MAX_TRACED_ATTEMPTS))
    assert trace.left_off == 7


def test_a_reset_forgets_all() -> None:
    """As ticks and lanes are forgotten."""
    traces = Traces()
    traces.note(b"a", arrived(1.0))
    traces.clear()
    assert traces.of("a").attempts == ()
