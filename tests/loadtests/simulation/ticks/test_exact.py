"""What does not depend on chance is the same in both engines, exactly; and nothing is lost."""

from collections.abc import Callable

import numpy as np
import pytest

from loadtests.scenario import Scenario
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.lines import lines_of
from loadtests.simulation.metered import PlayedLane
from reports.record import encode
from tests.loadtests.simulation.ticks.lanes import (
    PolicyTable,
    a_scenario,
    by_count,
    by_request,
    failed,
    with_seed,
)

Play = Callable[[Scenario], PlayedLane]
BOTH = pytest.mark.parametrize("play", [by_request, by_count])
MIXED: list[PolicyTable] = [
    {"name": "no-retry"},
    {"name": "full-jitter"},
    {"name": "full-jitter-budget", "scope": "client", "clients": 100},
    {"name": "grpc-a6", "scope": "client", "clients": 100},
    {"name": "seed-003-credits", "scope": "client", "clients": 3},
]


@BOTH
@pytest.mark.parametrize("admits", ["shuffled", "by-chance"])
@pytest.mark.parametrize("policy", MIXED, ids=lambda policy: str(policy["name"]))
def test_nothing_is_lost(play: Play, admits: str, policy: PolicyTable) -> None:
    """Attempts are those that clients made, and every request is over, the dip being long ago."""
    lane = play(a_scenario(policy, admits=admits, observation="20s"))
    metered, clients = lane.metered, lane.clients
    assert metered.offered.sum() == clients.attempts.sum()
    assert np.array_equal(metered.offered, metered.admitted + metered.turned_away)
    assert metered.admitted.sum() == clients.succeeded.sum() == clients.latency[:, 2].sum()
    assert clients.issued.sum() == metered.offered[1].sum() == 2200
    assert clients.succeeded.sum() + failed(lane) == clients.issued.sum()
    assert all((by_tick <= clients.issued).all() for by_tick in clients.failed.values())


@pytest.mark.parametrize(
    "policy",
    [{"name": "no-retry"}, {"name": "immediate", "attempts": 32}],
    ids=lambda policy: str(policy["name"]),
)
def test_where_nobody_gives_up_by_chance_the_load_is_the_same(policy: PolicyTable) -> None:
    """As many as fit are admitted, and all others come back: whoever they are."""
    scenario = a_scenario(policy, load={"rate": "137/s"}, target={"capacity": "349.5/s"})
    one, other = by_request(scenario), by_count(scenario)
    for name in ("offered", "turned_away"):
        counts, others = getattr(one.metered, name), getattr(other.metered, name)
        assert np.array_equal(counts.sum(axis=0), others.sum(axis=0))
    assert one.metered.turned_away.sum() > 50
    assert np.array_equal(one.clients.issued, other.clients.issued)
    assert failed(one) == failed(other)


def test_attempts_without_end_are_counted_in_the_last_place() -> None:
    """In an outage of fifty ticks each makes one a tick; the first of them all make fifty."""
    dips = [{"capacity": "0/s", "for": "5s"}]
    scenario = a_scenario({"name": "tenacity-9"}, dips=dips, target={"capacity": "10000/s"})
    one, other = by_request(scenario), by_count(scenario)
    assert np.array_equal(one.metered.offered, other.metered.offered)
    assert np.array_equal(one.clients.latency, other.clients.latency)
    assert other.metered.offered[32, 58].tolist() == 10 * 18
    assert failed(one) == failed(other) == 0


@BOTH
def test_as_many_are_admitted_as_fit(play: Play) -> None:
    """9.5 a tick are 9 and 10 in turn, in a dip of any shape too."""
    dips = [{"capacity": "10/s", "for": "2s", "shape": "ramp"}]
    lane = play(a_scenario({"name": "exponential"}, target={"capacity": "95/s"}, dips=dips))
    admitted = lane.metered.admitted.sum(axis=0)
    left = 0.0
    for tick, capacity_per_s in enumerate(lane.metered.capacity_per_s.tolist()):
        left = left % 1 + capacity_per_s * 0.1
        offered = int(lane.metered.offered[:, tick].sum())
        assert admitted[tick] == min(offered, int(left + 1e-6))
    assert lane.metered.capacity_per_s.min() < 20


@pytest.mark.parametrize("admits", ["shuffled", "by-chance"])
def test_of_ten_thousand_million_a_tick_none_is_lost(admits: str) -> None:
    """Nothing overflows, whichever way the draws are made; all are over at the end."""
    policy: PolicyTable = {"name": "grpc-a6", "max_tokens": 1000}
    small = a_scenario(policy, load={"rate": "90000/s"}, target={"capacity": "99000/s"})
    simulation = small.simulation.model_copy(update={"scale": 1e6, "admits": admits})
    large = by_count(small.model_copy(update={"simulation": simulation}))
    metered, clients = large.metered, large.clients
    assert clients.issued.sum() == 60 * 9 * 10**9
    assert metered.offered.sum() == clients.attempts.sum() > clients.issued.sum()
    assert metered.offered.min() == metered.admitted.min() == 0
    assert clients.succeeded.sum() + failed(large) == clients.issued.sum()
    # In the dip a tick has nine, and as a share of all that comes two in ten of 9.9 are admitted.
    assert metered.admitted.sum(axis=0)[12] == pytest.approx(1.98e9, rel=1e-3)


def test_a_record_is_the_same_byte_for_byte() -> None:
    """The second time as the first; and another with another seed."""
    scenario = a_scenario({"name": "full-jitter"})
    policies = [choice for policy in MIXED for choice in a_scenario(policy).policies]
    scenario = scenario.model_copy(update={"policies": tuple(policies)})

    def written(engine: Engine, seed: int) -> str:
        run = simulate(with_seed(scenario, seed), engine)
        return "\n".join(encode(line) for line in lines_of(run))

    for engine in (Engine.EVENTS, Engine.TICKS):
        assert written(engine, 1) == written(engine, 1)
        assert written(engine, 1) != written(engine, 2)


@BOTH
@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_every_policy_sees_the_same_arrivals(play: Play, arrivals: str) -> None:
    """Whatever the lane is called and the policy draws."""
    load = {"rate": "90/s", "arrivals": arrivals}
    one = play(a_scenario({"name": "full-jitter"}, load=load))
    other = play(a_scenario({"name": "no-retry", "lane": "another"}, load=load))
    assert np.array_equal(one.clients.issued, other.clients.issued)
