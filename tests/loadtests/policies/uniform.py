"""Are these draws uniform? The tests that compare a jitter with its formula."""

import math
from collections.abc import Iterable

LIMIT = 2.23
"""Kolmogorov–Smirnov, one sample: √n·D passes this by chance once in 10,000."""


def uniform_distance(draws: Iterable[float], low: float, high: float) -> float:
    """``√n · D`` of the draws against U(low, high); infinite if one lies outside."""
    ordered = sorted(draws)
    if ordered[0] < low or ordered[-1] > high:
        return float("inf")
    count = len(ordered)
    shares = ((draw - low) / (high - low) for draw in ordered)
    farthest = max(
        max((number + 1) / count - share, share - number / count)
        for number, share in enumerate(shares)
    )
    return farthest * math.sqrt(count)
