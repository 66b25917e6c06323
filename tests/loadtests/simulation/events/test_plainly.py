"""The engine gives what the plain way gives, to the last count, however fast it is."""

from collections import Counter

import pytest

from loadtests.scenario import Scenario
from loadtests.simulation.metered import METERED, PlayedLane
from tests.loadtests.simulation.events.plainly import Plainly
from tests.loadtests.simulation.events.scenes import played, scene

POLICIES: list[dict[str, object]] = [
    {"name": "no-retry"},
    {"name": "immediate"},
    {"name": "exponential", "attempts": 4},
    {"name": "full-jitter", "base": "200ms"},
    {"name": "full-jitter-budget", "scope": "client", "clients": 7},
    {"name": "full-jitter-budget"},
    {"name": "seed-002-breaker"},
    {"name": "seed-003-credits"},
    {"name": "impatient-users", "patience": "800ms"},
    {"name": "stacked-retries", "layers": 2},
    {"name": "error-ownership"},
    {"name": "grpc-a6-hedging", "hedging_delay": "150ms"},
    {"name": "polly-8-hedging", "delay": "120ms"},
    {"name": "tests.loadtests.simulation.events.own:bounded"},
    {"name": "tests.loadtests.simulation.events.own:within"},
]
SERVICES: dict[str, dict[str, object]] = {
    "reject": {"capacity": "33.5/s"},
    "reject at a cost": {"capacity": "33.5/s", "turn_away_cost": 0.2},
    "queue": {"workers": 3, "service_time": "exponential 100ms", "queue": 20},
    "queue, dropped": {
        "workers": 3, "service_time": "100ms", "queue": 60, "abandoned": "drop",
        "discipline": "lifo", "turn_away_cost": 0.1,
    },
    "queue, stopped": {
        "workers": 3, "service_time": "lognormal 100ms 0.5", "queue": 5, "abandoned": "stop",
        "discipline": "codel", "shed_first": "attempt",
    },
    "queue, deadlines": {
        "workers": 3, "service_time": "exponential 100ms", "queue": 60, "heed_deadlines": True,
        "max_wait": "600ms", "retry_after": "1s",
    },
}  # fmt: skip


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    "policy", POLICIES, ids=lambda policy: policy["name"].partition(":")[2] or policy["name"]
)
def test_every_count_is_that_of_the_plain_way(policy: dict[str, object], service: str) -> None:
    """Two seeds each, constant and by chance, under a dip that begins and ends within a storm.

    Where an answer is long on its way, clients often give up while it is, or the run ends.
    """
    for seed, arrivals, network in ((1, "constant", "1ms"), (2, "poisson", "70ms")):
        scenario = scene(
            seed=seed,
            simulation={"network": network},
            warm_up="1500ms",
            observation="3s",
            load={
                "rate": "27/s",
                "timeout": "1s",
                "arrivals": arrivals,
                "deadlines": "deadlines" in service,
            },
            target=SERVICES[service],
            policies=[policy],
            dips=[{"capacity": "10%", "for": "1.5s"}],
            spikes=[{"factor": "2x", "at": "1s", "for": "700ms"}],
        )
        same(played(scenario), plainly(scenario))


def plainly(scenario: Scenario) -> Plainly:
    return Plainly(scenario, scenario.policies[0]).play()


def same(lane: PlayedLane, plain: Plainly) -> None:
    """Every count of every tick."""
    for name in METERED:
        rows = getattr(lane.metered, name).T.tolist()
        assert [_cut(row) for row in rows] == [_cut(getattr(t, name)) for t in plain.ticks], name
    assert lane.metered.queue.tolist() == [tick.queue for tick in plain.ticks]
    assert lane.metered.in_flight.tolist() == [tick.in_flight for tick in plain.ticks]
    assert lane.metered.capacity_per_s.tolist() == [tick.capacity_per_s for tick in plain.ticks]
    clients, seen = lane.clients, plain.seen
    for tick in range(len(plain.ticks)):
        bin_ = plain.bin(tick)
        assert clients.issued[tick] == bin_.issued
        assert clients.succeeded[tick] == bin_.succeeded
        assert clients.attempts[tick] == bin_.attempts
        failed = Counter({reason: int(by[tick]) for reason, by in clients.failed.items()})
        assert +failed == bin_.failed
    latency = [(t, b, n) for t in sorted(seen) for b, n in sorted(seen[t].latency.items())]
    assert [tuple(row) for row in clients.latency.tolist()] == latency


def _cut(counts: list[int]) -> list[int]:
    found = list(counts)
    while found and not found[-1]:
        found.pop()
    return found
