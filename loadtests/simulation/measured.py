"""The figures of a simulated run that are compared from run to run, without what is drawn."""

import math
from dataclasses import dataclass

from aftershock_units import parse_duration_s
from loadtests.simulation.metered import Clients, Simulated, record_of
from reports.folding.view import View
from reports.measuring.figures import aftermath_of, totals_of
from reports.measuring.lane import view_of


@dataclass(frozen=True, slots=True)
class Measured:
    """One lane of one run. Times are seconds after the end of its last disturbance.

    `first_fit_s` is None when no tick fitted, `settled_s` when the load did not stay under capacity
    within what was observed. `recovered`: it did, and requests were answered again. `failed` are
    requests that ended without success, as in a report; `unanswered` had no end when the run ended,
    though they had been due for longer than an attempt may take.
    """

    lane: str
    policy: str
    peak_per_s: float
    attempts: int
    requests: int
    failed: int
    unanswered: int
    first_fit_s: float | None
    settled_s: float | None
    recovered: bool
    goodput_back_s: float | None
    storm_attempts: float
    relapses: int
    observed_s: float

    @property
    def back_s(self) -> float | None:
        """When it settled, if it recovered: a load that fits is none while nobody is answered."""
        return self.settled_s if self.recovered else None

    @property
    def failed_share(self) -> float:
        """Of the requests, those that failed; 0 where there were none."""
        return self.failed / self.requests if self.requests else 0.0

    @property
    def unanswered_share(self) -> float:
        """Of the requests, those without an answer at the end; 0 where there were none."""
        return self.unanswered / self.requests if self.requests else 0.0

    @property
    def unserved_share(self) -> float:
        """Of the requests, those that failed or were unanswered: who retries for ever fails none.

        And serves none, perhaps.
        """
        return self.failed_share + self.unanswered_share

    @property
    def amplification(self) -> float | None:
        """Attempts ÷ requests."""
        return self.attempts / self.requests if self.requests else None


def measure(run: Simulated) -> tuple[Measured, ...]:
    """The figures of each lane, as the report has them."""
    record = record_of(run)
    late = _timeout_ticks(run)
    return tuple(
        _of(view_of(record, lane), unanswered(played.clients, late))
        for lane, played in zip(record.lanes, run.lanes, strict=True)
    )


def _timeout_ticks(run: Simulated) -> int:
    load = run.header.scenario.get("load")
    timeout = load.get("timeout") if isinstance(load, dict) else None
    timeout_s = parse_duration_s(timeout) if isinstance(timeout, str) else 0.0
    return math.ceil(timeout_s / run.header.tick_s - 1e-9)


def unanswered(clients: Clients, last: int) -> int:
    """Requests without an end, but for those that were due in the last so many ticks."""
    due = max(0, clients.issued.size - last)
    failed = sum(int(counts[:due].sum()) for counts in clients.failed.values())
    return int(clients.issued[:due].sum()) - int(clients.succeeded[:due].sum()) - failed


def _of(view: View, unanswered: int) -> Measured:
    lane, totals = view.lane, totals_of(view)
    after = aftermath_of(view)
    return Measured(
        lane=lane.lane,
        policy=lane.policy,
        peak_per_s=totals.peak_per_s,
        attempts=totals.attempts,
        requests=totals.requests,
        failed=totals.failed or 0,
        unanswered=unanswered,
        first_fit_s=after.first_fit_s if after else None,
        settled_s=after.settled_s if after else None,
        recovered=after.recovered if after else True,
        goodput_back_s=after.goodput_back_s if after else None,
        storm_attempts=after.storm_attempts if after else 0.0,
        relapses=len(after.relapses) if after else 0,
        observed_s=after.observed_s if after else 0.0,
    )
