"""A gateway in virtual time: what goes up, what comes back, and when it ends."""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import replace

import pytest

from loadtests.gateway.answers import WHOLE_BYTES
from loadtests.gateway.bodies import KEPT_AT_ONCE_BYTES, KEPT_BYTES, Store
from loadtests.policies import RetryPolicy, Send, Stop, StopReason, Wait, preset
from target_service.upstream import UpstreamErrorKind
from tests.loadtests.gateway.fakes import (
    EPOCH_S,
    REFUSED,
    SERVED,
    FakeUpstream,
    Got,
    Reply,
    ask,
    gateway,
)
from tests.loadtests.gateway.test_driving import Scripted
from tests.loadtests.gateway.virtual import run

OWNED = b"x-aftershock-error-owned"


def three_attempts() -> RetryPolicy:
    return preset("immediate", attempts=3, base="1s").build()


def answered(
    upstream: FakeUpstream,
    policy: RetryPolicy | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    leaves_at_s: float = float("inf"),
    method: str = "GET",
    **terms: bool,
) -> Got:
    """What a client gets for one request."""
    app = gateway(upstream, policy or three_attempts(), **terms)

    async def main() -> Got:
        got = await ask(app, headers=headers, leaves_at_s=leaves_at_s, method=method)
        await asyncio.sleep(0)  # for what was cancelled to end
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return got

    return run(main)


def numbers(upstream: FakeUpstream) -> list[bytes]:
    return [sent.headers[b"x-aftershock-attempt"] for sent in upstream.sent]


def closed(upstream: FakeUpstream) -> bool:
    return all(response.closed_at_s is not None for response in upstream.responses)


def test_a_refused_attempt_is_made_again() -> None:
    """By the policy's waits, with a number of its own, and all else as it was."""
    upstream = FakeUpstream([REFUSED, REFUSED, SERVED])
    got = answered(upstream, headers={"X-Aftershock-Lane": "orders", "X-Aftershock-Attempt": "2"})
    assert [sent.at_s for sent in upstream.sent] == [0.0, 1.0, 2.0]
    assert numbers(upstream) == [b"2", b"3", b"4"]
    assert {(sent.method, sent.target) for sent in upstream.sent} == {(b"GET", b"/work?a=1")}
    assert {sent.headers[b"x-aftershock-lane"] for sent in upstream.sent} == {b"orders"}
    assert (got.status, got.body, got.complete, got.failed) == (200, b"done", True, False)
    assert closed(upstream)


def test_the_last_answer_is_passed_on() -> None:
    """But for the mark of ownership, unless it is withheld that the error came from below."""
    got = answered(FakeUpstream([REFUSED]))
    assert (got.status, got.body, got.headers[b"via"]) == (503, b"full", b"1.1 aftershock")
    assert OWNED not in got.headers
    got = answered(FakeUpstream([REFUSED]), withhold_ownership=True)
    assert got.headers[OWNED] == b"true"


def test_only_the_immediate_caller_retries_what_is_owned() -> None:
    """The policy error-ownership sees the mark of who is below, and passes none on."""
    policy = preset("error-ownership", max_attempts=3)
    upstream = FakeUpstream([REFUSED])
    answered(upstream, policy.build())
    assert len(upstream.sent) == 3
    upstream = FakeUpstream([replace(REFUSED, headers=[])])
    answered(upstream, policy.build())
    assert len(upstream.sent) == 1


FORBIDS = ((b"x-should-retry", b"false"), (b"grpc-retry-pushback-ms", b"-1"))


@pytest.mark.parametrize("header", FORBIDS)
def test_do_not_retry_is_trusted_whatever_the_policy_says(header: tuple[bytes, bytes]) -> None:
    """And passed on, so that the caller knows it too. Ignored, it is only passed on."""
    reply = Reply(503, [header])
    upstream = FakeUpstream([reply])
    got = answered(upstream)
    assert (len(upstream.sent), got.at_s, got.status) == (1, 0.0, 503)
    assert got.headers[header[0]] == header[1]
    upstream = FakeUpstream([reply])
    got = answered(upstream, ignore_do_not_retry=True)
    assert len(upstream.sent) == 3
    assert got.headers[header[0]] == header[1]


