"""When new requests arrive. Pure: offsets in seconds from the beginning of the load."""

import math
from collections.abc import Iterator
from enum import StrEnum
from random import Random

GOLDEN_RATIO_FRACTION = (math.sqrt(5) - 1) / 2


class Arrivals(StrEnum):
    """How new requests are spread over time."""

    CONSTANT = "constant"
    POISSON = "poisson"


def due_times(
    arrivals: Arrivals, rate_per_s: float, rng: Random, *, phase: float = 0.0
) -> Iterator[float]:
    """The offsets, in seconds, at which requests are due, without end.

    `constant`: ``(k + phase) / rate``, exact for any k. `poisson`: exponential gaps with mean
    ``1 / rate``. Raises `ValueError` for a rate that is not a finite number above 0.
    """
    if not (math.isfinite(rate_per_s) and rate_per_s > 0):
        raise ValueError(f"rate is {rate_per_s}: expected a finite number above 0, per second")
    if arrivals is Arrivals.CONSTANT:
        return _constant(rate_per_s, phase)
    return _poisson(rate_per_s, rng)


def _constant(rate_per_s: float, phase: float) -> Iterator[float]:
    index = 0
    while True:
        yield (index + phase) / rate_per_s
        index += 1


def _poisson(rate_per_s: float, rng: Random) -> Iterator[float]:
    offset_s = 0.0
    while True:
        offset_s += rng.expovariate(rate_per_s)
        yield offset_s


def phase_of(index: int) -> float:
    """The phase of user number `index` from 0: multiples of the golden ratio, modulo 1.

    However many users have been spawned, their arrivals then lie almost evenly between each
    other; users that all began at the same instant would arrive in lockstep.
    """
    return (index * GOLDEN_RATIO_FRACTION) % 1.0
