"""A gateway heeds the deadline of its caller."""

import json

import pytest

from tests.loadtests.gateway.fakes import (
    EPOCH_S,
    REFUSED,
    SERVED,
    FakeUpstream,
    Reply,
    answered,
)


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
