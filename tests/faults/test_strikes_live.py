"""What faults and an operator's actions do to attempts at a real target, byte by byte."""

import http.client
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random

import pytest

from faults.action import OperatorAction
from faults.admin import AdminClient, LaneTick
from faults.fault import ServiceFault
from tests.real import eventually
from tests.target_service.disorder.test_faults import within
from tests.target_service.live import LIMIT_S, LiveTarget, live_target
from tests.target_service.raw import answer_of, attempt, seen_on

pytestmark = pytest.mark.live

SEED = 9
"""Draws 0.83 of a spread, among others: what adds the mean alone would be seen."""
MODELS = {
    "reject": ("--tick", "20ms", "--capacity", "100000/s"),
    "queue": ("--tick", "20ms", "--workers", "50", "--service-time", "1ms"),
    "as long as the app takes": ("--tick", "20ms", "--workers", "50"),
}


@pytest.fixture(scope="module", params=MODELS)
def target(request: pytest.FixtureRequest) -> Iterator[LiveTarget]:
    """A target of each model with room for everybody."""
    with live_target(*MODELS[request.param], "--seed", str(SEED)) as started:
        yield started


@pytest.fixture
def client(target: LiveTarget) -> Iterator[AdminClient]:
    """A client of a target that has been reset and has a lane."""
    made = AdminClient(target.url)
    made.reset()
    made.register_lanes(["a", "b"])
    yield made
    made.close()


@contextmanager
def striking(client: AdminClient, fault: ServiceFault) -> Iterator[None]:
    """While this fault is in force."""
    begun = client.begin_fault(fault)
    eventually(lambda: client.state().now_s >= begun.start_s, "the fault has begun")
    yield
    ended = client.end_fault(begun.id)
    eventually(lambda: client.state().now_s >= ended.end_s, "the fault is over")


@contextmanager
def acting(client: AdminClient, action: OperatorAction) -> Iterator[None]:
    """While this action is in force."""
    begun = client.begin_action(action)
    eventually(lambda: client.state().now_s >= begun.start_s, "the action has begun")
    yield
    ended = client.end_action(begun.id)
    eventually(lambda: client.state().now_s >= ended.end_s, "the action is over")


def total(counts: Sequence[Sequence[int]]) -> int:
    """All of these counts."""
    return sum(sum(count) for count in counts)


def lane_ticks(client: AdminClient, lane: str = "a") -> list[LaneTick]:
    """The finished ticks of a lane, up to the one that is running now."""
    seq = client.state().seq

    def look() -> list[LaneTick] | None:
        rows = client.ticks()
        done = bool(rows) and rows[-1].seq >= seq
        return [row.lanes[lane] for row in rows if lane in row.lanes] if done else None

    return eventually(look, f"tick {seq} is over")


def test_a_reset_is_a_reset(target: LiveTarget, client: AdminClient) -> None:
    """ECONNRESET, no byte of an answer; completed and failed at the target."""
    with striking(client, ServiceFault("reset", 60)):
        seen = answer_of(target.port)
        other = answer_of(target.port, "b")
    assert (seen.was_reset, seen.head, seen.body) == (True, b"", b"")
    assert other.was_reset
    ticks = lane_ticks(client)
    assert total([tick.completed for tick in ticks]) == 1
    assert total([tick.failed for tick in ticks]) == 1
    assert answer_of(target.port).status == 200