@pytest.mark.parametrize("ignored", [False, True])
def test_a_policy_that_heeds_do_not_retry_does_not_see_it_where_it_is_ignored(
    ignored: bool,
) -> None:
    """OpenAI's client reads x-should-retry by itself."""
    upstream = FakeUpstream([Reply(503, [FORBIDS[0]])])
    answered(upstream, preset("openai-3").build(), ignore_do_not_retry=ignored)
    assert (len(upstream.sent) > 1) == ignored


def test_do_not_retry_of_one_attempt_leaves_the_others_in_flight() -> None:
    """A hedge that is in flight already may still succeed."""
    policy = preset("grpc-a6-hedging", max_tokens=0).build()
    upstream = FakeUpstream(
        [Reply(after_s=3.0), Reply(503, [FORBIDS[0]], after_s=0.1), Reply(after_s=0.1)]
    )
    got = answered(upstream, policy)
    assert ([sent.at_s for sent in upstream.sent], got.at_s, got.status) == ([0.0, 0.5], 3.0, 200)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (UpstreamErrorKind.REFUSED, 502),
        (UpstreamErrorKind.UNREACHABLE, 502),
        (UpstreamErrorKind.RESET, 502),
        (UpstreamErrorKind.CLOSED, 502),
        (UpstreamErrorKind.NOT_HTTP, 502),
        (UpstreamErrorKind.TIMEOUT, 504),
        (UpstreamErrorKind.CONNECT_TIMEOUT, 504),
    ],
)
def test_an_upstream_that_does_not_answer(kind: UpstreamErrorKind, status: int) -> None:
    """Each way of it is named, retried, and nobody's own error."""
    upstream = FakeUpstream([Reply(error=kind)])
    got = answered(upstream)
    assert len(upstream.sent) == 3
    assert (got.status, got.complete, got.failed) == (status, True, True)
    assert json.loads(got.body)["error"] == f"upstream-{kind}"
    assert OWNED not in got.headers


@pytest.mark.parametrize("status", [101, 600, 777, 999])
def test_a_status_that_there_is_not_is_no_answer(status: int) -> None:
    """It could not be passed on."""
    upstream = FakeUpstream([Reply(status), SERVED])
    assert (answered(upstream).status, len(upstream.sent)) == (200, 2)
    assert closed(upstream)


def test_an_attempt_has_its_time() -> None:
    """Five seconds each here, and the next follows after the wait."""
    upstream = FakeUpstream([Reply(after_s=60.0)])
    got = answered(upstream)
    assert [sent.at_s for sent in upstream.sent] == [0.0, 6.0, 12.0]
    assert (got.status, got.at_s) == (504, 17.0)


def test_an_attempt_has_the_time_that_the_policy_gives_it() -> None:
    """Where that is less."""
    policy = Scripted(Send(timeout_s=0.5), Send(timeout_s=60.0), Stop(StopReason.OUT_OF_ATTEMPTS))
    upstream = FakeUpstream([Reply(after_s=60.0)])
    answered(upstream, policy)
    assert [sent.timeout_s for sent in upstream.sent] == [0.5, 5.0]


# Deadlines


def test_no_attempt_begins_after_the_deadline() -> None:
    """The wait for one is not waited: who gives up soon gets the last answer now."""
    upstream = FakeUpstream([REFUSED])
    got = answered(upstream, headers={"X-Deadline": f"{EPOCH_S + 1.5:.3f}"})
    assert [sent.at_s for sent in upstream.sent] == [0.0, 1.0]
    assert {sent.headers[b"x-deadline"] for sent in upstream.sent} == {b"1796031450.500"}
    assert (got.status, got.at_s) == (503, 1.0)


@pytest.mark.parametrize(
    "said", [{"X-Deadline": f"{EPOCH_S + 1.5:.3f}"}, {"grpc-timeout": "1500m"}]
)
def test_the_deadline_cuts_an_attempt_short(said: dict[str, str]) -> None:
    """And that is the end of the request: 504."""
    upstream = FakeUpstream([REFUSED, Reply(after_s=60.0)])
    got = answered(upstream, headers=said)
    assert [sent.timeout_s for sent in upstream.sent] == [1.5, 0.5]
    assert (got.status, got.at_s) == (504, 1.5)
    assert json.loads(got.body)["error"] == "deadline-over"


