"""Plays with a policy without mercy: any outcome at any time, in any order, by any clock.

A tape of bytes decides everything, so that Hypothesis can shorten what fails.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from hypothesis import settings
from hypothesis import strategies as st

from loadtests.policies import (
    Action,
    AttemptError,
    Await,
    Call,
    Outcome,
    Request,
    RetryPolicy,
    Send,
    Stop,
    Wait,
)
from loadtests.policies.request import State
from loadtests.policies.words import OWNED_HEADER

T = TypeVar("T")


def few(examples: int) -> settings:
    """So many examples, the same each time, and no clock."""
    return settings(max_examples=examples, derandomize=True, database=None, deadline=None)


def tapes(longest: int = 600) -> st.SearchStrategy[bytes]:
    """Tapes to play by."""
    return st.binary(min_size=longest // 2, max_size=longest)


class Tape:
    """Chooses by one byte after another; at its end it always chooses the first."""

    def __init__(self, of: bytes) -> None:
        self._bytes = of
        self._at = 0

    @property
    def ended(self) -> bool:
        """Nothing is left."""
        return self._at >= len(self._bytes)

    def choose(self, among: Sequence[T]) -> T:
        """One of at most 256."""
        byte = 0 if self.ended else self._bytes[self._at]
        self._at += 1
        return among[byte % len(among)]


HOSTILE_STEPS_S = (0.0, 0.001, 0.02, 0.3, 1.0, 7.0, 61.0, 3600.0, 1e9, -0.001, -5.0, -1e6)
STEADY_STEPS_S = (0.0, 0.0, 0.001, 0.02, 0.1, 0.3, 1.0, 3.0, 20.0)
"""Times between events."""

STATUSES = (200, 503, 503, 503, 200, 429, 500, 500, 502, 504, 408, 413, 400, 404, 201, 302, 599)
ERRORS = tuple(AttemptError)
HEADERS = (
    "retry-after",
    "retry-after-ms",
    "x-ms-retry-after-ms",
    "x-amz-retry-after",
    "x-amzn-errortype",
    "grpc-retry-pushback-ms",
    "grpc-status",
    "x-should-retry",
    "x-envoy-ratelimited",
    "x-ratelimit-reset",
    OWNED_HEADER.lower(),
)
VALUES = (
    *("", "0", "-0", "-1", "1", "5", "14", "119", "1.5", " 7 ", "+3", "2500", "true", "false"),
    *("99999999999", "-99999999999", "1e999", "nan", "inf", "-inf", "9" * 400, "9" * 5000),
    *("٣", "\x00", "é" * 100, "a" * 10_000, "Throttling", "x#SlowDown:y", "RequestTimeout"),
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "Wed, 21 Oct 2099 07:28:00",
    "Fri, 31 Dec 9999 23:59:59 GMT",
    "Mon, 01 Jan 0001 00:00:00 GMT",
    "Mon, 01 Jan 0000 00:00:00 GMT",
    "Thu, 99 Foo 2015 99:99:99 +9999",
    "Sun, 06 Nov 1994 08:49:37 +9999999999",
    "Sun, 06 Nov 1994 08:49:37 -2359",
)
METHODS = ("GET", "GET", "POST", "PUT", "PATCH", "BREW")


def outcome_by(tape: Tape, *, headers: bool = True) -> Outcome:
    """An answer, more often than not an error; one in four got none."""
    elapsed_s = tape.choose((0.01, 0.0, 1.0, 70.0))
    if tape.choose((False, False, False, True)):
        return Outcome(None, elapsed_s, tape.choose(ERRORS))
    said = {}
    while headers and tape.choose((False, True)) and not tape.ended:
        said[tape.choose(HEADERS)] = tape.choose(VALUES)
    epoch_s = tape.choose((0.0, 1.7e9))
    return Outcome(tape.choose(STATUSES), elapsed_s, None, said, received_epoch_s=epoch_s)


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to which request, and what the policy answered: nothing when abandoned."""

    now_s: float
    number: int
    what: str
    outcome: Outcome | None
    action: Action | None


