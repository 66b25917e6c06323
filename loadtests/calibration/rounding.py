"""Rates as one would type them. Pure."""

import math


def rounded_down(rate_per_s: float) -> float:
    """Down to three digits: 198.7 is 198. Raises `ValueError` for what is not above 0."""
    unit = 10.0 ** (math.floor(math.log10(rate_per_s)) - 2)
    return round(math.floor(rate_per_s / unit + 1e-9) * unit, 9)
