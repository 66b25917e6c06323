"""What master and workers tell each other, beside what Locust has them say."""

from collections import Counter
from typing import Protocol, TypedDict

from reports.record import Health, Requests, values_of

COUNTS = "aftershock-counts"
"""A worker's message: what it counted since the last."""
FLUSH = "aftershock-flush"
"""The master's message: the test is over, send what is left."""
TRAVELLING = "aftershock_travelling"
"""A hidden option: it goes to the workers with Locust's own when a test starts."""


class Travelling(TypedDict):
    """What the workers must know of the run."""

    anchor_epoch_s: float
    tick_s: float
    workers: list[int]


class Counts(TypedDict):
    """The body of a `COUNTS` message: lines of the record as plain values."""

    final: bool
    requests: list[dict[str, object]]
    health: list[dict[str, object]]


class Message(Protocol):
    """What is used of Locust's messages."""

    data: Counts
    node_id: str


def counts_of(requests: list[Requests], health: list[Health], *, final: bool) -> Counts:
    """What a worker sends. `final`: nothing comes after it."""
    return {
        "final": final,
        "requests": [values_of(line) for line in requests],
        "health": [values_of(line) for line in health],
    }


def lines_of(counts: Counts) -> tuple[list[Requests], list[Health]]:
    """What a worker has sent, as lines of the record."""
    requests = [_requests(values) for values in counts["requests"]]
    return requests, [_health(values) for values in counts["health"]]


def _requests(values: dict[str, object]) -> Requests:
    """A line that has travelled: its counters have become plain maps."""
    line = Requests(**values)  # type: ignore[arg-type]  # made by `values_of` in our own worker
    line.failed, line.latency = Counter(line.failed), Counter(line.latency)
    return line


def _health(values: dict[str, object]) -> Health:
    line = Health(**values)  # type: ignore[arg-type]  # made by `values_of` in our own worker
    line.late = Counter(line.late)
    return line
