"""``GET /metrics``: what Prometheus scrapes of a target. `docs/metrics.md` lists it.

It is made in the event loop that also answers attempts, so it has to be quick with 64 lanes.
"""

from collections.abc import Sequence
from typing import Final

from target_service.families import Page, of_lane, of_lane_by
from target_service.lanes import Lane
from target_service.target import Target

ATTEMPTS: Final = ("0", "1", "2", "3", "4", "5", "6+")
"""Values of the label `attempt`: 0 is unknown numbers, and the last counts all that are higher."""

_LAST: Final = len(ATTEMPTS) - 1
_COUNTED: Final = {
    "offered": "Attempts that arrived.",
    "admitted": "Attempts that were let in.",
    "turned_away": "Attempts that were turned away.",
    "blocked": "Of the attempts turned away, those that an operator's action turned away.",
    "completed": "Admitted attempts whose response became complete.",
    "shed": "Of the completed attempts, those refused after they had waited.",
    "failed": "Of the completed attempts, those answered with an error that was no refusal.",
    "abandoned": "Admitted attempts whose client had gone before the response was complete.",
}
_MILLISECONDS: Final = 3
"""Digits of a time of the wall clock."""


class Exposition:
    """The metrics of a target, as of the last tick that is over.

    A reset of the target drops its lanes, and their counters with them.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._zero_epoch_s: float | None = None

    def text(self, now_s: float, epoch_s: float) -> bytes:
        """All of it, at `now_s` of the target's clock, which is `epoch_s` by the wall clock."""
        target = self._target
        target.advance(now_s)
        zero_epoch_s = self._zero(epoch_s - now_s)
        lanes = list(target.lanes.values())
        page = Page()
        _attempts(page, lanes)
        _lane_gauges(page, target, lanes)
        _dips(page, target, lanes, zero_epoch_s)
        _process(page, target, zero_epoch_s)
        return page.encoded()

    def _zero(self, zero_epoch_s: float) -> float:
        """The wall clock's time at 0 of the target's, the same from scrape to scrape.

        Both clocks are read one after the other, and one is slewed: a time that was told is not
        told again a hair off it, only where the wall clock was set.
        """
        known, near_s = self._zero_epoch_s, self._target.grid.tick_s / 2
        if known is None or abs(zero_epoch_s - known) > near_s:
            self._zero_epoch_s = zero_epoch_s
            return zero_epoch_s
        return known


def _folded(places: Sequence[int]) -> list[int]:
    """Counts by attempt number as counts by `ATTEMPTS`."""
    few = [*places[:_LAST], *[0] * (_LAST - len(places))]
    return [*few, sum(places[_LAST:])]


def _attempts(page: Page, lanes: Sequence[Lane]) -> None:
    for counted, told in _COUNTED.items():
        name = f"aftershock_{counted}_attempts_total"
        page.family(name, "counter", told)
        for lane in lanes:
            names = of_lane_by(name, lane.name, "attempt", ATTEMPTS)
            page.samples(names, _folded(getattr(lane.totals, counted)))


def _lane_gauges(page: Page, target: Target, lanes: Sequence[Lane]) -> None:
    seq, disorder = target.seq, target.disorder

    def gauge(name: str, told: str, values: list[float]) -> None:
        page.family(name, "gauge", told)
        page.samples([of_lane(name, lane.name) for lane in lanes], values)

    gauge(
        "aftershock_capacity_attempts_per_second",
        "Capacity in force in the running tick.",
        [lane.in_force_per_s for lane in lanes],
    )
    gauge(
        "aftershock_base_capacity_attempts_per_second",
        "Capacity without dips.",
        [lane.usual_per_s for lane in lanes],
    )
    gauge(
        "aftershock_queue_attempts",
        "Attempts that wait for a worker.",
        [lane.model.queue if lane.model else 0 for lane in lanes],
    )
    gauge(
        "aftershock_in_flight_attempts",
        "Attempts that were admitted and have not ended.",
        [lane.in_flight for lane in lanes],
    )
    for name, told, kind in (
        ("dips", "Dips in force in the running tick.", target.dips),
        ("faults", "Other faults in force in the running tick.", disorder.faults),
        ("actions", "An operator's actions in force in the running tick.", disorder.actions),
    ):
        in_force = kind.in_force(seq)
        active = [sum(thing.named(lane.name) for thing in in_force) for lane in lanes]
        gauge(f"aftershock_{name}_active", told, [*active])


def _dips(page: Page, target: Target, lanes: Sequence[Lane], zero_epoch_s: float) -> None:
    name = "aftershock_dips_total"
    page.family(name, "counter", "Dips that have begun.")
    page.samples([of_lane(name, lane.name) for lane in lanes], [lane.dips for lane in lanes])
    newest = [(lane.name, lane.newest_dip) for lane in lanes if lane.newest_dip is not None]
    for word, told in (
        ("start", "When the newest dip that has begun did."),
        ("end", "When the newest dip that has begun ended, or will end by itself."),
    ):
        name = f"aftershock_dip_{word}_timestamp_seconds"
        page.family(name, "gauge", told)
        for lane_name, dip in newest:
            seq = dip.start if word == "start" else dip.end
            epoch_s = zero_epoch_s + target.grid.start_s(seq)
            page.sample(of_lane(name, lane_name), round(epoch_s, _MILLISECONDS))


def _process(page: Page, target: Target, zero_epoch_s: float) -> None:
    last, over_s = target.meter.last, target.grid.start_s(target.seq)
    page.family("aftershock_ticks_total", "counter", "Ticks that are over.")
    page.sample("aftershock_ticks_total", target.seq)
    page.family("aftershock_tick_seconds", "gauge", "The length of a tick.")
    page.sample("aftershock_tick_seconds", target.grid.tick_s)
    name = "aftershock_last_tick_end_timestamp_seconds"
    page.family(name, "gauge", "When the last tick that is over ended: counters are as of then.")
    page.sample(name, round(zero_epoch_s + over_s, _MILLISECONDS))
    name = "aftershock_event_loop_lag_seconds"
    page.family(name, "gauge", "How late the event loop came to the end of a tick, the last one.")
    page.sample(name, last.lag_s if last else 0.0)
    name = "aftershock_cpu_seconds_total"
    page.family(name, "counter", "CPU time of the process since the first tick.")
    page.sample(name, target.cpu_s)
