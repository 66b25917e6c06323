"""Marked requests are remembered attempt by attempt, and never without bound."""

import pytest

from target_service.limits import MAX_TRACED_ATTEMPTS, MAX_TRACES
from target_service.traces import Trace, TracedAttempt, Traces
from tests.target_service.test_admin import Service


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


@pytest.fixture
def service() -> Service:
    """A target of 20/s: two attempts a tick."""
    return Service(capacity="20/s")


def work(service: Service, **headers: str) -> int:
    said = {name.replace("_", "-"): text for name, text in headers.items()}
    return service("POST", "/work", b"", headers=said).status


def test_the_gate_notes_marked_attempts_only(service: Service) -> None:
    """Turned away or not, with what every header said, at the clock's full resolution."""
    service.clock.now_s = 1.0123456
    work(service, x_aftershock_lane="a", x_envoy_attempt_count="1")
    marked = {"x_aftershock_lane": "a", "x_aftershock_trace": "t-1", "x_aftershock_attempt": "1"}
    assert work(service, **marked, x_envoy_attempt_count="2") == 200
    service.clock.now_s = 1.0123999
    assert work(service, **marked, grpc_previous_rpc_attempts="x") == 503
    seen = service("GET", "/admin/traces/t-1").json
    ours = {"x-aftershock-attempt": 1}
    assert seen == {
        "id": "t-1",
        "attempts": [
            {
                "t_s": 1.0123456,
                "attempt": 1,
                "lane": "a",
                "outcome": "admitted",
                "numbers": {**ours, "x-envoy-attempt-count": 2},
            },
            {
                "t_s": 1.0123999,
                "attempt": 1,
                "lane": "a",
                "outcome": "turned-away",
                "numbers": ours,
            },
        ],
        "left_off": 0,
    }


def test_an_unknown_trace_is_empty_and_a_bad_id_an_error(service: Service) -> None:
    """Whether something came can be asked before it has."""
    assert service("GET", "/admin/traces/t-1").json["attempts"] == []
    bad = service("GET", "/admin/traces/" + "t" * 65)
    assert (bad.status, bad.json["error"]) == (422, "bad-input")


def test_the_admin_reset_forgets_traces(service: Service) -> None:
    """With lanes and ticks."""
    work(service, x_aftershock_trace="t-1")
    assert len(service("GET", "/admin/traces/t-1").json["attempts"]) == 1
    service("POST", "/admin/reset")
    assert service("GET", "/admin/traces/t-1").json["attempts"] == []
