"""A call is one request; what cannot be sent is neither a request nor an attempt."""

import re
import time
from collections.abc import Callable
from random import Random

import pytest
from gevent.socket import socket as Socket  # noqa: N812 - it is a class

from loadtests.bins import ClientBins, Lateness
from loadtests.client import Attempt, RetryingClient, RunClock, Scope
from loadtests.policies import preset
from loadtests.policy_states import policies_in_turn
from tests.loadtests.test_transport import OK, Served, say, serving

BUSY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n"


def failed(error: BaseException) -> None:
    """No test of these lets a policy fail."""
    raise AssertionError(error)


def a_client(
    served: Served, policy: str, seen: list[Attempt], *, deadlines: bool = False
) -> tuple[RetryingClient, ClientBins]:
    bins = ClientBins(0.1)
    scope = Scope(
        lane="a",
        label=policy,
        jitter=Random(0),
        clock=RunClock(0.0),
        bins=bins,
        lateness=Lateness("local"),
        on_failure=failed,
    )
    url = f"http://127.0.0.1:{served.server.server_port}"
    policies = policies_in_turn(preset(policy, base_s=0.001), 1)
    return RetryingClient(url, 5.0, scope, policies, seen.append, deadlines=deadlines), bins


def busy_until(attempt: int) -> Callable[[Socket], bool]:
    left = [attempt - 1]

    def answer(connection: Socket) -> bool:
        left[0] -= 1
        connection.sendall(BUSY if left[0] >= 0 else OK)
        return True

    return answer


def test_a_request_is_retried_and_every_attempt_says_its_number_and_lane() -> None:
    """The last answer is returned; each attempt is told to who keeps statistics."""
    seen: list[Attempt] = []
    with serving(busy_until(3)) as (_, served):
        client, bins = a_client(served, "immediate", seen)
        answer = client.post("/work", json={"rain_mm": 12}, headers={"X-Team": "a"})
        client.close()
    assert answer.ok
    assert [attempt.response.status_code for attempt in seen] == [503, 503, 200]
    numbers = [message.split(b"X-Aftershock-Attempt: ")[1][:1] for message in served.messages]
    assert numbers == [b"1", b"2", b"3"]
    for message in served.messages:
        assert b"X-Aftershock-Lane: a\r\n" in message
        assert b"X-Team: a\r\n" in message
        assert message.endswith(b'{"rain_mm": 12}')
    [line] = bins.drain()
    assert (line.issued, line.attempts, line.succeeded) == (1, 3, 1)


def test_a_request_that_fails_returns_the_last_answer_and_its_reason_is_counted() -> None:
    """It does not raise: a storm is made of failures."""
    with serving(say(BUSY)) as (_, served):
        client, bins = a_client(served, "immediate", [])
        answer = client.get("/work")
        client.close()
    assert (answer.ok, answer.status_code, answer.headers["retry-after"]) == (False, 503, "2")
    [line] = bins.drain()
    assert (line.attempts, dict(line.failed)) == (4, {"out-of-attempts": 1})


@pytest.mark.parametrize(
    ("path", "headers"), [("/a b", {}), ("/work", {"X": "y\r\nZ: z"}), ("/\u65e5\u672c", {})]
)
def test_what_cannot_be_sent_is_not_counted(path: str, headers: dict[str, str]) -> None:
    """It is a mistake in a task, and raises there."""
    with serving(say(OK)) as (_, served):
        client, bins = a_client(served, "immediate", [])
        with pytest.raises(ValueError, match=r"line break|space|latin-1"):
            client.get(path, headers=headers)
    assert bins.drain() == []
    assert served.messages == []


def test_each_attempt_says_when_it_will_be_given_up() -> None:
    """Its own deadline, 5 s after it leaves, as an epoch in decimal seconds."""
    before_s = time.time()
    with serving(busy_until(3)) as (_, served):
        client, _bins = a_client(served, "immediate", [], deadlines=True)
        client.get("/work")
        client.close()
    after_s = time.time()
    said = [
        float(match) for m in served.messages for match in re.findall(rb"X-Deadline: (.+?)\r\n", m)
    ]
    assert len(said) == 3
    assert sorted(said) == said
    assert said[0] < said[-1]  # the waits between the attempts are part of none
    assert before_s + 5 - 0.001 <= said[0] <= said[-1] <= after_s + 5 + 0.001


def test_a_client_says_no_deadline_unless_it_is_told_to() -> None:
    """What a service does with one would change what is measured."""
    with serving(say(OK)) as (_, served):
        client, _bins = a_client(served, "immediate", [])
        client.get("/work")
        client.close()
    assert b"X-Deadline" not in served.messages[0]