@dataclass(slots=True)
class Live:
    """A request, what it was last told, and whether it may ask again: a timer runs."""

    number: int
    request: Request
    action: Action
    asks: bool


class World:
    """Several requests on one policy. `live` are those that are not over."""

    def __init__(
        self,
        policy: RetryPolicy,
        tape: bytes,
        *,
        seed: int = 0,
        steps_s: Sequence[float] = HOSTILE_STEPS_S,
        headers: bool = True,
        most_live: int = 8,
    ) -> None:
        self.policy = policy
        self.tape = Tape(tape)
        self.rng = Random(seed)
        self.steps_s = steps_s
        self.headers = headers
        self.most_live = most_live
        self.now_s = 0.0
        self.live: list[Live] = []
        self.requests: list[Request] = []
        self.events: list[Event] = []

    def play(self) -> "World":
        """To the end of the tape."""
        moves = (self._start, self._end, self._end, self._resume, self._resume, self._step)
        while not self.tape.ended:
            self.tape.choose((*moves, self._start, self._abandon))()
        return self

    def end_all(self, outcome: Outcome, *, most_rounds: int) -> bool:
        """Go on with all, each attempt ending so, by a clock that goes. Whether they ended."""
        for _ in range(most_rounds):
            if not self.live:
                return True
            waits = [live.action.seconds for live in self.live if isinstance(live.action, Wait)]
            self.now_s += max(waits, default=0.0) + 0.001
            for live in list(self.live):
                if live.request.state is State.IN_FLIGHT:
                    self._perform(live, "end", outcome)
                else:
                    self._perform(live, "resume", None)
        return not self.live

    def _start(self) -> None:
        if len(self.live) >= self.most_live:
            return self._end()
        method, has_key = self.tape.choose(METHODS), self.tape.choose((False, False, True))
        request = Request(self.policy, Call(self.rng, method, has_key))
        live = Live(len(self.requests), request, Wait(0), asks=False)
        self.requests.append(request)
        self.live.append(live)
        return self._perform(live, "start", None)

    def _end(self) -> None:
        if some := [live for live in self.live if live.request.in_flight]:
            live = self.tape.choose(some)
            self._perform(live, "end", outcome_by(self.tape, headers=self.headers))

    def _resume(self) -> None:
        if some := [live for live in self.live if live.asks]:
            self._perform(self.tape.choose(some), "resume", None)

    def _step(self) -> None:
        self.now_s += self.tape.choose(self.steps_s)

    def _abandon(self) -> None:
        if self.live:
            live = self.tape.choose(self.live)
            live.request.abandoned(self.now_s)
            self.live.remove(live)
            self.events.append(Event(self.now_s, live.number, "abandon", None, None))

    def _perform(self, live: Live, what: str, outcome: Outcome | None) -> None:
        request = live.request
        if what == "start":
            action = request.start(self.now_s)
        elif outcome is not None:
            action = request.finished(self.now_s, outcome)
        else:
            action = request.resumed(self.now_s)
        check_action(action)
        live.action, live.asks = action, asks_again(action)
        self.events.append(Event(self.now_s, live.number, what, outcome, action))
        if isinstance(action, Send):
            request.sent()
        elif isinstance(action, Stop):
            assert request.reason is action.reason
            self.live.remove(live)


def check_action(action: Action) -> None:
    """Times are finite and not negative; an attempt that may be made may take some time."""
    match action:
        case Send(timeout_s, hedge_after_s):
            assert timeout_s is None or 0 < timeout_s < float("inf")
            assert hedge_after_s is None or 0 <= hedge_after_s < float("inf")
        case Wait(seconds) | Await(float(seconds)):
            assert 0 <= seconds < float("inf")


def asks_again(action: Action) -> bool:
    """Whether the driver has a timer to ask again by."""
    match action:
        case Send(hedge_after_s=seconds) | Await(seconds):
            return seconds is not None
    return isinstance(action, Wait)
