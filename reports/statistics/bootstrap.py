"""Between what the median lies, with 95% confidence.

A percentile bootstrap: the samples are drawn anew `RESAMPLES` times, late or not as they are (B.
Efron, "Censored data and the bootstrap", 1981), and each time the median is read off the curve of
Kaplan and Meier. The low end is the 2.5% quantile of the lower median, where S first is at most ½;
the high end the 97.5% quantile of the upper one, where S is first below ½.

By itself that is too narrow where n is odd (of 7 samples it holds 87.5%, not 95%) or where samples
were watched for unequal times. So each end is moved out to that of the beta product, where that is
wider. With none late those are the ends of the sign test, ``x(l) … x(n + 1 - l)``.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reports.statistics.beta_product import least_left, most_left
from reports.statistics.survival import ROUNDING, Flags, Floats, arrays, left
from reports.statistics.value import Value

RESAMPLES = 2_000
SEED = 7
FEWEST = 6
"""Not even all of five samples hold the median between them with a chance of 95%."""
TAIL = 0.025
RANK = round(TAIL * RESAMPLES)
_BLOCK = 2_000_000

Places = NDArray[np.int64]


def median_interval(samples: Sequence[Value]) -> tuple[Value, Value] | None:
    """Between what the median lies with 95% confidence; None for fewer than 6 samples.

    An end is late where nothing came about from there on.
    """
    amounts, late = arrays(samples)
    if amounts.size < FEWEST:
        return None
    lower, upper = resampled_medians(late.tobytes(), SEED)
    low, high = np.sort(lower)[RANK - 1], np.sort(upper)[-RANK]
    low = min(low, first(least_left(late) > TAIL))
    high = max(high, first(most_left(late) >= 1 - TAIL))
    return _value(amounts, late, int(low)), _value(amounts, late, int(high))


def _value(amounts: Floats, late: Flags, place: int) -> Value:
    return Value(float(amounts[min(place, amounts.size - 1)]), bool(late[place:].all()))


@lru_cache(maxsize=512)
def resampled_medians(pattern: bytes, seed: int) -> tuple[Places, Places]:
    """The places of the lower and of the upper median in every resample.

    They are among the ordered samples, or one beyond the last where the curve does not get there.
    All that they hang on is which samples are late: the bytes of these flags.
    """
    late = np.frombuffer(pattern, dtype=np.bool_)
    n, draw = late.size, np.random.default_rng(seed)
    lower, upper = [], []
    rows = max(1, _BLOCK // n)
    for begin in range(0, RESAMPLES, rows):
        times = draw.multinomial(n, np.full(n, 1 / n), min(rows, RESAMPLES - begin))
        share = left(times, late)
        lower.append(first(share <= 0.5 + ROUNDING))
        upper.append(first(share < 0.5 - ROUNDING))
    return np.concatenate(lower), np.concatenate(upper)


def first(there: Flags) -> Places:
    """Where it is first true along the last axis; one beyond its end where it never is."""
    places = np.where(there.any(axis=-1), there.argmax(axis=-1), there.shape[-1])
    return np.asarray(places, dtype=np.int64)
