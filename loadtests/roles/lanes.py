"""The lanes of a test, as its record names them."""

from locust.env import Environment

from reports.record import Lane


def lanes_of(environment: Environment) -> tuple[Lane, ...]:
    """The lanes that the chosen user classes load; classes that share one are named together."""
    lines: dict[str, list[Lane]] = {}
    for user_class in environment.user_classes:
        lane_line = getattr(user_class, "lane_line", None)
        line = lane_line() if lane_line is not None else None  # others' users have none
        if isinstance(line, Lane):
            lines.setdefault(line.lane, []).append(line)
    return tuple(
        Lane(
            lane,
            " + ".join(line.policy for line in shared),
            "; ".join(line.describe for line in shared),
            any(line.opaque for line in shared),
        )
        for lane, shared in lines.items()
    )
