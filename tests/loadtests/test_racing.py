"""Hedges on the wire: several attempts of one request in flight, and the rest cancelled."""

from collections.abc import Callable
from itertools import count
from random import Random

import gevent
import pytest
from gevent.event import Event
from gevent.socket import socket as Socket  # noqa: N812 - it is a class

from loadtests.bins import ClientBins, Lateness
from loadtests.client import Attempt, RetryingClient, RunClock, Scope
from loadtests.policies import (
    Action,
    Await,
    Call,
    Course,
    Outcome,
    RetryPolicy,
    Send,
    Stop,
    StopReason,
)
from tests.loadtests.test_client import failed
from tests.loadtests.test_transport import OK, Served, say, serving


class Hedges:
    """A second attempt at once, a third when one fails; the first success ends it."""

    def begin(self, call: Call) -> Course:
        return HedgesCourse()

    def describe(self) -> str:
        return "hedges"


class HedgesCourse:
    def start(self, now_s: float) -> Action:
        return Send(hedge_after_s=0.0)

    def resumed(self, now_s: float) -> Action:
        return Send()

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        return Stop(StopReason.SUCCEEDED) if outcome.succeeded else Await()

    def abandoned(self, now_s: float) -> None:
        pass


def hedging_client(
    served: Served, policy: RetryPolicy, on_attempt: Callable[[Attempt], None]
) -> tuple[RetryingClient, ClientBins, Lateness]:
    bins, lateness = ClientBins(0.1), Lateness("local")
    scope = Scope("a", "hedges", Random(0), RunClock(0.0), bins, lateness, failed)
    url = f"http://127.0.0.1:{served.server.server_port}"
    return RetryingClient(url, 5.0, scope, iter([policy]), on_attempt), bins, lateness


def test_the_first_answer_wins_and_the_rest_is_cancelled() -> None:
    """The first attempt hangs for ever; its connection is closed when the second is answered."""
    numbers, gone = count(1), Event()

    def answer(connection: Socket) -> bool:
        if next(numbers) == 1:
            connection.recv(1)  # returns nothing when the other side has closed
            gone.set()
            return False
        connection.sendall(OK)
        return True

    with serving(answer) as (_, served):
        client, bins, _ = hedging_client(served, Hedges(), lambda attempt: None)
        with gevent.Timeout(5.0):
            assert client.get("/work").ok
            assert gone.wait(5.0)
        client.close()
    [line] = bins.drain()
    assert (line.issued, line.attempts, line.succeeded) == (1, 2, 1)
    sent = [message.split(b"X-Aftershock-Attempt: ")[1][:1] for message in served.messages]
    assert sorted(sent) == [b"1", b"2"]


class Three(Hedges):
    """Three attempts at once, none of which is answered, and then it is given up."""

    def begin(self, call: Call) -> Course:
        return ThreeCourse()


class ThreeCourse(HedgesCourse):
    def __init__(self) -> None:
        self.asked = 0

    def resumed(self, now_s: float) -> Action:
        self.asked += 1
        if self.asked == 3:
            return Stop(StopReason.GAVE_UP)
        return Send(hedge_after_s=0.05 if self.asked == 2 else 0.0)


def test_every_attempt_in_flight_is_cancelled() -> None:
    """Not only the first: the server sees three connections close."""
    gone: list[int] = []

    def answer(connection: Socket) -> bool:
        connection.recv(1)
        gone.append(1)
        return False

    with serving(answer) as (_, served):
        client, bins, lateness = hedging_client(served, Three(), lambda attempt: None)
        with gevent.Timeout(5.0):
            assert not client.get("/work").ok
            while len(gone) < 3:
                gevent.sleep(0.01)
        client.close()
    [line] = bins.drain()
    assert (line.attempts, dict(line.failed)) == (3, {"user-gave-up": 1})
    assert sum(lateness.drain(0.0, 0.0).late.values()) == 3


def test_what_goes_wrong_in_an_attempt_is_raised_to_the_task() -> None:
    """Nobody waits for ever for an attempt that has died."""

    def broken(attempt: Attempt) -> None:
        raise KeyError("statistics")

    with serving(say(OK)) as (_, served):
        client, _bins, _lateness = hedging_client(served, Hedges(), broken)
        with gevent.Timeout(5.0), pytest.raises(KeyError, match="statistics"):
            client.get("/work")
        client.close()


class Impatient:
    """One attempt, for which it has 50 ms."""

    def begin(self, call: Call) -> Course:
        return ImpatientCourse()

    def describe(self) -> str:
        return "impatient"


class ImpatientCourse(HedgesCourse):
    def start(self, now_s: float) -> Action:
        return Send(timeout_s=0.05)

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        return Stop(StopReason.NOT_RETRIED)


def test_a_policy_bounds_an_attempt() -> None:
    """By less than the transport's own five seconds."""

    def answer(connection: Socket) -> bool:
        connection.recv(1)
        return False

    with serving(answer) as (_, served):
        client, _bins, _lateness = hedging_client(served, Impatient(), lambda attempt: None)
        with gevent.Timeout(2.0):
            answer_ = client.get("/work")
        client.close()
    assert (answer_.ok, answer_.error) == (False, "timeout")
