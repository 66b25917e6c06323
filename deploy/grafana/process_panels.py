"""Whether the measurement can be trusted: the generator and the target as processes."""

from grafana_foundation_sdk.builders import common, dashboard, timeseries
from grafana_foundation_sdk.models.common import GraphThresholdsStyleMode

from deploy.grafana.parts import (
    BAD,
    GOOD,
    LINE,
    Place,
    Series,
    chart,
    per_second,
    thresholds,
    worst_within_step,
)
from reports.judging.health import MAX_CPU

TICK_S = 0.1
"""The usual tick: attempts that leave later at p99 make a run invalid."""


def row() -> dashboard.Row:
    """Once, below the lanes."""
    return dashboard.Row("Can it be trusted? The generator and the target")


def panels() -> list[timeseries.Panel]:
    """The panels of the row."""
    return [_lateness(), _generator_cpu(), _lag(), _target_cpu()]


def _limited(panel: timeseries.Panel, limit: float, unit: str) -> timeseries.Panel:
    line = common.GraphThresholdsStyleConfig().mode(GraphThresholdsStyleMode.DASHED)
    return (
        panel.unit(unit).thresholds(thresholds((None, GOOD), (limit, BAD))).thresholds_style(line)
    )


def _lateness() -> timeseries.Panel:
    buckets = per_second("aftershock_attempt_lateness_seconds_bucket", "le", labels="")
    return _limited(
        chart(
            "How late attempts leave",
            "p99 of the time between when an attempt was due and when it left, over all workers, "
            "and of each worker's newest second. Later than a tick: the run is not valid.",
            [
                Series("all workers", f"histogram_quantile(0.99, {buckets})", LINE),
                Series("{{worker}}", "aftershock_generator_lateness_p99_seconds"),
            ],
            Place(0, 0, 6, 8),
        ),
        TICK_S,
        "s",
    )


def _generator_cpu() -> timeseries.Panel:
    return _limited(
        chart(
            "CPU of the generator",
            "Share of one core that each worker uses. A worker without CPU to spare sends late: "
            "start more of them.",
            [Series("{{worker}}", "aftershock_generator_cpu_ratio")],
            Place(6, 0, 6, 8),
        ),
        MAX_CPU,
        "percentunit",
    )


def _lag() -> timeseries.Panel:
    return _limited(
        chart(
            "Event loop lag of the target",
            "How late the target comes to the end of a tick.",
            [Series("{{instance}}", worst_within_step("aftershock_event_loop_lag_seconds", "max"))],
            Place(12, 0, 6, 8),
        ),
        TICK_S,
        "s",
    )


def _target_cpu() -> timeseries.Panel:
    cpu = per_second("aftershock_cpu_seconds_total", "instance", labels="")
    return _limited(
        chart(
            "CPU of the target",
            "Share of one core. Without CPU to spare it is the target's process that is measured, "
            "and not its capacity.",
            [Series("{{instance}}", cpu)],
            Place(18, 0, 6, 8),
        ),
        MAX_CPU,
        "percentunit",
    )
