"""How sure a share is of which so many samples were seen."""

CONFIDENCE = 0.95


def share_interval(count: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Between what the share lies of which `count` of `n` were seen.

    Clopper and Pearson's, which is exact: its chance to be wrong is never above 1 - confidence.
    """
    # Here and not above: it takes most of a second to import.
    from scipy.stats import binomtest  # noqa: PLC0415

    found = binomtest(count, n).proportion_ci(confidence, method="exact")
    return float(found.low), float(found.high)
