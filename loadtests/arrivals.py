"""When new requests arrive. Pure: offsets in seconds from the beginning of the load."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

GOLDEN_RATIO_FRACTION = (math.sqrt(5) - 1) / 2


class Arrivals(StrEnum):
    """How new requests are spread over time."""

    CONSTANT = "constant"
    POISSON = "poisson"


@dataclass(frozen=True, slots=True)
class Surge:
    """The rate is multiplied by `factor` during ``[begin_s, end_s)``; 0 stops arrivals."""

    factor: float
    begin_s: float
    end_s: float

    def __post_init__(self) -> None:
        """Raise `ValueError` for a factor that is no finite number from 0, or an interval."""
        if not (math.isfinite(self.factor) and self.factor >= 0):
            raise ValueError(f"factor is {self.factor}: expected a finite number from 0")
        if not (math.isfinite(self.begin_s) and self.begin_s <= self.end_s < math.inf):
            raise ValueError(f"a surge from {self.begin_s} s to {self.end_s} s is no interval")


def due_times(
    arrivals: Arrivals,
    rate_per_s: float,
    rng: Random,
    *,
    phase: float = 0.0,
    surges: Iterable[Surge] = (),
) -> Iterator[float]:
    """The offsets, in seconds, at which requests are due, without end.

    `constant`: ``(k + phase) / rate``, exact for any k. `poisson`: exponential gaps with mean
    ``1 / rate``. Under surges, which multiply where they overlap, the same process runs on a
    clock that they speed up: what was due when the rate had added up to x is due at Λ⁻¹(x), with
    ``Λ(t) = ∫₀ᵗ rate · factors``. So constant arrivals stay even between the ends of surges, and
    Poisson arrivals are Poisson with the rate in force, by the same random numbers.

    Raises `ValueError` for a rate that is not a finite number above 0.
    """
    pieces = _pieces(rate_per_s, tuple(surges))
    expected = _constant(phase) if arrivals is Arrivals.CONSTANT else _poisson(rng)
    return _when_added_up(expected, pieces)


def expected_by(
    times_s: Sequence[float], rate_per_s: float, surges: Iterable[Surge] = ()
) -> list[float]:
    """Λ at each of these times, which do not fall: how many requests are expected before it.

    Of constant arrivals ``⌈Λ(t) − phase⌉`` are due before t. Raises `ValueError` as `due_times`.
    """
    rest = iter(_pieces(rate_per_s, tuple(surges)))
    piece, following = next(rest), next(rest, None)
    found = []
    for time_s in times_s:
        while following is not None and time_s >= following.begin_s:
            piece, following = following, next(rest, None)
        expected = piece.before + (time_s - piece.begin_s) * piece.rate_per_s
        # At a gap without arrivals the next piece has not begun, and this one is over.
        most = math.inf if following is None else following.before
        found.append(min(max(expected, piece.before), most))
    return found


def _constant(phase: float) -> Iterator[float]:
    return (index + phase for index in itertools.count())


def _poisson(rng: Random) -> Iterator[float]:
    """The process of rate 1."""
    added_up = 0.0
    while True:
        added_up += rng.expovariate(1.0)
        yield added_up


@dataclass(frozen=True, slots=True)
class _Piece:
    """From `begin_s` on the rate is `rate_per_s`; it has added up to `before` by then."""

    begin_s: float
    before: float
    rate_per_s: float


def _pieces(rate_per_s: float, surges: tuple[Surge, ...]) -> list[_Piece]:
    """The pieces of Λ in order, the last without end. Pieces in which nothing arrives are left out.

    A surge that began before the load does is in force from 0.
    """
    if not (math.isfinite(rate_per_s) and rate_per_s > 0):
        raise ValueError(f"rate is {rate_per_s}: expected a finite number above 0, per second")
    edges = {0.0}
    for surge in surges:
        edges |= {edge for edge in (surge.begin_s, surge.end_s) if edge > 0}
    begins = sorted(edges)
    pieces: list[_Piece] = []
    before = 0.0
    for begin_s, end_s in zip(begins, [*begins[1:], math.inf], strict=True):
        factors = [surge.factor for surge in surges if surge.begin_s <= begin_s < surge.end_s]
        rate = rate_per_s * math.prod(factors)
        if rate > 0:
            pieces.append(_Piece(begin_s, before, rate))
            before += rate * (end_s - begin_s)
    return pieces


def _when_added_up(expected: Iterator[float], pieces: list[_Piece]) -> Iterator[float]:
    """Λ⁻¹ of numbers that do not fall. At a gap without arrivals: when it is over."""
    rest = iter(pieces)
    piece, following = next(rest), next(rest, None)
    for added_up in expected:
        while following is not None and added_up >= following.before:
            piece, following = following, next(rest, None)
        yield piece.begin_s + (added_up - piece.before) / piece.rate_per_s


def phase_of(index: int) -> float:
    """The phase of user number `index` from 0: multiples of the golden ratio, modulo 1.

    However many users have been spawned, their arrivals then lie almost evenly between each
    other; users that all began at the same instant would arrive in lockstep.
    """
    return (index * GOLDEN_RATIO_FRACTION) % 1.0
