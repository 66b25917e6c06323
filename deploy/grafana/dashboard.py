"""The dashboard as a whole: its variables, what is drawn over it, its rows."""

import json

from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard

from deploy.grafana import lane_panels, overview_panels, process_panels
from deploy.grafana.annotations import annotations
from deploy.grafana.parts import SOURCE

UID = "aftershock"
CONTROL_ROOM = "http://127.0.0.1:8089/aftershock/"


def build() -> dashboard.Dashboard:
    """The dashboard, the same at every call."""
    page = (
        builders.Dashboard("Aftershock")
        .uid(UID)
        .description("Retry storms as they happen: offered load against capacity, lane by lane.")
        .tags(["aftershock"])
        .timezone("browser")
        .time("now-5m", "now")
        .refresh("5s")
        .timepicker(builders.TimePicker().refresh_intervals(["1s", "5s", "10s", "30s", "1m"]))
        .tooltip(dashboard.DashboardCursorSync.CROSSHAIR)
        .variables(_variables())
        .annotations(annotations())
        .link(
            builders.DashboardLink("Control room")
            .type(dashboard.DashboardLinkType.LINK)
            .icon("bolt")
            .tooltip("Dip, shed, and watch it within a second")
            .url("${control_room}")
            .target_blank(True)
        )
    )
    built = page.build()
    built.panels = _panels()
    return built


def _panels() -> list[dashboard.Panel | dashboard.RowPanel]:
    """Each row's title over its panels, from the top of the page down."""
    panels: list[dashboard.Panel | dashboard.RowPanel] = []
    y = 0
    for part in (overview_panels, lane_panels, process_panels):
        heading = part.row().build()
        heading.grid_pos = dashboard.GridPos(x=0, y=y, w=24, h=1)
        panels.append(heading)
        bottom = y + 1
        for builder in part.panels():
            panel = builder.build()
            place = panel.grid_pos or dashboard.GridPos()
            place.y += y + 1
            bottom = max(bottom, place.y + place.h)
            panels.append(panel)
        y = bottom
    for number, each in enumerate(panels, 1):
        each.id_val = number
    return panels


def _variables() -> list[Builder[dashboard.VariableModel]]:
    return [
        builders.DatasourceVariable("datasource").label("Data source").type("prometheus"),
        builders.QueryVariable("lane")
        .label("Lane")
        .datasource(SOURCE)
        .query("label_values(aftershock_base_capacity_attempts_per_second, lane)")
        .refresh(dashboard.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(dashboard.VariableSort.NATURAL_ASC)
        .multi(True)
        .include_all(True)
        .current(dashboard.VariableOption(selected=True, text=["All"], value=["$__all"])),
        builders.TextBoxVariable("control_room").label("Control room").default_value(CONTROL_ROOM),
    ]


def to_text(page: dashboard.Dashboard) -> str:
    """The JSON that Grafana reads, as it is committed."""
    return json.dumps(page, cls=JSONEncoder, indent=2, ensure_ascii=False) + "\n"
