"""A gateway in virtual time: what it sends, how often, and what it passes on."""

import json
import logging
from dataclasses import replace

import pytest

from loadtests.policies import Send, Stop, StopReason, preset
from target_service.upstream import UpstreamErrorKind
from tests.loadtests.gateway.fakes import (
    REFUSED,
    SERVED,
    FakeUpstream,
    Got,
    Reply,
    Scripted,
    answered,
    ask,
    closed,
    gateway,
)
from tests.loadtests.gateway.virtual import run

OWNED = b"x-aftershock-error-owned"


def numbers(upstream: FakeUpstream) -> list[bytes]:
    return [sent.headers[b"x-aftershock-attempt"] for sent in upstream.sent]


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
