"""All lanes at once, above the rows of each: what happens, and who is first to settle."""

from grafana_foundation_sdk.builders import dashboard, stat, timeseries

from deploy.grafana.parts import (
    ALERT,
    BAD,
    FIRING,
    GOOD,
    LANE,
    WARNING,
    Place,
    Series,
    chart,
    mapping,
    number,
    per_second,
    thresholds,
)


def row() -> dashboard.Row:
    """The first of the page."""
    return dashboard.Row("All lanes")


def panels() -> list[timeseries.Panel | stat.Panel]:
    """The panels of the row."""
    return [_offered(), _settled(), _alert(), _users()]


def _offered() -> timeseries.Panel:
    return chart(
        "Offered load of each lane",
        "Attempts that arrive per second. All lanes see the same dips, so they can be compared.",
        [Series("{{lane}}", per_second("aftershock_offered_attempts_total"))],
        Place(0, 0, 12, 8),
    ).fill_opacity(0)


def _settled() -> stat.Panel:
    return (
        number(
            "Settled after the newest dip",
            "By lane. A lane that has not settled yet, or has seen no dip, is not in it.",
            Place(12, 0, 8, 8),
            Series("{{lane}}", f"lane:aftershock_settled_seconds{{{LANE}}}"),
        )
        .unit("s")
        .decimals(1)
        .no_value("none has settled")
        .thresholds(thresholds((None, GOOD)))
    )


def _alert() -> stat.Panel:
    return (
        number(
            f"Alert {ALERT}",
            "How many lanes still have more offered load than capacity, well after the dip's end.",
            Place(20, 0, 4, 4),
            Series("alert", f"count({FIRING}) or vector(0)"),
        )
        .mappings([mapping({0: ("no storm", GOOD), 1: ("1 lane", BAD)})])
        .unit("suffix: lanes")
        .thresholds(thresholds((None, GOOD), (1, BAD)))
    )


def _users() -> stat.Panel:
    return (
        number(
            "Locust's users",
            "0: no test is running.",
            Place(20, 4, 4, 4),
            Series("users", "sum(aftershock_users)"),
        )
        .no_value("Locust is not scraped")
        .thresholds(thresholds((None, WARNING), (1, GOOD)))
    )
