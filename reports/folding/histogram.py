"""Quantiles of the record's histograms, whose buckets `reports.record` defines."""

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from reports.reading.series import Counts, Floats
from reports.record import LOG_GROWTH, bucket_upper, quantile


def merge(histograms: Iterable[Mapping[int, int]]) -> Counter[int]:
    """The sum of histograms."""
    total: Counter[int] = Counter()
    for histogram in histograms:
        total.update(histogram)
    return total


def upper_quantile(histogram: Mapping[int, int], share: float) -> float | None:
    """The largest value of the bucket that holds this quantile; `None` of nothing."""
    bucket = quantile(histogram, share)
    return None if bucket is None else bucket_upper(bucket)


def quantile_bucket(buckets: Counts, counts: Counts, share: float) -> int | None:
    """The smallest bucket with at least `share` of all values in or below it; `None` of nothing."""
    order = np.argsort(buckets, kind="stable")
    reached = np.cumsum(counts[order])
    if not reached.size or not reached[-1]:
        return None
    return int(buckets[order][np.searchsorted(reached, share * reached[-1])])


def quantile_by_bin(rows: Counts, bins: int, share: float) -> Counts:
    """`quantile_bucket` of each bin's rows (bin, bucket, count); -1 for a bin without any."""
    found = np.full(bins, -1, np.int64)
    if not rows.size:
        return found
    place, bucket, count = rows[np.lexsort((rows[:, 1], rows[:, 0]))].T
    total = np.bincount(place, count, bins).astype(np.int64)
    before = np.cumsum(total) - total
    reached = np.cumsum(count) - before[place]
    enough = (reached > 0) & (reached >= share * total[place])
    where, first = np.unique(place[enough], return_index=True)
    found[where] = bucket[enough][first]
    return found


def upper_quantile_by_bin(rows: Counts, bins: int, share: float) -> Floats:
    """`upper_quantile` of each bin's rows; not a number for a bin without any."""
    bucket = quantile_by_bin(rows, bins, share)
    return np.where(bucket < 0, np.nan, np.exp(bucket * LOG_GROWTH))
