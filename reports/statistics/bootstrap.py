"""Between what the median lies, by drawing the samples anew many times."""

from collections.abc import Sequence

import numpy as np

from reports.statistics.survival import ROUNDING, Flags, Floats, arrays, left
from reports.statistics.value import Value

RESAMPLES = 2_000
SEED = 7
FEWEST = 6
TAIL = 0.025


def median_interval(samples: Sequence[Value]) -> tuple[Value, Value] | None:
    """Between what the median lies with 95% confidence; None for fewer than 6 samples."""
    amounts, late = arrays(samples)
    if amounts.size < FEWEST:
        return None
    even = np.full(amounts.size, 1 / amounts.size)
    times = np.random.default_rng(SEED).multinomial(amounts.size, even, RESAMPLES)
    share = left(times, late)
    rank = int(np.ceil(TAIL * RESAMPLES)) - 1
    lower = np.sort(_places(share <= 0.5 + ROUNDING))[rank]
    upper = np.sort(_places(share < 0.5 - ROUNDING))[RESAMPLES - 1 - rank]
    return _at(amounts, int(lower)), _at(amounts, int(upper))


def _places(there: Flags) -> "np.typing.NDArray[np.int64]":
    """Where each row is first true; beyond its end where it never is."""
    return np.where(there.any(axis=-1), there.argmax(axis=-1), there.shape[-1]).astype(np.int64)


def _at(amounts: Floats, place: int) -> Value:
    if place == amounts.size:
        return Value(float(amounts[-1]), late=True)
    return Value(float(amounts[place]))