def test_what_is_left_is_told_to_grpc() -> None:
    """Counted from the sending of each attempt."""
    upstream = FakeUpstream([REFUSED])
    answered(upstream, headers={"grpc-timeout": "1500m"})
    assert [sent.headers[b"grpc-timeout"] for sent in upstream.sent] == [b"1500000u", b"500000u"]


def test_a_deadline_that_is_over_already() -> None:
    """Nothing is sent."""
    upstream = FakeUpstream([SERVED])
    got = answered(upstream, headers={"X-Deadline": f"{EPOCH_S - 1:.3f}"})
    assert (upstream.sent, got.status) == ([], 504)


def test_an_answer_that_came_in_time_is_passed_on() -> None:
    """Also when the deadline comes while its body does, or just now."""
    got = answered(FakeUpstream([Reply(after_s=1.4995)]), headers={"grpc-timeout": "1500m"})
    assert (got.status, got.at_s) == (200, 1.4995)
    reply = Reply(body=[b"a", b"b", b"c"], piece_s=1.0)
    got = answered(FakeUpstream([reply]), headers={"grpc-timeout": "2500m"})
    assert (got.status, got.body, got.complete) == (200, b"abc", True)


# Answers


def test_a_small_answer_that_is_cut_short_is_a_failed_attempt() -> None:
    """It is taken whole before it is judged."""
    cut = Reply(headers=[(b"content-length", b"8")], body=[b"half"], cut=True)
    upstream = FakeUpstream([cut, SERVED])
    got = answered(upstream)
    assert (len(upstream.sent), got.status, got.body, got.complete) == (2, 200, b"done", True)
    assert closed(upstream)


@pytest.mark.parametrize("length", [[(b"content-length", b"%d" % (WHOLE_BYTES + 1))], []])
def test_a_large_answer_that_is_cut_short_is_cut_short_for_the_client(
    length: list[tuple[bytes, bytes]],
) -> None:
    """Its head has been passed on by then; it does not look complete."""
    cut = Reply(headers=length, body=[b"half"], cut=True)
    upstream = FakeUpstream([cut, SERVED])
    got = answered(upstream)
    assert (len(upstream.sent), got.status, got.body, got.complete) == (1, 200, b"half", False)
    assert closed(upstream)


def test_a_small_answer_has_the_time_of_its_attempt() -> None:
    """Up to its last byte, as clients count it."""
    slow = Reply(body=[b"a"] * 3, after_s=3.0, piece_s=1.0).with_length()
    upstream = FakeUpstream([slow])
    got = answered(upstream)
    assert ([sent.at_s for sent in upstream.sent], got.status) == ([0.0, 6.0, 12.0], 504)
    assert closed(upstream)


def test_a_piece_of_a_large_answer_has_the_time_of_an_attempt() -> None:
    """One after another; one that does not come cuts the answer."""
    slow = Reply(body=[b"a"] * 10, piece_s=4.0)
    got = answered(FakeUpstream([slow]))
    assert (got.body, got.complete, got.at_s) == (b"a" * 10, True, 44.0)
    stuck = Reply(body=[b"a"] * 10, piece_s=6.0)
    got = answered(FakeUpstream([stuck]))
    assert (got.status, got.complete, got.at_s) == (200, False, 5.0)


def test_an_answer_is_streamed() -> None:
    """Each piece when it comes."""
    seen: list[bytes] = []
    reply = Reply(body=[b"a", b"b", b"c"], piece_s=1.0)
    app = gateway(FakeUpstream([reply]), three_attempts())
    got = run(lambda: ask(app, on_body=seen.append))
    assert (seen, got.complete) == ([b"a", b"b", b"c", b""], True)


GIVES_UP = (Send(), Wait(10.0), Stop(StopReason.GAVE_UP))


def test_an_answer_that_turns_out_to_be_the_last_is_passed_on_after_all() -> None:
    """Its connection was not held up meanwhile."""
    upstream = FakeUpstream([Reply(503, body=[b"a", b"b"], piece_s=1.0)])
    got = answered(upstream, Scripted(*GIVES_UP))
    assert (got.status, got.body, got.at_s) == (503, b"ab", 10.0)
    assert [response.closed_at_s for response in upstream.responses] == [3.0]


def test_an_answer_that_was_not_the_last_is_not_read_any_more() -> None:
    """Once the next is there."""
    slow = Reply(503, body=[b"a"] * 3, piece_s=2.0)
    upstream = FakeUpstream([slow, SERVED])
    assert answered(upstream).at_s == 1.0
    assert [response.closed_at_s for response in upstream.responses] == [1.0, 1.0]


