"""Answers: when they are whole, streamed, kept or cut."""

import json

import pytest

from loadtests.gateway.answers import WHOLE_BYTES
from loadtests.policies import (
    Send,
    Stop,
    StopReason,
    Wait,
)
from tests.loadtests.gateway.fakes import (
    SERVED,
    FakeUpstream,
    Reply,
    Scripted,
    answered,
    ask,
    closed,
    gateway,
    three_attempts,
)
from tests.loadtests.gateway.virtual import run


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
    """Each piece when it comes; the head, which servers keep until then, before all of them."""
    seen: list[bytes] = []
    reply = Reply(body=[b"a", b"b", b"c"], piece_s=1.0)
    app = gateway(FakeUpstream([reply]), three_attempts())
    got = run(lambda: ask(app, on_body=seen.append))
    assert (seen, got.complete) == ([b"", b"a", b"b", b"c", b""], True)


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
