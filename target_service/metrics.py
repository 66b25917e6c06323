"""``GET /metrics``: the totals of the finished ticks, for Prometheus."""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from target_service.lanes import Lane
from target_service.meter import without
from target_service.target import Target


class TargetCollector(Collector):
    """Reads a target when it is scraped. A reset of the target resets its counters."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def describe(self) -> Iterable[Metric]:
        """Nothing ahead of time: the names are those of `collect`."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Every metric, as of the last finished tick."""
        lanes = list(self._target.lanes.values())
        yield from _attempts(lanes)
        yield from self._capacity(lanes)
        yield from self._disorder()
        yield from _waiting(lanes)
        yield from self._process()

    def _capacity(self, lanes: list[Lane]) -> Iterator[Metric]:
        in_force = GaugeMetricFamily(
            "aftershock_capacity_in_force_attempts_per_second",
            "Capacity in force in the running tick.",
            labels=["lane"],
        )
        base = GaugeMetricFamily(
            "aftershock_capacity_base_attempts_per_second",
            "Capacity without dips.",
            labels=["lane"],
        )
        dips = GaugeMetricFamily(
            "aftershock_dips_active", "Dips in force in the running tick.", labels=["lane"]
        )
        for lane in lanes:
            in_force.add_metric([lane.name], lane.in_force_per_s)
            base.add_metric([lane.name], lane.base_per_s)
            active = self._target.dips.covering(lane.name, self._target.seq)
            dips.add_metric([lane.name], len(active))
        yield from (in_force, base, dips)

    def _disorder(self) -> Iterator[Metric]:
        disorder, seq = self._target.disorder, self._target.seq
        faults = GaugeMetricFamily(
            "aftershock_faults_active", "Faults in force in the running tick.", labels=["lane"]
        )
        actions = GaugeMetricFamily(
            "aftershock_actions_active",
            "An operator's actions in force in the running tick.",
            labels=["lane"],
        )
        for lane in self._target.lanes:
            faults.add_metric([lane], len(disorder.faults.covering(lane, seq)))
            actions.add_metric([lane], len(disorder.actions.covering(lane, seq)))
        yield from (faults, actions)

    def _process(self) -> Iterator[Metric]:
        last = self._target.meter.last
        yield GaugeMetricFamily(
            "aftershock_event_loop_lag_seconds",
            "How late the event loop came to the end of the last finished tick.",
            value=last.lag_s if last else 0.0,
        )
        yield CounterMetricFamily(
            "aftershock_cpu_seconds",
            "CPU time of the process since the first tick.",
            value=self._target.cpu_s,
        )
        yield CounterMetricFamily("aftershock_ticks", "Ticks that are over.", self._target.seq)
        yield GaugeMetricFamily(
            "aftershock_tick_seconds", "The length of a tick.", self._target.grid.tick_s
        )


def _waiting(lanes: list[Lane]) -> Iterator[Metric]:
    queue = GaugeMetricFamily(
        "aftershock_queue_attempts", "Attempts that wait for a worker.", labels=["lane"]
    )
    in_flight = GaugeMetricFamily(
        "aftershock_in_flight_attempts",
        "Attempts that were admitted and have not ended.",
        labels=["lane"],
    )
    for lane in lanes:
        queue.add_metric([lane.name], lane.model.queue if lane.model else 0)
        in_flight.add_metric([lane.name], lane.in_flight)
    yield from (queue, in_flight)


def _attempts(lanes: list[Lane]) -> Iterator[Metric]:
    arrived = CounterMetricFamily(
        "aftershock_attempts",
        "Attempts that arrived, by attempt number (0: unknown): admitted, turned_away, or blocked "
        "by an operator.",
        labels=["lane", "attempt", "outcome"],
    )
    ended = CounterMetricFamily(
        "aftershock_admitted_attempts_ended",
        "Admitted attempts that ended, by attempt number (0: unknown): completed, shed after they "
        "had waited, failed by the service, or abandoned.",
        labels=["lane", "attempt", "end"],
    )
    for lane in lanes:
        totals = lane.totals
        for family, word, places in (
            (arrived, "admitted", totals.admitted),
            (arrived, "turned_away", without(totals.turned_away, totals.blocked)),
            (arrived, "blocked", totals.blocked),
            (ended, "completed", without(totals.completed, totals.shed, totals.failed)),
            (ended, "shed", totals.shed),
            (ended, "failed", totals.failed),
            (ended, "abandoned", totals.abandoned),
        ):
            for attempt, number in enumerate(places):
                family.add_metric([lane.name, str(attempt), word], number)
    yield from (arrived, ended)


def exposition(target: Target) -> bytes:
    """The metrics of the target in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(TargetCollector(target))
    return generate_latest(registry)
