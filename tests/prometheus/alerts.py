"""What is asked of the alert."""

from tests.prometheus.promtool import Alert, Check

FIRING = 'ALERTS{alertname="AftershockRetryStorm",alertstate="firing"}'
STORM = "lane:aftershock_storm:bool"


def ever_fired(at_s: int, *lanes: str) -> Check:
    """That up to then it has fired for these lanes, and for no other."""
    return Check(at_s, f"max_over_time({FIRING}[{at_s}s])", dict.fromkeys(lanes, 1))


def text(lane: str, offered: int, since_s: int) -> Alert:
    """The alert that fires at a second, in its words."""
    return Alert(
        since_s + 22,
        lane,
        f"Retry storm in lane {lane}",
        f"Lane {lane} is offered {offered} attempts per second against a capacity of 100, "
        f"{since_s} s after its dip ended. "
        "Shed load, or block its retries, until offered load fits in capacity.",
    )
