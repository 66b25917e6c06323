"""A row for each lane: the same charts as the report's, from what Prometheus has scraped."""

from grafana_foundation_sdk.builders import dashboard, stat, timeseries

from deploy.grafana.parts import (
    BAD,
    GOOD,
    LANE,
    LAYERS,
    LINE,
    WARNING,
    Place,
    Series,
    chart,
    fixed,
    mapping,
    number,
    per_second,
    stacked,
    thresholds,
    worst_within_step,
)

CAPACITY = f"aftershock_capacity_attempts_per_second{{{LANE}}}"

ATTEMPTS = (
    ("unknown", "attempt unknown", "0"),
    ("first", "first attempts", "1"),
    ("retry1", "retry 1", "2"),
    ("retry2", "retry 2", "3"),
    ("retry3", "retry 3", "4"),
    ("later", "later retries", "5|6\\\\+"),
)
"""Colour, name, and which values of the label `attempt`; the backslash is for PromQL's string."""


def row() -> dashboard.Row:
    """Repeated by Grafana for each lane that is chosen."""
    return dashboard.Row("Lane $lane").repeat("lane")


def panels() -> list[timeseries.Panel | stat.Panel]:
    """The panels of the row, from left to right and downwards."""
    return [_offered(), *_numbers(), _goodput(), _turned_away(), _failed(), _queue()]


def _offered() -> timeseries.Panel:
    layers = [
        Series(
            name,
            per_second(
                "aftershock_offered_attempts_total", labels=f'{LANE}, attempt=~"{attempts}"'
            ),
            LAYERS[colour],
        )
        for colour, name, attempts in ATTEMPTS
    ]
    capacity = Series("capacity", worst_within_step(CAPACITY, "min"), LINE, line=True)
    return stacked(
        "Offered load and capacity",
        "Attempts that arrive per second, by attempt number, and what the lane can complete. "
        "Above the line after a dip is over: a retry storm. Rates are means over some scrapes, so "
        "what is shorter than four seconds looks flatter here than in the report.",
        [*layers, capacity],
        Place(0, 0, 16, 12),
    ).axis_label("attempts per second")


def _numbers() -> list[stat.Panel]:
    return [_now(), _settled(), _amplification(), _failed_share()]


def _now() -> stat.Panel:
    offered = f"lane:aftershock_offered_attempts:rate2s{{{LANE}}}"
    dipped = f"(aftershock_dips_active{{{LANE}}} > bool 0) == 1"
    storm = f"(lane:aftershock_storm:bool{{{LANE}}} == 1) * 3"
    above = f"({offered} > bool {CAPACITY}) * 2"
    words = {
        0: ("under capacity", GOOD),
        1: ("dipped", WARNING),
        2: ("above capacity", BAD),
        3: ("storm", BAD),
    }
    return number(
        "Now",
        "Dipped: a dip is in force. Storm: a dip is over, and its retries keep more arriving than "
        "the lane can complete. Above capacity: more arrives for another reason.",
        Place(16, 0, 8, 3),
        Series("state", f"({dipped}) or ({storm}) or ({above})"),
    ).mappings([mapping(words)])


def _settled() -> stat.Panel:
    settled = f"lane:aftershock_settled_seconds{{{LANE}}}"
    waiting = f"lane:aftershock_since_dip_seconds{{{LANE}}} unless {settled}"
    return (
        number(
            "Settled",
            "From the newest dip's end until the offered load is under capacity and stays there; "
            "until that is known, the time since the dip. The report judges finer ticks: "
            "docs/metrics.md says how far apart the two can be.",
            Place(16, 3, 8, 3),
            Series("settled after", settled),
            Series("not settled since", waiting),
        )
        .unit("s")
        .decimals(1)
        .no_value("no dip yet")
        .thresholds(thresholds((None, GOOD)))
        .override_by_name("not settled since", [fixed(BAD)])
    )


def _amplification() -> stat.Panel:
    return (
        number(
            "Amplification",
            "Attempts for each request: 1 is a service that nobody retries. Arrived: what the "
            "target meters, with what gateways and hidden layers add. Sent: the clients' own.",
            Place(16, 6, 8, 3),
            Series("arrived, last 10 s", f"lane:aftershock_amplification:ratio_rate10s{{{LANE}}}"),
            Series("sent, newest run", f"aftershock_amplification_ratio{{{LANE}}}"),
        )
        .unit("suffix: ×")
        .decimals(2)
        .no_value("no requests")
        .thresholds(thresholds((None, GOOD), (1.5, WARNING), (3, BAD)))
    )


def _failed_share() -> stat.Panel:
    failed = f"sum by (lane) (aftershock_requests_failed_total{{{LANE}}})"
    requests = f"sum by (lane) (aftershock_requests_total{{{LANE}}})"
    return (
        number(
            "Failed requests",
            "Of all requests since Locust was started.",
            Place(16, 9, 8, 3),
            Series("failed", f"{failed} / ({requests} > 0)"),
        )
        .unit("percentunit")
        .decimals(1)
        .no_value("no requests")
        .thresholds(thresholds((None, GOOD), (0.01, WARNING), (0.1, BAD)))
    )


def _goodput() -> timeseries.Panel:
    return chart(
        "Goodput",
        "Requests that succeed per second, beside all requests. Between the two lines are those "
        "that fail or are still being retried.",
        [
            Series("requests", per_second("aftershock_requests_total"), LINE),
            Series("goodput", per_second("aftershock_requests_succeeded_total"), LAYERS["first"]),
        ],
        Place(0, 12, 6, 8),
    )


def _turned_away() -> timeseries.Panel:
    return chart(
        "Turned away and lost",
        "Attempts per second: turned away at the gate (blocked is part of it), shed after they had "
        "waited, failed by the service, or abandoned by their client.",
        [
            Series(name, per_second(f"aftershock_{counted}_attempts_total"), color)
            for name, counted, color in (
                ("turned away", "turned_away", BAD),
                ("blocked", "blocked", LINE),
                ("shed", "shed", LAYERS["retry1"]),
                ("failed", "failed", LAYERS["retry2"]),
                ("abandoned", "abandoned", LAYERS["retry3"]),
            )
        ],
        Place(6, 12, 6, 8),
    )


def _failed() -> timeseries.Panel:
    return chart(
        "Requests that failed, by reason",
        "Per second, as the policy ended them.",
        [Series("{{reason}}", per_second("aftershock_requests_failed_total", "reason"))],
        Place(12, 12, 6, 8),
    )


def _queue() -> timeseries.Panel:
    return chart(
        "Queue and attempts in flight",
        "The longest queue of each step. A lane whose service has no queue stays at 0.",
        [
            Series(
                "queue",
                worst_within_step(f"aftershock_queue_attempts{{{LANE}}}", "max"),
                LAYERS["retry2"],
            ),
            Series(
                "in flight",
                worst_within_step(f"aftershock_in_flight_attempts{{{LANE}}}", "max"),
                LAYERS["first"],
            ),
        ],
        Place(18, 12, 6, 8),
    ).unit("short")
