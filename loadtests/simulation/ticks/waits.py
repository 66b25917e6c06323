"""How likely each wait is, in ticks: computed from the policy's own backoff, not written again.

A backoff is a function of one random number at most. Asked at given places of that number, it tells
its law: between them it is a straight line, and the wait evenly spread, or it is asked at so many
places that what lies between does not matter.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt

from loadtests.policies.backoff import BackoffState, next_wait_s
from loadtests.policies.outcome import Outcome
from loadtests.policies.retry import Retry
from loadtests.simulation.stage import TICK_S
from loadtests.simulation.whole_ticks import ANSWER_S, in_ticks

Chances = npt.NDArray[np.float64]

_PROBES = (*(place / 16 for place in range(16)), 1 - 2**-53)
_PLACES = 6720
"""2⁶ · 3 · 5 · 7: draws from among 2, 4, 8, … 64 or any number up to 10 come out exactly."""
_PLACES_IN_TIME = 840
"""2³ · 3 · 5 · 7: where a deadline is asked of each of them, for a request of every age."""
_STRAIGHT = 1e-9


class Quantile(Random):
    """Answers every draw with the number that it is set to, and counts the draws."""

    def __init__(self) -> None:
        """Set to the middle."""
        super().__init__(0)
        self.at = 0.5
        self.draws = 0

    def random(self) -> float:
        """What it is set to."""
        self.draws += 1
        return self.at


@dataclass(frozen=True)
class Law:
    """What follows a refusal: the chance that the deadline stops it, else of each wait.

    ``waits[d − 1]`` is the chance that the next attempt arrives d ticks later.
    """

    stops: float
    waits: Chances


class Laws:
    """The laws of a policy, by the attempt that was refused and the request's age in ticks."""

    def __init__(self, policy: Retry, refusal: Outcome, longest: int) -> None:
        """Waits of more than `longest` ticks are taken for that: the run is over by then."""
        self._policy = policy
        self._refusal = refusal
        self._longest = longest
        self._known: dict[tuple[int, int], Law] = {}
        self._wanted: dict[int, list[float]] = {}
        self.deadline = policy.deadline

    def after(self, attempt: int, age: int) -> Law:
        """The law for a request `age` ticks old whose attempt of this number was refused."""
        key = attempt, age if self.deadline is not None else 0
        if key not in self._known:
            self._known[key] = self._law(attempt, age)
        return self._known[key]

    def _law(self, attempt: int, age: int) -> Law:
        deadline = self.deadline
        if deadline is None:
            return Law(0.0, self._without_deadline(attempt))
        if attempt not in self._wanted:
            self._wanted[attempt] = self._places(attempt, _PLACES_IN_TIME)
        elapsed_s = round(age * TICK_S, 9) + ANSWER_S
        allowed = [deadline.wait_s(elapsed_s, wait_s) for wait_s in self._wanted[attempt]]
        waited = [wait_s for wait_s in allowed if wait_s is not None]
        return Law(1 - len(waited) / len(allowed), of_points(waited, self._longest))

    def _without_deadline(self, attempt: int) -> Chances:
        probed = waits_s(self._policy, self._refusal, attempt, _PROBES)
        if _is_straight(probed):
            return evenly_spread(in_ticks(probed[0]), in_ticks(probed[-1]), self._longest)
        return of_points(self._places(attempt, _PLACES), self._longest)

    def _places(self, attempt: int, places: int) -> list[float]:
        """The waits in the middles of so many parts of the draw; one where nothing is drawn."""
        probed = waits_s(self._policy, self._refusal, attempt, _PROBES)
        if min(probed) == max(probed):
            return probed[:1]
        middles = [(place + 0.5) / places for place in range(places)]
        return waits_s(self._policy, self._refusal, attempt, middles)


def waits_s(policy: Retry, refusal: Outcome, retry: int, quantiles: Sequence[float]) -> list[float]:
    """The wait before this retry, after nothing but refusals, at each place of its one draw."""
    rng = Quantile()
    before = BackoffState(after=refusal)
    if not policy.word.restarts_backoff(refusal):
        for _ in range(retry - 1):
            next_wait_s(policy.backoff, before, rng)
    found = []
    for rng.at in quantiles:
        state = copy(before)
        found.append(policy.word.wait_s(refusal, _Own(policy, state, rng), rng))
    return found


@dataclass(frozen=True, slots=True)
class _Own:
    """The backoff's own wait, for a word that asks for it."""

    policy: Retry
    state: BackoffState
    rng: Quantile

    def __call__(self) -> float:
        return next_wait_s(self.policy.backoff, self.state, self.rng)


def _is_straight(probed: Sequence[float]) -> bool:
    first, last = probed[0], probed[-1]
    close = _STRAIGHT * max(1.0, abs(last))
    return all(
        abs(first + (last - first) * place - wait_s) <= close
        for place, wait_s in zip(_PROBES, probed, strict=True)
    )


def evenly_spread(low: float, high: float, longest: int) -> Chances:
    """The chance of each number of ticks of a wait that is anything from `low` to `high` ticks.

    A wait of x ticks ends ``⌊u + x⌋`` ticks on, at least 1, u being where in its tick it began:
    anything from 0 to 1. So d ticks have the chance ``∫ max(0, 1 − |x − d|) dx / (high − low)``.
    """
    if high - low < _STRAIGHT:
        return of_points([low * TICK_S], longest)
    ticks = np.arange(min(int(high) + 1, longest) + 1, dtype=np.float64)
    chances = (_tent(high - ticks) - _tent(low - ticks)) / (high - low)
    return _from_one(chances, longest)


def _tent(x: Chances) -> Chances:
    """``∫ max(0, 1 − |s|) ds`` from below up to x."""
    cut: Chances = np.clip(x, -1.0, 1.0)
    return np.where(cut < 0, (1 + cut) ** 2 / 2, 1 - (1 - cut) ** 2 / 2)


def of_points(points_s: Sequence[float], longest: int) -> Chances:
    """The same of a wait that is each of these, in seconds, as often; none: of one tick."""
    if not points_s:
        return np.ones(1)
    ticks = np.minimum([in_ticks(wait_s) for wait_s in points_s], float(longest))
    whole = np.floor(ticks)
    part = ticks - whole
    places = whole.astype(np.int64)
    chances = np.bincount(places, 1 - part)
    later = np.bincount(places + 1, part)
    chances = np.pad(chances, (0, later.size - chances.size)) + later
    return _from_one(chances / len(points_s), longest)


def _from_one(chances: Chances, longest: int) -> Chances:
    """No wait is shorter than one tick, nor need one be longer than `longest`."""
    found = chances[1 : longest + 1].copy()
    found[0] += chances[0]
    found = np.trim_zeros(found, "b")
    found[-1] += 1 - found.sum()
    return found
