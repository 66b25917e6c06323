"""What Prometheus scrapes of the process that owns the runs. `docs/metrics.md` lists it.

Where that process also sends the load, every millisecond here makes attempts late.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from loadtests.control_room.clients.tally import ClientTally, LaneTotals
from loadtests.control_room.clients.vitals import WorkerVitals
from loadtests.policies import StopReason
from reports.record import bucket_upper
from target_service.families import Page, of_lane, of_lane_by, series
from target_service.limits import MAX_LANES

REASONS: Final = tuple(reason.value for reason in StopReason if reason is not StopReason.SUCCEEDED)
"""Values of the label `reason`."""
LATENESS_BOUNDS_S: Final = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0
)  # fmt: skip
"""Upper bounds of the histogram's buckets; there is one more above them."""
MAX_WORKERS: Final = 200
GONE_S: Final = 10.0
"""A worker that has been silent for longer is not told of."""

_WORKER: Final = re.compile(r"local|worker-[0-9]{1,9}")
_TENTHS_OF_MS: Final = 1e4


def exposition(tally: ClientTally, users: int, now_epoch_s: float) -> bytes:
    """The metrics of the generator, with `users` running, at `now_epoch_s`.

    Counters are those of the process's life, so that no run sets them back.
    """
    page = Page()
    lanes = _lanes(tally)
    _requests(page, lanes, {lane.lane for lane in tally.lanes() if lane.opaque})
    _amplification(page, tally, lanes)
    _lateness(page, tally.lateness)
    _workers(page, tally.workers(now_epoch_s))
    _run(page, tally, users)
    return page.encoded()


def _lanes(tally: ClientTally) -> dict[str, LaneTotals]:
    """The counts of each lane; those of the newest run are there before anything is counted."""
    lanes = dict(tally.lifetime())
    for lane in tally.lanes():
        if len(lanes) < MAX_LANES:
            lanes.setdefault(lane.lane, LaneTotals())
    return lanes


def _requests(page: Page, lanes: Mapping[str, LaneTotals], opaque: set[str]) -> None:
    def counter(name: str, told: str, counts: Mapping[str, int]) -> None:
        page.family(name, "counter", told)
        page.samples([of_lane(name, lane) for lane in counts], counts.values())

    counter(
        "aftershock_requests_total",
        "Requests that became due.",
        {lane: totals.requests for lane, totals in lanes.items()},
    )
    counter(
        "aftershock_requests_succeeded_total",
        "Requests that succeeded.",
        {lane: totals.succeeded for lane, totals in lanes.items()},
    )
    name = "aftershock_requests_failed_total"
    page.family(name, "counter", "Requests that failed, by why no further attempt was made.")
    for lane, totals in lanes.items():
        counts = [totals.failed.get(reason, 0) for reason in REASONS]
        page.samples(of_lane_by(name, lane, "reason", REASONS), counts)
    counter(
        "aftershock_request_attempts_total",
        "Attempts that left the clients, those of lanes left out whose libraries do not tell.",
        {lane: totals.attempts for lane, totals in lanes.items() if lane not in opaque},
    )


def _amplification(page: Page, tally: ClientTally, lanes: Mapping[str, LaneTotals]) -> None:
    name = "aftershock_amplification_ratio"
    page.family(name, "gauge", "Attempts sent per request in the newest run.")
    for lane in tally.lanes():
        totals = tally.of(lane.lane)
        if totals.requests and lane.lane in lanes and not lane.opaque:
            page.sample(of_lane(name, lane.lane), totals.attempts / totals.requests)


def _lateness(page: Page, late: Mapping[int, int]) -> None:
    """As exact as the buckets of the record, to 2%: one that reaches above a bound is above it."""
    name = "aftershock_attempt_lateness_seconds"
    page.family(name, "histogram", "How long after they were due attempts left.")
    uppers = [(bucket_upper(bucket) / _TENTHS_OF_MS, count) for bucket, count in late.items()]
    for bound_s in LATENESS_BOUNDS_S:
        within = sum(count for upper_s, count in uppers if upper_s <= bound_s)
        page.sample(series(f"{name}_bucket", {"le": str(bound_s)}), within)
    page.sample(series(f"{name}_bucket", {"le": "+Inf"}), sum(late.values()))
    page.sample(f"{name}_sum", round(sum(upper_s * count for upper_s, count in uppers), 6))
    page.sample(f"{name}_count", sum(late.values()))


def _workers(page: Page, workers: Sequence[WorkerVitals]) -> None:
    """Their newest second. A worker's name comes from another process, so it is looked at."""
    heard = [worker for worker in workers if worker.age_s <= GONE_S]
    told = [worker for worker in heard if _WORKER.fullmatch(worker.worker)][:MAX_WORKERS]
    name = "aftershock_generator_cpu_ratio"
    page.family(name, "gauge", "Share of a core that a process sending load used in a second.")
    for worker in told:
        page.sample(series(name, {"worker": worker.worker}), worker.cpu)
    name = "aftershock_generator_lateness_p99_seconds"
    page.family(name, "gauge", "What 99% of the attempts of a second left within of their due.")
    for worker in told:
        if worker.late_p99_ms is not None:
            page.sample(series(name, {"worker": worker.worker}), worker.late_p99_ms / 1000)


def _run(page: Page, tally: ClientTally, users: int) -> None:
    run = tally.run
    page.family("aftershock_users", "gauge", "Users that run.")
    page.sample("aftershock_users", users)
    page.family("aftershock_run_active", "gauge", "1 while a run is recorded, else 0.")
    page.sample("aftershock_run_active", int(tally.going is not None))
    if run is not None:
        name = "aftershock_run_start_timestamp_seconds"
        page.family(name, "gauge", "When the load of the newest run began.")
        page.sample(name, round(run.anchor_epoch_s, 3))
