"""The rate limiter of AWS clients' adaptive mode: CUBIC over a token bucket, on once throttled."""

import math
from dataclasses import dataclass, field
from random import Random

from loadtests.policies.conditions.aws import BY_CODE, Throttling
from loadtests.policies.guards.rule import ADMITTED, Admission, Delayed
from loadtests.policies.outcome import Outcome

_BETA = 0.7
_SCALE = 0.4
_SMOOTHING = 0.8
_BINS_PER_S = 2.0
_LEAST_RATE = 0.5
_MOST_GROWTH = 2.0
_LEAST_DELAY_S = 1e-4
"""A shorter one may be lost in the clock's rounding, and be asked for again for ever."""
_LONGEST_S = 1e9
"""A gap of thirty years cubed is still a float."""


@dataclass(slots=True)
class AwsAdaptive:
    """Holds attempts to a rate once an answer has said throttled; before that it only measures.

    The rate of attempts that end is measured in bins of 0.5 s: ``m ← 0.8·rate + 0.2·m``. After
    throttling ``w = min(m, fill)``, ``k = (0.3·w/0.4)^⅓`` and the rate is ``0.7·w``. After any
    other end, t later, it is ``0.4·(t − k)³ + w``. Then ``fill = max(0.5, min(rate, 2·m))`` tokens
    a second come, up to ``max(1, min(rate, 2·m))``. An attempt takes one, and waits for it.
    """

    throttling: Throttling = BY_CODE
    enabled: bool = field(default=False, init=False)
    fill_rate: float = field(default=1.0, init=False)
    measured_rate: float = field(default=0.0, init=False)
    tokens: float = field(default=0.0, init=False)
    _most_tokens: float = field(default=1.0, init=False)
    _filled_s: float | None = field(default=None, init=False)
    _bin_s: float = field(default=0.0, init=False)
    _ended: int = field(default=0, init=False)
    _w: float = field(default=0.0, init=False)
    _k: float = field(default=0.0, init=False)
    _throttled_s: float = field(default=0.0, init=False)

    def admit(self, now_s: float, rng: Random) -> Admission:
        """A token, or how long one takes to come."""
        self._refill(now_s)
        if not self.enabled:
            return ADMITTED
        short = 1.0 - self.tokens
        if short > 1e-9:
            return Delayed(max(_LEAST_DELAY_S, short / self.fill_rate))
        self.tokens = max(0.0, self.tokens - 1.0)
        return ADMITTED

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """Measure, and set the rate."""
        self._refill(now_s)
        self._measure(now_s)
        if self.throttling.matches(outcome):
            rate = self.measured_rate
            self._w = min(rate, self.fill_rate) if self.enabled else rate
            self._k = (self._w * (1 - _BETA) / _SCALE) ** (1 / 3)
            self._throttled_s = now_s
            self.enabled = True
            wanted = self._w * _BETA
        else:
            since_s = max(-_LONGEST_S, min(_LONGEST_S, now_s - self._throttled_s))
            wanted = _SCALE * (since_s - self._k) ** 3 + self._w
        wanted = min(wanted, _MOST_GROWTH * self.measured_rate)
        self.fill_rate = max(_LEAST_RATE, wanted)
        self._most_tokens = max(1.0, wanted)
        self.tokens = min(self.tokens, self._most_tokens)

    def _refill(self, now_s: float) -> None:
        """Add what came since; the first call begins the clock, as making the client does."""
        if self._filled_s is None:
            self._bin_s = math.floor(now_s)
            self._throttled_s = now_s
        else:
            gap_s = max(0.0, now_s - self._filled_s)
            self.tokens = min(self._most_tokens, self.tokens + gap_s * self.fill_rate)
        self._filled_s = now_s

    def _measure(self, now_s: float) -> None:
        self._ended += 1
        bin_s = math.floor(now_s * _BINS_PER_S) / _BINS_PER_S
        if bin_s > self._bin_s:
            rate = self._ended / (bin_s - self._bin_s)
            self.measured_rate = rate * _SMOOTHING + self.measured_rate * (1 - _SMOOTHING)
            self._ended = 0
            self._bin_s = bin_s

    def released(self, now_s: float, permit: int) -> None:
        """The token is spent; nothing is measured."""

    def describe(self) -> str:
        """In words."""
        return (
            f"held to a rate once answered {self.throttling.describe()}: 0.7·w, then "
            "0.4·(t − (0.75·w)^⅓)³ + w attempts/s, at most twice what is measured; an attempt waits"
        )
