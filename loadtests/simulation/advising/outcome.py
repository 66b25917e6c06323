"""One run of one candidate: what is measured of it, and who was never answered."""

import math
from dataclasses import dataclass

from aftershock_units import parse_duration_s
from loadtests.simulation.measured import Measured, measure
from loadtests.simulation.metered import Clients, Simulated


@dataclass(frozen=True, slots=True)
class Run:
    """The figures of one lane, and the requests that were still unanswered when it ended.

    A policy that retries for ever fails nobody, and perhaps answers nobody either. So whoever had
    waited at the end for longer than an attempt may take counts as failed, here and nowhere else.
    """

    measured: Measured
    unanswered: int

    @property
    def failed_share(self) -> float:
        """Of the requests, those that failed or were unanswered; 0 where there were none."""
        lost, requests = self.measured.failed + self.unanswered, self.measured.requests
        return lost / requests if requests else 0.0

    @property
    def settled_s(self) -> float:
        """Infinite where it did not recover."""
        found_s = self.measured.back_s
        return math.inf if found_s is None else found_s

    @property
    def goodput_back_s(self) -> float:
        """Infinite where it did not come back."""
        found_s = self.measured.goodput_back_s
        return math.inf if found_s is None else found_s


def run_of(run: Simulated) -> Run:
    """What a simulated run of one lane comes to."""
    load = run.header.scenario.get("load")
    timeout = load.get("timeout") if isinstance(load, dict) else None
    timeout_s = parse_duration_s(timeout) if isinstance(timeout, str) else 0.0
    late = math.ceil(timeout_s / run.header.tick_s - 1e-9)
    return Run(measure(run)[0], unanswered(run.lanes[0].clients, late))


def unanswered(clients: Clients, last: int) -> int:
    """Requests without an end, but for those that were due in the last so many ticks."""
    due = max(0, clients.issued.size - last)
    failed = sum(int(counts[:due].sum()) for counts in clients.failed.values())
    return int(clients.issued[:due].sum()) - int(clients.succeeded[:due].sum()) - failed
