"""How many samples would show a difference as large as the one that was seen."""

from itertools import count
from math import ceil
from statistics import NormalDist

from reports.statistics.permutation import least_p

POWER = 0.8


def samples_needed(superiority: float, level: float = 0.05, power: float = POWER) -> int | None:
    """How many samples on each side show this `superiority` with a chance of `power`.

    At the two-sided `level`, N samples on both sides together with a share of c on one (G. Noether,
    "Sample size determination for some common nonparametric tests", 1987):

        N = (z(1 - level/2) + z(power))² / (12 · c · (1 - c) · (superiority - ½)²)

    Here c = ½, and each side has N / 2. No fewer than can reach the level at all. None where the
    superiority is ½: no number of samples shows a difference that was not seen.
    """
    if superiority == 0.5:
        return None
    z = NormalDist().inv_cdf(1 - level / 2) + NormalDist().inv_cdf(power)
    able = next(size for size in count(1) if least_p(size, size) <= level)
    return max(able, ceil(z**2 / (3 * (superiority - 0.5) ** 2) / 2))