def test_a_large_one_that_turns_out_to_be_the_last_has_lost_its_body() -> None:
    """Its status is passed on; its connection was closed when too much had come."""
    upstream = FakeUpstream([Reply(503, body=[b"a" * WHOLE_BYTES] * 9, piece_s=1.0)])
    got = answered(upstream, Scripted(*GIVES_UP))
    assert (got.status, json.loads(got.body)["error"]) == (503, "answer-not-kept")
    assert [response.closed_at_s for response in upstream.responses] == [2.0]


def test_a_policy_that_lets_nothing_out() -> None:
    """As a breaker does that is open: the reason is told."""
    upstream = FakeUpstream([SERVED])
    got = answered(upstream, Scripted(Stop(StopReason.BREAKER)))
    assert (upstream.sent, got.status) == ([], 503)
    assert json.loads(got.body)["error"] == "breaker-open"


# Bodies of requests


def sent_with_body(upstream: FakeUpstream, body: list[bytes]) -> Got:
    app = gateway(upstream, three_attempts())
    return run(lambda: ask(app, body=body, method="PUT"))


def test_a_body_is_sent_again() -> None:
    """As far as it can be kept."""
    body = [b"a" * 1000, b"b" * (KEPT_BYTES - 1000)]
    upstream = FakeUpstream([REFUSED])
    got = sent_with_body(upstream, body)
    assert [sent.body == b"".join(body) for sent in upstream.sent] == [True] * 3
    assert got.status == 503


def test_a_body_that_is_too_large_to_keep_is_sent_once() -> None:
    """Its one attempt is not repeated."""
    body = [b"a" * 1000, b"b" * (KEPT_BYTES - 999), b"c"]
    upstream = FakeUpstream([REFUSED])
    got = sent_with_body(upstream, body)
    assert [sent.body == b"".join(body) for sent in upstream.sent] == [True]
    assert got.status == 503


def test_as_long_as_nothing_of_it_was_sent_there_can_be_another_attempt() -> None:
    """A connection that was refused took nothing."""
    body = [b"a" * KEPT_BYTES, b"b"]
    upstream = FakeUpstream([Reply(error=UpstreamErrorKind.REFUSED), SERVED])
    got = sent_with_body(upstream, body)
    assert [sent.body == b"".join(body) for sent in upstream.sent] == [False, True]
    assert got.status == 200


def test_each_piece_of_a_streamed_body_has_the_time_of_an_attempt() -> None:
    """And then its answer has: what the client takes long for is not held against upstream."""
    body = [b"a" * KEPT_BYTES, b"b", b"c", b"d"]
    for piece_s, after_s, expected in ((4.0, 4.0, 200), (6.0, 0.0, 504), (4.0, 6.0, 504)):
        upstream = FakeUpstream([Reply(after_s=after_s).with_length()])
        app = gateway(upstream, three_attempts())
        got = run(lambda app=app, s=piece_s: ask(app, body=body, method="PUT", piece_s=s))  # type: ignore[misc]
        assert (got.status, len(upstream.sent)) == (expected, 1)
    upstream = FakeUpstream([SERVED])
    app = gateway(upstream, three_attempts())
    late = {"grpc-timeout": "14S"}
    got = run(lambda: ask(app, body=body, method="PUT", piece_s=4.0, headers=late))
    assert (got.status, got.at_s) == (504, 14.0)


def test_an_answer_to_half_a_body_is_passed_on() -> None:
    """Nobody waits for the rest."""
    upstream = FakeUpstream([REFUSED], takes=1)
    got = sent_with_body(upstream, [b"a" * KEPT_BYTES, b"b", b"c", b"d"])
    assert (len(upstream.sent), got.status, got.complete) == (1, 503, True)


def test_all_bodies_together_are_bounded() -> None:
    """What does not fit any more is streamed."""
    store = Store(1000)
    assert store.take(600)
    assert not store.take(600)
    store.give_back(600)
    assert store.take(1000)
    assert KEPT_AT_ONCE_BYTES >= 32 * KEPT_BYTES