def test_a_cut_answer_promises_the_whole_and_gives_half(
    target: LiveTarget, client: AdminClient
) -> None:
    """Half of ``{"work":"done"}``, then the end, which is no reset."""
    with striking(client, ServiceFault("cut", 60, lanes=("a",))):
        seen = answer_of(target.port)
        whole = answer_of(target.port, "b")
    assert (seen.status, seen.was_reset) == (200, False)
    assert seen.header("content-length") == str(len(whole.body))
    assert seen.body == whole.body[: len(whole.body) // 2]
    assert total([tick.failed for tick in lane_ticks(client)]) == 1
    assert total([tick.failed for tick in lane_ticks(client, "b")]) == 0


def test_a_cut_answer_without_a_body_is_none(target: LiveTarget, client: AdminClient) -> None:
    """There is no half of it."""
    with striking(client, ServiceFault("cut", 60)):
        seen = seen_on(attempt(target.port, method="HEAD"))
    assert (seen.head, seen.was_reset) == (b"", False)


@pytest.mark.parametrize("size", [0, 1_000_000])
def test_a_hanging_attempt_is_held_until_its_client_goes(
    target: LiveTarget, client: AdminClient, size: int
) -> None:
    """No byte, in flight all the time, then abandoned; also in the middle of a long body."""
    with striking(client, ServiceFault("hang", 60, lanes=("a",))):
        connection = attempt(target.port, method="POST", body=b"x" * size)
        connection.settimeout(0.4)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        assert answer_of(target.port, "b").status == 200
        assert lane_ticks(client)[-1].in_flight == 1
        connection.close()
        eventually(
            lambda: total([tick.abandoned for tick in lane_ticks(client)]), "it is abandoned"
        )
    last = lane_ticks(client)[-1]
    assert last.in_flight == 0
    assert total([tick.completed for tick in lane_ticks(client)]) == 0


def test_a_hanging_attempt_goes_on_hanging_when_the_fault_is_over(
    target: LiveTarget, client: AdminClient
) -> None:
    """What it has struck stays struck."""
    with striking(client, ServiceFault("hang", 60)):
        connection = attempt(target.port)
        eventually(lambda: lane_ticks(client)[-1].in_flight, "it hangs")
    assert answer_of(target.port).status == 200
    connection.settimeout(0.2)
    with pytest.raises(TimeoutError):
        connection.recv(1)
    connection.close()


def test_latency_is_added_within_its_bounds(target: LiveTarget, client: AdminClient) -> None:
    """As drawn with the target's seed, to the millisecond of a timer; the machine may add to it."""
    drawn, took_s = Random(f"{SEED}/disorder/a"), []
    with striking(client, ServiceFault("latency", 60, add_s=0.15, spread_s=0.05)):
        for _ in range(5):
            began_s = time.monotonic()
            assert answer_of(target.port).status == 200
            took_s.append(time.monotonic() - began_s)
    for seconds in took_s:
        drawn.random()  # whether it is struck: a share of 100% always is
        assert seconds > drawn.uniform(0.1, 0.2) - 0.002
    ticks = lane_ticks(client)
    assert total([tick.completed for tick in ticks]) == 5
    assert total([tick.failed for tick in ticks]) == 0


def test_a_client_that_goes_during_added_latency_has_abandoned_its_attempt(
    target: LiveTarget, client: AdminClient
) -> None:
    """And is not waited for."""
    with striking(client, ServiceFault("latency", 60, add_s=300.0)):
        attempt(target.port).close()
        eventually(
            lambda: total([tick.abandoned for tick in lane_ticks(client)]), "it is abandoned"
        )
    assert lane_ticks(client)[-1].in_flight == 0


def test_a_body_sent_during_added_latency_reaches_the_app(
    target: LiveTarget, client: AdminClient
) -> None:
    """A long one, too."""
    with striking(client, ServiceFault("latency", 60, add_s=0.05)):
        seen = seen_on(attempt(target.port, method="POST", body=b"x" * 1_000_000))
    assert seen.status == 200


def test_a_share_of_answers_are_errors(target: LiveTarget, client: AdminClient) -> None:
    """With the status and Retry-After that were asked for; owned; counted as failed."""
    count = 400
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=LIMIT_S)
    fault = ServiceFault("error", 60, share=0.3, status=502, retry_after_s=7)
    statuses = []
    with striking(client, fault):
        for _ in range(count):
            connection.request("GET", "/work", headers={"X-Aftershock-Lane": "a"})
            answer = connection.getresponse()
            answer.read()
            statuses.append(answer.status)
            if answer.status == 502:
                assert answer.headers["Retry-After"] == "7"
                assert answer.headers["X-Aftershock-Error-Owned"] == "true"
    connection.close()
    errors = statuses.count(502)
    assert within(0.3, errors, count)
    assert statuses.count(200) == count - errors
    ticks = lane_ticks(client)
    assert total([tick.failed for tick in ticks]) == errors
    assert total([tick.completed for tick in ticks]) == count


