"""Policies by what people call them, and who shares their state."""

import sys
from datetime import date
from pathlib import Path

import pytest

from loadtests.policies import preset
from loadtests.policies.scope import MAX_OBJECTS, StateScope, count_states
from loadtests.policy_names import MAX_LANE, OwnPolicy, parse_policy, policy_of, policy_table
from loadtests.policy_states import policies_in_turn
from loadtests.scenario import ScenarioError, choose_policy, parse_scenario
from tests.loadtests.policies.drive import OVERLOADED, drive

OWN = """
from loadtests.policies import preset

def make(attempts=2):
    return preset("immediate", attempts=int(attempts)).build()

def nothing():
    return 7

def fails():
    raise RuntimeError("no key")

def leaves():
    raise SystemExit(0)

class Mute:
    def begin(self, call):
        return self

    def describe(self):
        raise KeyError("words")
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the current folder."""
    (tmp_path / "my_policies.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_policies", raising=False)
    return "my_policies"


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("full-jitter", ("full-jitter", {})),
        ("full-jitter:attempts=3,base=50ms", ("full-jitter", {"attempts": "3", "base": "50ms"})),
        ("my.module:make", ("my.module:make", {})),
        ("my.mod:make:a=2,b=x,c=true", ("my.mod:make", {"a": 2, "b": "x", "c": True})),
    ],
)
def test_text_names_a_policy(text: str, parsed: tuple[str, dict[str, object]]) -> None:
    """With parameters after a colon, or a factory's name there."""
    assert parse_policy(text) == parsed


def test_parameters_make_a_lane_of_their_own() -> None:
    """So that one preset can be run twice."""
    table = policy_table("full-jitter:attempts=3")
    assert table == {"name": "full-jitter", "attempts": "3", "lane": "full-jitter:attempts=3"}
    assert choose_policy("full-jitter:attempts=3").source() == preset("full-jitter", attempts=3)


def test_the_name_of_a_lane_is_cut_in_the_middle() -> None:
    """Variants of one preset differ at their ends."""
    text = "urllib3-2:total=3,backoff_factor=100ms,status_forcelist=502+503+504,backoff_max=1s"
    first, second = policy_table(text), policy_table(text.replace("=1s", "=2s"))
    assert first["lane"] != second["lane"]
    assert len(str(first["lane"])) == MAX_LANE
    assert str(first["lane"]).startswith("urllib3-2:total=3")
    assert str(first["lane"]).endswith("backoff_max=1s")


def test_parameters_of_the_table_can_be_named_too() -> None:
    """The lane, and who shares the policy's state."""
    choice = choose_policy("full-jitter:lane=mine,clients=10,scope=client,attempts=2")
    assert (choice.lane_name, choice.clients, choice.scope) == ("mine", 10, "client")
    assert choice.source() == preset("full-jitter", attempts=2)


def test_what_is_no_json_is_refused_by_name(own_module: str) -> None:
    """TOML has dates, and no factory expects one."""
    table = {"name": f"{own_module}:make", "since": date(2020, 1, 1)}
    with pytest.raises(ScenarioError, match="date is not JSON serializable: expected text, num"):
        parse_scenario({"policies": [table]})


def test_a_policy_of_ones_own(own_module: str) -> None:
    """Each build calls the factory, with the parameters of the scenario."""
    scenario = parse_scenario({"policies": [{"name": f"{own_module}:make", "attempts": 3}]})
    source = scenario.policies[0].source()
    assert source == OwnPolicy(f"{own_module}:make", '{"attempts": 3}')
    assert source.describe() == preset("immediate", attempts=3).describe()
    assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario


def test_the_policy_in_the_examples_does_what_it_says() -> None:
    """Two retries; none once five attempts in a row have failed."""
    policy = policy_of("examples.own_policy:make", {"patience": 4}).build()
    driven = [drive(policy, [OVERLOADED] * 3) for _ in range(3)]
    assert [request.attempts for request in driven] == [3, 2, 1]


@pytest.mark.parametrize(
    ("factory", "says"),
    [
        ("nothing", "my_policies:nothing made a int, which has no method `begin`"),
        ("fails", "my_policies:fails: RuntimeError: no key"),
        ("absent", "my_policies:absent: AttributeError"),
        ("leaves", "my_policies:leaves: SystemExit: 0"),
        ("Mute", "my_policies:Mute: describe: KeyError: 'words'"),
    ],
)
def test_what_is_no_policy_is_refused(own_module: str, factory: str, says: str) -> None:
    """Before any load is sent, with what it is."""
    with pytest.raises(ValueError, match=says):
        policy_of(f"{own_module}:{factory}", {})


@pytest.mark.parametrize(
    ("scope", "states"),
    [(StateScope.CLIENT, 12), (StateScope.PROCESS, 3), (StateScope.LANE, 1)],
)
def test_a_scope_is_a_number_of_states(scope: StateScope, states: int) -> None:
    """Of twelve clients in three processes."""
    assert count_states(scope, clients=12, processes=3) == states


def test_requests_go_to_the_clients_in_turn() -> None:
    """Each with a state of its own."""
    policies = policies_in_turn(preset("full-jitter-budget"), 3)
    first = [next(policies) for _ in range(3)]
    assert len({id(policy) for policy in first}) == 3
    assert [next(policies) for _ in range(3)] == first


def test_there_are_not_more_states_than_memory_holds() -> None:
    """Also for user classes in a locustfile, which no scenario has checked."""
    with pytest.raises(ValueError, match="100,001 clients with a state each: expected at most"):
        policies_in_turn(preset("full-jitter-budget"), MAX_OBJECTS + 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("full-jitter:", "expected NAME:parameter=value"),
        ("full-jitter:=3", "expected NAME:parameter=value"),
        ("full-jitter:base=1s,base=2s", "base stands twice"),
        ("no-retry:name=full-jitter", "name is no parameter"),
        ("full-jitter:attempts=\u00e9", "attempts is '\u00e9': expected a whole number"),
        ("opaque-urllib3:totl=3", "opaque-urllib3 has no parameter 'totl': expected total"),
        ("nope", "unknown policy 'nope'"),
    ],
)
def test_text_that_names_none(text: str, says: str) -> None:
    """Says what is wrong."""
    with pytest.raises(ScenarioError) as caught:
        choose_policy(text)
    assert says in str(caught.value)
