"""Hedges on the wire: several attempts of one request in flight, and the rest cancelled."""

from itertools import count
from random import Random

import gevent
from gevent.event import Event
from gevent.socket import socket as Socket  # noqa: N812 - it is a class

from loadtests.bins import ClientBins, Lateness
from loadtests.client import Attempt, RetryingClient, RunClock, Scope
from loadtests.policies import Action, Await, Call, Course, Outcome, Send, Stop, StopReason
from tests.loadtests.test_client import failed
from tests.loadtests.test_transport import OK, serving


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
        bins = ClientBins(0.1)
        scope = Scope("a", "hedges", Random(0), RunClock(0.0), bins, Lateness("local"), failed)
        seen: list[Attempt] = []
        url = f"http://127.0.0.1:{served.server.server_port}"
        client = RetryingClient(url, 5.0, scope, iter([Hedges()]), seen.append)
        with gevent.Timeout(5.0):
            assert client.get("/work").ok
            assert gone.wait(5.0)
        client.close()
    [line] = bins.drain()
    assert (line.issued, line.attempts, line.succeeded) == (1, 2, 1)
    sent = [message.split(b"X-Aftershock-Attempt: ")[1][:1] for message in served.messages]
    assert sorted(sent) == [b"1", b"2"]


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
        bins = ClientBins(0.1)
        scope = Scope("a", "impatient", Random(0), RunClock(0.0), bins, Lateness("local"), failed)
        url = f"http://127.0.0.1:{served.server.server_port}"
        client = RetryingClient(url, 5.0, scope, iter([Impatient()]), lambda attempt: None)
        with gevent.Timeout(2.0):
            answer_ = client.get("/work")
        client.close()
    assert (answer_.ok, answer_.error) == (False, "timeout")
