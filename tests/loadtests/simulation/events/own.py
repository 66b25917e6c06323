"""Policies of one's own, as a scenario names them."""

from loadtests.policies import RetryPolicy
from loadtests.policies.backoff import Fixed
from loadtests.policies.conditions import Conditions
from loadtests.policies.hedging import Hedging
from loadtests.policies.limits import Spans
from loadtests.policies.retry import Retry

FAILURES = Conditions(statuses=frozenset({429, 500, 503, 504}))


def bounded() -> RetryPolicy:
    """Each attempt has 300 ms, but the last."""
    return Retry(3, Fixed(0.05), FAILURES, timeout_s=0.3, bounds_last=False)


def within() -> RetryPolicy:
    """All of it has 900 ms, hedges too."""
    return Hedging(4, 0.1, FAILURES, deadline=Spans(0.9))
