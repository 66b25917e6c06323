"""Names of columns, for the tables of the control room and of `aftershock export` alike.

A name ends with what is counted, or with the unit. Standard library only.
"""

from collections.abc import Iterable

TIME, LANE, TICK = "time_s", "lane", "tick"
CAPACITY = "capacity_attempts_per_s"
OFFERED = "offered_attempts"
OFFERED_FIRST = "offered_first_attempts"
OFFERED_UNKNOWN = "offered_unknown_number_attempts"
QUEUE, IN_FLIGHT = "queue_attempts", "in_flight_attempts"
SUMS = ("admitted", "turned_away", "blocked", "shed", "failed", "completed", "abandoned")
"""What became of attempts, by the name in the record."""
ISSUED, SUCCEEDED, FAILED = "issued_requests", "succeeded_requests", "failed_requests"
ATTEMPTS = "attempts"
QUANTILES = (("latency_p50_ms", 0.5), ("latency_p95_ms", 0.95), ("latency_p99_ms", 0.99))
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a text begins with that a spreadsheet takes for a formula."""


def offered_retry(number: int) -> str:
    """The column of the retries with this number, from 1."""
    return f"offered_retry_{number}_attempts"


def summed(names: Iterable[str] = SUMS) -> tuple[str, ...]:
    """The columns of `SUMS`."""
    return tuple(f"{name}_attempts" for name in names)


def unformulated(value: str) -> str:
    """The text, so that no spreadsheet takes it for a formula and runs it."""
    return f"'{value}" if value.startswith(FORMULA) else value
