"""Small scenarios and what comes of them: what the tests of the events engine share."""

from collections.abc import Mapping

from loadtests.scenario import Scenario, parse_scenario
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.metered import PlayedLane

LOAD = {"rate": "20/s", "timeout": "1s"}
REJECT = {"capacity": "30/s"}
QUEUE = {"workers": 3, "service_time": "exponential 100ms", "queue": 20}


def scene(**tables: object) -> Scenario:
    """A scenario of 2 s before and 4 s after what happens; nothing happens unless it is given."""
    values = {"warm_up": "2s", "observation": "4s", "load": LOAD, "dips": [], **tables}
    return parse_scenario(values)


def played(scenario: Scenario) -> PlayedLane:
    """Its first lane."""
    return simulate(scenario, Engine.EVENTS).lanes[0]


def one_lane(tables: Mapping[str, object] | None = None, **more: object) -> PlayedLane:
    """A lane with the `policy` given, or the first of the `policies`, in such a scenario."""
    given = {**(tables or {}), **more}
    policy = given.pop("policy", {"name": "no-retry"})
    return played(scene(**{"policies": [policy], **given}))


def by_reason(lane: PlayedLane) -> dict[str, int]:
    """How many requests failed, by reason, and how many succeeded."""
    found = {reason: int(counts.sum()) for reason, counts in lane.clients.failed.items()}
    return {"succeeded": int(lane.clients.succeeded.sum())} | found


def offered_by_number(lane: PlayedLane) -> list[int]:
    """How many attempts of each number arrived, from the first."""
    return [int(count) for count in lane.metered.offered.sum(axis=1)[1:]]
