"""How sure a count is: of shares, and of a median below a limit. Exact, without assumptions."""

from math import comb


def share_interval(count: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Between what the share lies of which `count` of `n` were seen.

    The quantiles ``Beta(count, n - count + 1)`` at (1 - confidence) / 2 and
    ``Beta(count + 1, n - count)`` at (1 + confidence) / 2: exact, wrong in at most 1 - confidence
    of all cases (C. Clopper and E. Pearson, "The use of confidence or fiducial limits illustrated
    in the case of the binomial", 1934).
    """
    _check(count, n)
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    tail = (1 - confidence) / 2
    low = float(betaincinv(count, n - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, n - count, 1 - tail)) if count < n else 1.0
    return low, high


def confidence_that_median_at_most(within: int, n: int) -> float:
    """How sure it is that the median is within a limit, when `within` of `n` samples are.

    The sign test, one-sided. Were the median above the limit, each sample would be within it with
    a chance below ½, and so many or more of them with one below ``P(Bin(n, ½) ≥ within)``. The
    confidence is what that leaves:

        P(Bin(n, ½) < within) = Σ C(n, k) / 2ⁿ    for k from 0 to within - 1

    All of 5 give 1 - 1/32 = 96.9%. A late sample is not within a limit, whatever it is.
    """
    _check(within, n)
    return float(sum(comb(n, k) for k in range(within)) / 2**n)


def runs_needed(confidence: float) -> int:
    """The fewest samples that can reach this confidence, if all are within: ``1 - 1/2ⁿ``."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence of {confidence}: expected more than 0 and less than 1")
    n = 1
    while 1 - 0.5**n < confidence:
        n += 1
    return n


def _check(count: int, n: int) -> None:
    if not (n >= 1 and 0 <= count <= n):
        raise ValueError(f"{count} of {n}: expected at least 1, and a count among them")
