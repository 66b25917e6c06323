"""Hedges in virtual time: when they are sent, and what becomes of those that are not wanted."""

from tests.loadtests.simulation.events.scenes import (
    by_reason,
    offered_by_number,
    one_lane,
)

LATE = [{"type": "latency", "add": "400ms", "for": "2s"}]
SERVICE = {"capacity": "1000/s"}


def test_an_attempt_that_is_answered_in_time_is_not_hedged() -> None:
    """There is one attempt a request."""
    lane = one_lane(
        policy={"name": "polly-8-hedging", "delay": "500ms"}, target=SERVICE, faults=LATE
    )
    assert offered_by_number(lane) == [160]


def test_one_that_is_late_is_hedged_and_the_first_answer_ends_the_request() -> None:
    """The first attempts are answered after 400 ms, when the hedges have been out for 200 ms."""
    lane = one_lane(
        policy={"name": "polly-8-hedging", "delay": "200ms"}, target=SERVICE, faults=LATE
    )
    assert offered_by_number(lane) == [160, 40]
    assert by_reason(lane) == {"succeeded": 160}
    # Of the last ones some hedges go out when the fault is over, and are answered first.
    assert 36 <= lane.metered.abandoned[2].sum() <= 40
    assert lane.metered.abandoned.sum() == 40
    assert lane.metered.in_flight[-1] == 0


def test_hedges_are_sent_until_there_are_no_more() -> None:
    """Four in all, every 50 ms."""
    lane = one_lane(
        policy={"name": "grpc-a6-hedging", "hedging_delay": "50ms", "max_tokens": 0},
        target=SERVICE,
        faults=LATE,
        load={"rate": "20/s", "timeout": "1s"},
    )
    assert offered_by_number(lane) == [160, 40, 39, 38]  # the last ones' hedges are not late


def test_a_failure_sends_the_next_at_once() -> None:
    """Without the wait: it arrives when the refusal has been on its way for 1 ms."""
    lane = one_lane(
        policy={"name": "polly-8-hedging", "delay": "1h"},
        target=SERVICE,
        load={"rate": "1/s"},
        dips=[{"capacity": "0/s", "for": "1s"}],
    )
    assert offered_by_number(lane) == [6, 1] or offered_by_number(lane) == [7, 1]
    assert by_reason(lane)["out-of-attempts"] == 1