def test_what_was_kept_is_given_back() -> None:
    """After each request, however it ended."""
    upstream = FakeUpstream([REFUSED])
    app = gateway(upstream, three_attempts())
    body = [b"a" * KEPT_BYTES]

    async def many() -> None:
        for _ in range(KEPT_AT_ONCE_BYTES // KEPT_BYTES + 1):
            await ask(app, body=body, method="PUT")

    run(many)
    assert len(upstream.sent) == 3 * (KEPT_AT_ONCE_BYTES // KEPT_BYTES + 1)


# Clients that go away


def test_a_client_that_goes_away_ends_its_attempt() -> None:
    """The policy is told; nothing is answered, and nothing is sent any more."""
    policy = Scripted(Send())
    upstream = FakeUpstream([Reply(after_s=4.0)])
    got = answered(upstream, policy, leaves_at_s=1.0)
    assert (upstream.cancelled, got.status, got.at_s) == (1, 0, 1.0)
    assert policy.abandoned_at_s == [1.0]


def test_a_client_that_goes_away_during_a_wait() -> None:
    """The next attempt is not made."""
    upstream = FakeUpstream([REFUSED])
    got = answered(upstream, leaves_at_s=1.5)
    assert ([sent.at_s for sent in upstream.sent], got.status, got.at_s) == ([0.0, 1.0], 0, 1.5)


def test_a_client_that_goes_away_during_its_answer() -> None:
    """No more of it is read."""
    upstream = FakeUpstream([Reply(body=[b"a"] * 10, piece_s=1.0)])
    got = answered(upstream, leaves_at_s=2.5)
    assert (got.body, got.complete, got.at_s) == (b"aa", False, 2.5)
    assert [response.closed_at_s for response in upstream.responses] == [2.5]


def test_a_client_that_goes_away_before_its_body_is_there() -> None:
    """Nothing was sent yet."""
    upstream = FakeUpstream([SERVED])
    app = gateway(upstream, three_attempts())
    got = run(lambda: ask(app, body=[b"a", b"b"], method="PUT", leaves_at_s=0.0))
    assert (upstream.sent, got.status) == ([], 0)


def test_a_client_that_goes_away_while_its_body_is_streamed() -> None:
    """The attempt is ended: half a body is no request."""
    policy = Scripted(Send())
    upstream = FakeUpstream([SERVED])
    app = gateway(upstream, policy)
    pieces = [b"a" * KEPT_BYTES, b"b"]

    async def main() -> Got:
        got = Got()

        async def receive() -> dict[str, object]:
            if pieces:
                return {"type": "http.request", "body": pieces.pop(0), "more_body": True}
            await asyncio.sleep(1.0)
            return {"type": "http.disconnect"}

        async def send(message: object) -> None:
            got.complete = True

        scope = {
            "type": "http",
            "method": "PUT",
            "scheme": "http",
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "headers": [],
        }
        await app(scope, receive, send)
        return got

    assert not run(main).complete
    assert policy.abandoned_at_s == [1.0]


@pytest.mark.parametrize("leaves_at_s", [float("inf"), 1.0])
def test_a_server_that_stops_ends_its_requests(leaves_at_s: float) -> None:
    """By cancelling them, and that is not taken for a client that left, nor lost if one did."""
    policy = Scripted(Send())
    upstream = FakeUpstream([Reply(after_s=4.0)])
    app = gateway(upstream, policy)

    async def main() -> None:
        task = asyncio.create_task(ask(app, leaves_at_s=leaves_at_s))
        asyncio.get_running_loop().call_at(1.0, task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main)
    assert (upstream.cancelled, policy.abandoned_at_s) == (1, [1.0])


# Policies that raise


def test_a_policy_that_raises_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """The gateway goes on; the error is its own as long as nothing was sent."""
    upstream = FakeUpstream([REFUSED])
    app = gateway(upstream, Scripted(KeyError("own"), Send(), KeyError("own"), Send()))

    async def three() -> list[Got]:
        return [await ask(app) for _ in range(2)]

    with caplog.at_level(logging.ERROR, logger="aftershock.gateway"):
        first, second = run(three)
    assert (first.status, first.headers[OWNED], first.failed) == (500, b"true", True)
    assert (second.status, OWNED in second.headers) == (500, False)
    assert json.loads(first.body)["error"] == "policy-raised"
    assert [record.getMessage() for record in caplog.records] == [
        "the policy raised KeyError: 'own'; answering 500 (said once)"
    ]
    assert closed(upstream)
