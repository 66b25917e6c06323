"""The figures of a simulated run that are compared from run to run, without what is drawn."""

from dataclasses import dataclass

from loadtests.simulation.metered import Simulated, record_of
from reports.lane import aftermath_of, totals_of, view_of
from reports.view import View


@dataclass(frozen=True, slots=True)
class Measured:
    """One lane of one run. Times are seconds after the end of its last disturbance.

    `first_fit_s` is None when no tick fitted, `settled_s` when the load did not stay under capacity
    within what was observed. `recovered`: it did, and requests were answered again. `failed_share`
    is that of the requests.
    """

    lane: str
    policy: str
    peak_per_s: float
    attempts: int
    requests: int
    failed: int
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
    def amplification(self) -> float | None:
        """Attempts ÷ requests."""
        return self.attempts / self.requests if self.requests else None


def measure(run: Simulated) -> tuple[Measured, ...]:
    """The figures of each lane, as the report has them."""
    record = record_of(run)
    target = run.header.scenario.get("target")
    done = not isinstance(target, dict) or target.get("abandoned", "finish") == "finish"
    return tuple(_of(view_of(record, lane), gone_work_done=done) for lane in record.lanes)


def _of(view: View, *, gone_work_done: bool) -> Measured:
    lane, totals = view.lane, totals_of(view)
    after = aftermath_of(view, gone_work_done=gone_work_done)
    return Measured(
        lane=lane.lane,
        policy=lane.policy,
        peak_per_s=totals.peak_per_s,
        attempts=totals.attempts,
        requests=totals.requests,
        failed=totals.failed,
        first_fit_s=after.first_fit_s if after else None,
        settled_s=after.settled_s if after else None,
        recovered=after.recovered if after else True,
        goodput_back_s=after.goodput_back_s if after else None,
        storm_attempts=after.storm_attempts if after else 0.0,
        relapses=len(after.relapses) if after else 0,
        observed_s=after.observed_s if after else 0.0,
    )
