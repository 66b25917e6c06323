"""Drives one request with hedges in virtual time."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from loadtests.policies import (
    Action,
    Await,
    Call,
    Outcome,
    Request,
    RetryPolicy,
    Send,
    Stop,
    StopReason,
    Wait,
)

_END, _ASK = 0, 1
"""An attempt that ends comes before a hedge that is due at the same time."""


@dataclass(frozen=True)
class Hedged:
    """When each attempt was sent, when the request was over, and why."""

    sent_s: list[float]
    ended_s: float
    reason: StopReason


def drive_hedged(
    policy: RetryPolicy, ends: Sequence[tuple[float, Outcome]], *, seed: int = 0
) -> Hedged:
    """One request, whose k-th attempt takes ``ends[k][0]`` seconds and ends as ``ends[k][1]``.

    A timer counts only until the policy answers anew, as in the real drivers.
    """
    return _Hedged(policy, ends, seed).run()


class _Hedged:
    def __init__(
        self, policy: RetryPolicy, ends: Sequence[tuple[float, Outcome]], seed: int
    ) -> None:
        self.request = Request(policy, Call(Random(seed)))
        self.ends = ends
        self.sent_s: list[float] = []
        self.events: list[tuple[float, int, int]] = []
        self.answers = 0

    def run(self) -> Hedged:
        now_s, action = 0.0, self.request.start(0.0)
        while not isinstance(action, Stop):
            self._perform(now_s, action)
            now_s, action = self._next()
        sent_s = [round(sent, 9) for sent in self.sent_s]  # 0.1 + 0.2 is 0.3 here
        return Hedged(sent_s, round(now_s, 9), action.reason)

    def _perform(self, now_s: float, action: Action) -> None:
        self.answers += 1
        match action:
            case Send(hedge_after_s=hedge_after_s):
                attempt = self.request.sent() - 1
                self.sent_s.append(now_s)
                heapq.heappush(self.events, (now_s + self.ends[attempt][0], _END, attempt))
                self._ask_again(now_s, hedge_after_s)
            case Wait(seconds):
                self._ask_again(now_s, seconds)
            case Await(perhaps_s):
                self._ask_again(now_s, perhaps_s)

    def _ask_again(self, now_s: float, seconds: float | None) -> None:
        if seconds is not None:
            heapq.heappush(self.events, (now_s + seconds, _ASK, self.answers))

    def _next(self) -> tuple[float, Action]:
        while True:
            now_s, kind, number = heapq.heappop(self.events)
            if kind == _END:
                return now_s, self.request.finished(now_s, self.ends[number][1])
            if number == self.answers:
                return now_s, self.request.resumed(now_s)
