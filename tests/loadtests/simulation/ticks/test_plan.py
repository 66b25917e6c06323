"""What the ticks engine cannot do is told in words; so is what has no meaning in whole ticks."""

import pytest

from loadtests.scenario import ScenarioError
from loadtests.simulation import events, ticks
from loadtests.simulation.engines import Engine, choose
from tests.loadtests.simulation.ticks.lanes import PolicyTable, a_scenario

CANNOT: list[tuple[PolicyTable, dict[str, object], str]] = [
    ({"name": "full-jitter"}, {"admits": "in-order"}, "simulation.admits is in-order"),
    ({"name": "seed-002-breaker"}, {}, "has a breaker or a throttle before each attempt"),
    ({"name": "immediate", "attempts": 33}, {}, "may make more than 32 attempts"),
    ({"name": "impatient-users"}, {}, "is no plain loop of attempts"),
    ({"name": "botocore-standard"}, {}, "has a budget that is not asked for many"),
    (
        {"name": "aws-blog-decorrelated", "attempts": 5},
        {},
        "has waits that depend on more than their number",
    ),
    (
        {"name": "sre-client-budget", "scope": "client", "clients": 1000},
        {},
        "has a budget that is not kept for each of so many clients",
    ),
    (
        {"name": "full-jitter"},
        {"target": {"capacity": "105/s", "retry_after": "1s..3s"}},
        "what the server says differs from answer to answer",
    ),
    (
        {"name": "exponential", "attempts": 30, "cap": "1h"},
        {"observation": "1h"},
        "that counting it needs much memory",
    ),
]
MEANINGLESS: list[tuple[dict[str, object], str]] = [
    ({"target": {"workers": 4, "service_time": "40ms"}}, "with workers attempts wait in a queue"),
    ({"target": {"capacity": "105/s", "turn_away_cost": "10%"}}, "turning an attempt away"),
    ({"faults": [{"type": "latency", "add": "1s", "for": "1s"}]}, "faults other than dips"),
    ({"actions": [{"action": "block-retries", "at": "2s", "for": "1s"}]}, "operator's actions"),
]


@pytest.mark.parametrize(("policy", "tables", "says"), CANNOT)
def test_an_obstacle_is_named(policy: PolicyTable, tables: dict[str, object], says: str) -> None:
    """Asked for all the same it is an error; left to us, the other engine is chosen."""
    scenario = a_scenario(policy, **tables)
    why = ticks.why_not(scenario, scenario.policies[0])
    assert why is not None
    assert says in why
    with pytest.raises(ScenarioError, match="--engine ticks cannot do this scenario"):
        choose(scenario, Engine.TICKS)
    assert choose(scenario).engine is Engine.EVENTS


def test_the_order_of_requests_is_the_last_obstacle_that_is_named() -> None:
    """It can be changed with a word, and whoever does so must not meet the next one then.

    Workers come first, and what a policy does before it, in whatever lane.
    """
    workers: dict[str, object] = {"workers": 4, "service_time": "40ms"}
    queue = a_scenario({"name": "full-jitter"}, admits="in-order", target=workers)
    assert "with workers attempts wait in a queue" in choose(queue).why
    plain = a_scenario({"name": "full-jitter"}, admits="in-order")
    breaker = a_scenario({"name": "seed-002-breaker"}, admits="in-order")
    both = plain.model_copy(update={"policies": (*plain.policies, *breaker.policies)})
    assert "has a breaker or a throttle" in choose(both).why
    assert choose(plain).why.startswith("the ticks engine cannot: requests are served in order")


GRPC: PolicyTable = {"name": "grpc-a6", "scope": "client", "clients": 100}
AT_ONCE: dict[str, object] = {"admits": "shuffled"}


def test_no_engine_keeps_more_clients_than_there_is_memory_for() -> None:
    """In one line, with the numbers of both that are allowed; fewer clients are played."""
    scenario = a_scenario(GRPC, simulation=AT_ONCE | {"scale": 1e6})
    with pytest.raises(ScenarioError) as raised:
        choose(scenario)
    assert str(raised.value) == (
        "policies: grpc-a6: 100,000,000 clients with a state each: expected at most 100,000 where "
        "each request is played by itself, and ticks cannot: grpc-a6 has 100,000,000 clients with "
        "a budget each: expected at most 10,000,000"
    )
    assert choose(a_scenario(GRPC, simulation=AT_ONCE | {"scale": 1e4})).engine is Engine.TICKS


def test_clients_kept_by_themselves_make_no_more_requests_than_there_is_memory_for() -> None:
    """Nor does events make so many: it says so before the first."""
    large = AT_ONCE | {"scale": 1e5}
    asked = a_scenario(GRPC, simulation=large, load={"rate": "1000/s"})
    why = ticks.why_not(asked, asked.policies[0])
    assert why == (
        "grpc-a6 has a budget in each client, and 10,000,000 new requests a tick: expected at most "
        "1,000,000"
    )
    with pytest.raises(ScenarioError, match=r"lane 'grpc-a6' makes more than 50,000,000 attempts"):
        events.play_lane(asked, asked.policies[0])


@pytest.mark.parametrize(("tables", "says"), MEANINGLESS)
def test_what_has_no_meaning_in_whole_ticks_is_refused(
    tables: dict[str, object], says: str
) -> None:
    """By both engines."""
    scenario = a_scenario({"name": "full-jitter"}, **tables)
    assert says in (ticks.why_not(scenario, scenario.policies[0]) or "")
    with pytest.raises(ScenarioError, match=says):
        events.play_lane(scenario, scenario.policies[0])


def test_layers_have_no_meaning_in_whole_ticks() -> None:
    """There are no gateways."""
    scenario = a_scenario({"name": "full-jitter", "layers": ["immediate"]})
    with pytest.raises(ScenarioError, match="has layers"):
        events.play_lane(scenario, scenario.policies[0])


def test_hedges_have_no_meaning_in_whole_ticks() -> None:
    """Where no attempt takes any time none can be late."""
    scenario = a_scenario({"name": "polly-8-hedging"})
    with pytest.raises(ScenarioError, match="hedges"):
        events.play_lane(scenario, scenario.policies[0])


@pytest.mark.parametrize(
    ("rate", "clients", "engine"),
    [("70/s", 1, Engine.EVENTS), ("90/s", 1, Engine.TICKS), ("70/s", 2000, Engine.TICKS)],
)
def test_of_both_engines_the_faster_one_is_taken(rate: str, clients: int, engine: Engine) -> None:
    """A few requests a tick are played one by one; many of them, or many states, are counted."""
    policy: PolicyTable = {"name": "full-jitter-budget", "scope": "client", "clients": clients}
    chosen = choose(a_scenario(policy, load={"rate": rate}))
    assert chosen.engine is engine
    assert "faster" in chosen.why


def test_more_clients_than_objects_are_counted_only() -> None:
    """A million budgets are two arrays; as objects they are refused."""
    policy: PolicyTable = {"name": "full-jitter-budget", "scope": "client", "clients": 1_000_000}
    scenario = a_scenario(policy)
    assert choose(scenario).engine is Engine.TICKS
    with pytest.raises(ScenarioError, match="1,000,000 clients with a state each"):
        events.play_lane(scenario, scenario.policies[0])
