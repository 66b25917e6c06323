"""What every panel is made of: queries, series with a colour, and the two kinds of panel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
    GraphDrawStyle,
    LegendDisplayMode,
    LegendPlacement,
    LineInterpolation,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
    VisibilityMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DataSourceRef,
    DynamicConfigValue,
    GridPos,
    Threshold,
    ValueMap,
    ValueMappingResult,
)

from reports.rendering.palette import DARK, MARKS

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
PER_SECOND = "suffix:/s"
ALERT = "AftershockRetryStorm"
LANE = 'lane=~"$lane"'
FIRING = f'ALERTS{{alertname="{ALERT}", alertstate="firing", {LANE}}}'
"""Which of the lanes that are chosen the alert fires for."""
# Grafana is dark unless told otherwise, and these can be told apart on light paper, too.
LAYERS = DARK
GOOD, WARNING, BAD = MARKS["settled"], DARK["retry1"], MARKS["lost"]
LINE = "text"
"""Grafana's name of what is light on dark paper and dark on light."""


@dataclass(frozen=True, slots=True)
class Series:
    """One query and how it is told apart: `name` may have Grafana's ``{{label}}``.

    Where it has none, `color` is its own. A `line` is drawn over layers that are stacked.
    """

    name: str
    expr: str
    color: str | None = None
    line: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a panel is within its row, in cells of Grafana's grid: 24 are the whole width."""

    x: int
    y: int
    width: int
    height: int

    def on_grid(self) -> GridPos:
        """As Grafana has it; the row is moved to its place later."""
        return GridPos(x=self.x, y=self.y, w=self.width, h=self.height)


def query(series: Series, ref: str, *, instant: bool = False) -> prometheus.Dataquery:
    """The query of a series; `instant` asks for the newest value only."""
    built = prometheus.Dataquery().ref_id(ref).expr(series.expr).legend_format(series.name)
    return built.instant() if instant else built.range()


def per_second(counter: str, *by: str, labels: str = LANE) -> str:
    """The sum of a counter's rates, over all labels but these."""
    chosen = f"{{{labels}}}" if labels else ""
    return f"sum by ({', '.join(by or ('lane',))}) (rate({counter}{chosen}[$__rate_interval]))"


def worst_within_step(expr: str, worst: str) -> str:
    """A gauge that does not lose a dip between two steps; where a step has no scrape, as it is."""
    return f"{worst}_over_time({expr}[$__interval]) or {expr}"


def thresholds(*steps: tuple[float | None, str]) -> dashboard.ThresholdsConfig:
    """Colours from these values on; None is the first of them."""
    return dashboard.ThresholdsConfig().steps(
        [Threshold(value=value, color=color) for value, color in steps]
    )


def mapping(words: Mapping[int, tuple[str, str]]) -> ValueMap:
    """A word and a colour for each number."""
    return ValueMap(
        {
            str(number): ValueMappingResult(text=word, color=color, index=index)
            for index, (number, (word, color)) in enumerate(words.items())
        }
    )


def fixed(color: str) -> DynamicConfigValue:
    """One colour, whatever the value is."""
    return DynamicConfigValue("color", {"mode": "fixed", "fixedColor": color})


def _look(series: Series) -> list[DynamicConfigValue]:
    look = []
    if series.color:
        look.append(fixed(series.color))
    if series.line:
        look += [
            DynamicConfigValue("custom.stacking", {"mode": "none", "group": "line"}),
            DynamicConfigValue("custom.fillOpacity", 0),
            DynamicConfigValue("custom.lineWidth", 2),
            DynamicConfigValue("custom.lineInterpolation", "stepAfter"),
        ]
    return look


def chart(title: str, description: str, series: Sequence[Series], place: Place) -> timeseries.Panel:
    """Lines over time, in attempts or requests per second unless told otherwise."""
    panel = (
        timeseries.Panel()
        .title(title)
        .description(description)
        .datasource(SOURCE)
        .grid_pos(place.on_grid())
        .unit(PER_SECOND)
        .min(0)
        .draw_style(GraphDrawStyle.LINE)
        .line_width(1)
        .fill_opacity(10)
        .line_interpolation(LineInterpolation.LINEAR)
        .show_points(VisibilityMode.NEVER)
        .span_nulls(False)
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(True)
        )
        .tooltip(
            common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING)
        )
    )
    for index, each in enumerate(series):
        panel.with_target(query(each, chr(ord("A") + index)))
        if look := _look(each):
            panel.override_by_name(each.name, look)
    return panel


def stacked(
    title: str, description: str, series: Sequence[Series], place: Place
) -> timeseries.Panel:
    """Layers on each other, the first at the bottom, and lines over them."""
    return (
        chart(title, description, series, place)
        .stacking(common.StackingConfig().mode(StackingMode.NORMAL).group("layers"))
        .fill_opacity(90)
        .line_width(0)
    )


def number(title: str, description: str, place: Place, *series: Series) -> stat.Panel:
    """The newest values, one for each series that the queries give."""
    panel = (
        stat.Panel()
        .title(title)
        .description(description)
        .datasource(SOURCE)
        .grid_pos(place.on_grid())
        .graph_mode(BigValueGraphMode.NONE)
        .color_mode(BigValueColorMode.BACKGROUND)
    )
    for index, each in enumerate(series):
        panel.with_target(query(each, chr(ord("A") + index), instant=True))
    return panel
