"""What is drawn over every chart: dips as regions, their exact beginnings, and the alert."""

from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import dashboard

from deploy.grafana.parts import (
    ALERT,
    BAD,
    FIRING,
    LANE,
    LAYERS,
    SOURCE,
    WARNING,
    worst_within_step,
)

STEP = "2s"
"""The finest step of these queries: two scrapes, so that none of them has no value."""

ADDED = frozenset({"step", "textFormat", "useValueForTime"})
"""What Prometheus' annotations have and the SDK's model of all annotations does not."""


class PrometheusAnnotation(dashboard.AnnotationQuery):
    """An annotation with what Grafana's data source for Prometheus reads of it besides.

    Points that are above 0 and no more than a step apart are joined to a region. With
    `value_is_time` each value is itself the time of a mark, in milliseconds.
    """

    def __init__(
        self, name: str, expr: str, color: str, text: str, *, value_is_time: bool = False
    ) -> None:
        super().__init__(name=name, datasource=SOURCE, icon_color=color, expr=expr)
        self._text = text
        self._value_is_time = value_is_time

    def to_json(self) -> dict[str, object]:
        """As Grafana reads it: since version 10 from the target, before that beside it."""
        return super().to_json() | {
            "step": STEP,
            "target": {"refId": "Anno", "expr": self.expr, "interval": STEP},
            "textFormat": self._text,
            "useValueForTime": self._value_is_time,
        }


class _Builder(builders.AnnotationQuery):
    """The SDK takes builders only."""

    def __init__(self, annotation: PrometheusAnnotation) -> None:
        super().__init__()
        self._internal = annotation


def annotations() -> list[Builder[dashboard.AnnotationQuery]]:
    """For the lanes that are chosen; where they overlap they are one."""
    dips = worst_within_step(f"aftershock_dips_active{{{LANE}}}", "max")
    faults = worst_within_step(f"aftershock_faults_active{{{LANE}}}", "max")
    begun = f"aftershock_dip_start_timestamp_seconds{{{LANE}}}"
    return [
        _Builder(each)
        for each in (
            PrometheusAnnotation("Dips", f"max({dips}) > 0", LAYERS["first"], "Dip"),
            PrometheusAnnotation(
                "Beginnings of dips",
                f"max({begun}) * 1000",
                LAYERS["first"],
                "A dip begins",
                value_is_time=True,
            ),
            PrometheusAnnotation("Other faults", f"max({faults}) > 0", WARNING, "Fault"),
            PrometheusAnnotation("Retry storm", f"max({FIRING})", BAD, f"{ALERT} fires"),
        )
    ]