def test_what_is_shed_at_the_edge_is_blocked_and_reaches_nothing(
    target: LiveTarget, client: AdminClient
) -> None:
    """Offered, turned away and blocked, never admitted; in its lanes alone."""
    with acting(client, OperatorAction("shed", 60, lanes=("a",), share=1.0)):
        seen = answer_of(target.port)
        assert answer_of(target.port, "b").status == 200
    assert seen.status == 503
    assert b'"blocked"' in seen.body
    (tick,) = [tick for tick in lane_ticks(client) if total([tick.offered])]
    assert tick.offered == tick.turned_away == tick.blocked == (0, 1)
    assert tick.admitted == ()


def test_blocked_retries_are_those_above_one(target: LiveTarget, client: AdminClient) -> None:
    """Also the first retry; never a first attempt."""
    with acting(client, OperatorAction("block-retries", 60)):
        statuses = [answer_of(target.port, number=number).status for number in (0, 1, 2, 3)]
    assert statuses == [200, 200, 503, 503]


def test_a_reopening_lets_more_and_more_through_and_ends_by_itself(
    target: LiveTarget, client: AdminClient
) -> None:
    """Its share falls step by step at a target that is well."""
    begun = client.begin_action(OperatorAction("reopen", 60, step=0.5, every_s=0.3))
    assert begun.share == 0.5
    eventually(lambda: client.actions()[0].all_open, "all is open")
    (action,) = client.actions()
    assert round(action.end_s - action.start_s, 6) == 0.3
    assert action.shares == {"a": 0.0, "b": 0.0}
    assert answer_of(target.port).status == 200


def test_counts_add_up_in_every_tick_whatever_strikes(
    target: LiveTarget, client: AdminClient
) -> None:
    """All faults and actions at once, clients that go in the middle, retries among them."""
    for fault in (
        ServiceFault("latency", 60, add_s=0.02, spread_s=0.02, share=0.5),
        ServiceFault("error", 60, share=0.1),
        ServiceFault("reset", 60, share=0.1),
        ServiceFault("cut", 60, share=0.1),
        ServiceFault("hang", 60, share=0.1),
    ):
        client.begin_fault(fault)
    client.begin_action(OperatorAction("shed", 60, share=0.1))
    client.begin_action(OperatorAction("reopen", 60, step=0.5, every_s=0.5, max_errors=1.0))
    begun = client.begin_action(OperatorAction("block-retries", 60))
    eventually(lambda: client.state().now_s >= begun.start_s, "all of them have begun")
    enough = threading.Event()

    def load(number: int) -> None:
        while not enough.is_set():
            connection = attempt(target.port, number=1 + number % 2)
            connection.settimeout(0.1)
            with suppress(TimeoutError):
                seen_on(connection)

    threads = [threading.Thread(target=load, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()

    def seen() -> bool:
        ticks = lane_ticks(client)
        names = ("admitted", "blocked", "failed", "abandoned")
        return all(total([getattr(tick, name) for tick in ticks]) > 20 for name in names)

    try:
        eventually(seen, "all of it has happened, and often")
    finally:
        enough.set()
        for thread in threads:
            thread.join(LIMIT_S)
    eventually(lambda: lane_ticks(client)[-1].in_flight == 0, "nothing is in flight")
    admitted = ended = 0
    ticks = lane_ticks(client)
    for tick in ticks:
        assert total([tick.offered]) == total([tick.turned_away, tick.admitted])
        assert total([tick.blocked]) <= total([tick.turned_away])
        assert total([tick.failed, tick.shed]) <= total([tick.completed])
        admitted += total([tick.admitted])
        ended += total([tick.completed, tick.abandoned])
        assert admitted == ended + tick.in_flight
    assert total([tick.admitted[2:] for tick in ticks]) == 0


def test_nothing_that_was_asked_for_is_a_complaint_in_the_log() -> None:
    """A cut or reset is no failure of the server's; pipelined attempts go down with the first."""
    with live_target() as target:
        client = AdminClient(target.url)
        for kind in ("reset", "cut"):
            with striking(client, ServiceFault(kind, 60)):
                two = b"GET /work HTTP/1.1\r\nHost: a\r\n\r\n" * 2
                with socket.create_connection(("127.0.0.1", target.port), LIMIT_S) as connection:
                    connection.sendall(two)
                    seen = seen_on(connection)
                assert seen.was_reset is (kind == "reset")
                assert seen.head.count(b"HTTP/1.1") <= 1
        client.close()
        target.process.terminate()
        assert target.process.stderr is not None
        said = target.process.stderr.read()
    assert "Error" not in said
    assert "ASGI" not in said
