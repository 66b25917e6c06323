"""How many attempts a policy makes when nothing succeeds, and its waits: in virtual time."""

import heapq
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from loadtests.policies.actions import Action, Await, Send, Stop, Wait
from loadtests.policies.backoff import Backoff, BackoffState, next_wait_s
from loadtests.policies.call import Call
from loadtests.policies.outcome import AttemptError, Outcome
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.request import Request, State

RATE_PER_S = 100.0
ATTEMPT_S = 0.001
"""How long a failing attempt takes here."""
BUSY = Outcome(status=503, elapsed_s=ATTEMPT_S)
NO_CONNECTION = Outcome(status=None, elapsed_s=ATTEMPT_S, error=AttemptError.REFUSED)


@dataclass(frozen=True, slots=True)
class Outage:
    """What `requests` came to. `cut_short`: it had not ended when we stopped looking."""

    requests: int
    attempts: int
    cut_short: bool


def attempts_in_outage(
    clients: Sequence[RetryPolicy],
    outcome: Outcome,
    *,
    requests: int = 1000,
    look_for_s: float = 3600.0,
    most_attempts: int = 100_000,
) -> Outage:
    """The attempts that `requests` make, 100 a second, when each attempt ends as `outcome`.

    They are made by the clients in turn, each with its own policy. Attempts after `look_for_s`, or
    beyond `most_attempts`, are not made.
    """
    world = _World(outcome)
    rng = Random(0)
    for number in range(requests):
        request = Request(clients[number % len(clients)], Call(rng))
        world.at(number / RATE_PER_S, _Drive(world, request).start)
    while world.events and world.attempts < most_attempts:
        now_s, _, event = heapq.heappop(world.events)
        if now_s > look_for_s:
            return Outage(requests, world.attempts, cut_short=True)
        event(now_s)
    return Outage(requests, world.attempts, cut_short=bool(world.events))


class _World:
    """What is due, in order of time; a counter breaks ties."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.attempts = 0
        self.events: list[tuple[float, int, Callable[[float], None]]] = []
        self._ties = itertools.count()

    def at(self, when_s: float, event: Callable[[float], None]) -> None:
        heapq.heappush(self.events, (when_s, next(self._ties), event))


class _Drive:
    """One request in that world. A timer that was overtaken by another answer does nothing."""

    __slots__ = ("_answers", "_request", "_world")

    def __init__(self, world: _World, request: Request) -> None:
        self._world = world
        self._request = request
        self._answers = 0

    def start(self, now_s: float) -> None:
        self._perform(now_s, self._request.start(now_s))

    def _perform(self, now_s: float, action: Action) -> None:
        self._answers += 1
        match action:
            case Send(hedge_after_s=hedge_after_s):
                self._request.sent()
                self._world.attempts += 1
                self._world.at(now_s + self._world.outcome.elapsed_s, self._finish)
                if hedge_after_s is not None:
                    self._ask_again(now_s + hedge_after_s)
            case Wait(seconds):
                self._ask_again(now_s + seconds)
            case Await(seconds) if seconds is not None:
                self._ask_again(now_s + seconds)
            case Await() | Stop():
                pass

    def _ask_again(self, when_s: float) -> None:
        answer = self._answers

        def resume(now_s: float) -> None:
            if answer == self._answers:
                self._perform(now_s, self._request.resumed(now_s))

        self._world.at(when_s, resume)

    def _finish(self, now_s: float) -> None:
        if self._request.state is not State.DONE:
            self._perform(now_s, self._request.finished(now_s, self._world.outcome))


@dataclass(frozen=True, slots=True)
class Delays:
    """The waits before one retry: percentiles in seconds, by percent."""

    retry: int
    at: dict[int, float]


def delay_percentiles(
    backoff: Backoff,
    retries: int,
    *,
    percents: tuple[int, ...] = (1, 25, 50, 75, 99),
    draws: int = 2000,
) -> tuple[Delays, ...]:
    """The percentiles of the waits before retries 1 to `retries`, each from `draws` requests."""
    rng = Random(0)
    states = [BackoffState() for _ in range(draws)]
    found = []
    for retry in range(1, retries + 1):
        waits = sorted(next_wait_s(backoff, state, rng) for state in states)
        at = {percent: waits[round((draws - 1) * percent / 100)] for percent in percents}
        found.append(Delays(retry, at))
    return tuple(found)
