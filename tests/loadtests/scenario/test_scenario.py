"""A scenario is right, or it is refused with the field's name and what is allowed there."""

import math
from pathlib import Path

import pytest

from loadtests.arrivals import Arrivals
from loadtests.policies import preset
from loadtests.scenario import Scenario, ScenarioError, load_scenario_values, parse_scenario

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_default_is_article_000_at_a_tenth_of_its_load() -> None:
    """95/s against 100/s; 10 s, then 2 s at 20/s, then 30 s."""
    scenario = parse_scenario({})
    [dip] = scenario.dip_schedule()
    assert (scenario.load.rate_per_s, scenario.target.capacity_per_s) == (95.0, 100.0)
    assert (dip.capacity, dip.at_s, dip.for_s) == ("20%", 10.0, 2.0)
    assert scenario.planned_end_s == 42.0
    assert scenario.load.arrivals is Arrivals.CONSTANT
    assert [choice.lane_name for choice in scenario.policies] == [
        "no-retry", "immediate", "exponential", "full-jitter", "full-jitter-budget",
    ]  # fmt: skip


def test_a_scenario_is_read_from_toml(tmp_path: Path) -> None:
    """With units, and a lane of its own for the second of two like policies."""
    path = tmp_path / "scenario.toml"
    path.write_text(
        """
        name = "two jitters"
        seed = 7
        warm_up = "3s"
        observation = "1m"
        [load]
        rate = "475/s"
        arrivals = "poisson"
        timeout = "500ms"
        [target]
        capacity = "500/s"
        [[policies]]
        name = "full-jitter"
        [[policies]]
        name = "full-jitter"
        lane = "short"
        attempts = 2
        base = "50ms"
        [[dips]]
        capacity = "0/s"
        for = "1.5s"
        at = "4s"
        """,
        encoding="utf-8",
    )
    scenario = parse_scenario(load_scenario_values(path))
    assert scenario.planned_end_s == 65.5
    assert [choice.lane_name for choice in scenario.policies] == ["full-jitter", "short"]
    assert scenario.policies[1].source() == preset("full-jitter", attempts=2, base_s=0.05)
    assert scenario.load.timeout_s == 0.5


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_the_examples_are_scenarios(path: Path) -> None:
    """They come back from their JSON the same, policies with clients and scope too."""
    scenario = parse_scenario(load_scenario_values(path))
    assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario
    assert scenario.policies


def test_a_scenario_comes_back_from_its_json_the_same() -> None:
    """It travels to the load generator, and stands in the record's header."""
    values = {
        "load": {"rate": "33.33333/s", "timeout": "0.4ms"},
        "policies": [{"name": "immediate", "base": "0.0123456s"}],
        "dips": [{"capacity": "20%", "for": "2s", "at": "1s", "lanes": ["immediate"]}],
    }
    scenario = parse_scenario(values)
    assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"observe": "3s"}, "observe: there is no such setting"),
        ({"simulation": {"scale": math.nan}}, "simulation.scale: expected a number that is finite"),
        ({"simulation": {"network": "20s"}}, "simulation.network: expected at most 10s"),
        ({"simulation": {"scale": 1e7}}, "simulation.scale: expected at most 1000000"),
        ({"seed": "9" * 5000}, "seed: expected a whole number"),
        ({"seed": 9**5000}, "seed: expected at most 9007199254740992"),
        ({"seed": True}, "seed: expected a whole number"),
        ({"load": {"rate": True}}, "load.rate: expected a number"),
        ({"policies": [{"name": "no-retry", "clients": True}]}, "clients: expected a whole number"),
        ({"policies": [{"name": "no-retry", "clients": "2"}]}, "clients: expected a whole number"),
        ({"load": {"rate": "95/m"}}, "load.rate: '95/m' is not a rate per second"),
        (
            {"load": {"rate": "0/s"}},
            "load.rate: 0/s is out of bounds: expected more than 0/s, up to 100000/s",
        ),
        (
            {"load": {"rate": "95/s", "utilisation": 0.95}},
            "load: rate and utilisation are two spellings of one thing: give one",
        ),
        (
            {"load": {"utilisation": 0}},
            "load.utilisation: 0 is out of bounds: expected more than 0%, up to 10000%",
        ),
        ({"load": {"utilisation": "0%"}}, "load.utilisation: 0% is out of bounds: expected more"),
        ({"load": {"utilisation": -0.5}}, "load.utilisation: -0.5 is out of bounds: expected mo"),
        ({"load": {"utilisation": "10001%"}}, "load.utilisation: 10001% is out of bounds: expec"),
        ({"load": {"utilisation": float("nan")}}, "load.utilisation: nan is out of bounds: expe"),
        (
            {"load": {"utilisation": "95/s"}},
            "load.utilisation: '95/s' is not a part of the capacity, as in \"95%\" or 0.95",
        ),
        ({"load": {"utilisation": True}}, "load.utilisation: 'True' is not a part of the capaci"),
        (
            {"load": {"utilisation": "9000%"}, "target": {"capacity": "90000/s"}},
            "load.utilisation: of 90000/s that is 8100000/s: expected more than 0/s",
        ),
        (
            {"load": {"utilisation": 0.5}, "target": {"workers": 3}},
            "load: utilisation needs a capacity: give the workers a service_time",
        ),
        (
            {"dips": [{}, {"at": "999ms"}]},
            "dips.1: at: 0.999s is before any load was seen: expected at least 1s",
        ),
        ({"faults": [{"type": "error", "at": "0s"}]}, "faults.0: at: 0s is before any load was"),
        ({"spikes": [{"factor": "2x", "at": "0s"}]}, "spikes.0: at: 0s is before any load was"),
        ({"warm_up": "500ms"}, "warm_up: 0.5s is before any load was seen: expected at least 1s"),
        ({"dips": [{"at": "25h"}]}, "dips.0.at: '25h' is later than 24h"),
        ({"dips": [{"at": "-1s"}]}, "dips.0.at: '-1s' is not a duration"),
        ({"load": {"arrivals": "bursty"}}, "load.arrivals: expected 'constant' or 'poisson'"),
        ({"load": {"deadlines": "yes"}}, "load.deadlines: expected true or false"),
        ({"dips": [{"\x1b[31mx": 1}]}, r"dips.0.\x1b[31mx: there is no such setting"),
        ({"target": {"workers": True, "service_time": "1s"}}, "target.workers: expected a whole n"),
        ({"actions": [{"action": "foo", "at": "12s"}]}, "actions.0: action: 'foo' is not shed, "),
        ({"load": {"deadline": True}}, "load.deadline: there is no such setting (did you mean de"),
        ({"fault": []}, "fault: there is no such setting (did you mean faults?): expected name, s"),
        ({"dips": [{"att": "1s"}]}, "dips.0.att: there is no such setting (did you mean at?): exp"),
        ({"load": 3}, "load: expected a table"),
        ({"load": {"path": "work"}}, "load.path: expected a path without blanks"),
        ({"load": {"path": "/a b"}}, "load.path: expected a path without blanks"),
        ({"warm_up": "soon"}, "warm_up: 'soon' is not a duration"),
        ({"warm_up": 5}, "warm_up: expected text with a duration: a number and ms, s, m or h, as"),
        ({"observation": "2h"}, "observation: '2h' is longer than 1h"),
        ({"seed": -1}, "seed: expected at least 0"),
        ({"policies": []}, "policies: expected at least 1 of them"),
        ({"policies": [{"name": "hope"}]}, "policies.0: unknown policy 'hope': `aftershock pol"),
        ({"policies": [{"name": "imediate"}]}, "unknown policy 'imediate': did you mean immediate"),
        (
            {"policies": [{"name": "immediate", "attempts": 0}]},
            "policies.0: immediate: attempts is '0': expected a whole number, 1 to 10,000",
        ),
        (
            {"policies": [{"name": "immediate", "bse": "1s"}]},
            "immediate has no parameter 'bse': expected attempts, base",
        ),
        ({"policies": [{"name": "immediate", "scope": "pod"}]}, "policies.0.scope: expected 'cl"),
        ({"policies": [{"name": "immediate", "clients": 0}]}, "clients is 0: expected 1 to"),
        (
            {"policies": [{"name": "immediate", "clients": 2, "processes": 3}]},
            "processes is 3: expected 1 to the number of clients, 2",
        ),
        ({"policies": [{"name": "nowhere.at:all"}]}, "nowhere.at:all: ModuleNotFoundError"),
        (
            {"policies": [{"name": "immediate"}, {"name": "immediate"}]},
            "lane 'immediate' is named twice",
        ),
        (
            {"dips": [{"capacity": "120%"}]},
            "dips.0: capacity: '120%' is not a share from 0% to 100%",
        ),
        ({"dips": [{"capacity": "2000000/s"}]}, "dips.0: capacity: '2000000/s' is above 1000000/s"),
        ({"policies": [{"name": "immediate", "lane": " a "}]}, "lane: expected printable ASCII"),
        ({"dips": [{"for": "0s"}]}, "dips.0: for: a dip lasts from 1ms to 1h"),
        ({"dips": [{"shape": "v"}]}, "dips.0: shape: 'v' is not step or ramp"),
    ],
)
def test_bad_input_is_named_with_what_is_allowed(values: dict[str, object], says: str) -> None:
    """One line a mistake."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(values)
    assert says in str(caught.value)


@pytest.mark.parametrize("utilisation", [0.95, "95%", "0.95"])
def test_a_utilisation_becomes_the_rate_that_it_is_of_the_capacity(utilisation: object) -> None:
    """On reading: what is recorded is the rate."""
    values = {"load": {"utilisation": utilisation}, "target": {"capacity": "200/s"}}
    scenario = parse_scenario(values)
    assert scenario.load.rate_per_s == 190.0
    dumped = scenario.model_dump(mode="json", by_alias=True)
    assert dumped["load"]["rate"] == "190/s"
    assert "utilisation" not in dumped["load"]
    assert parse_scenario(dumped) == scenario


def test_a_utilisation_of_workers_is_one_of_what_they_can_do() -> None:
    """As many as the workers, divided by the service time, and rounded as a record shows it."""
    service = {"workers": 8, "service_time": "30ms"}
    scenario = parse_scenario({"load": {"utilisation": 0.5}, "target": service})
    assert scenario.load.rate_per_s == 133.333333333
    assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario


def test_without_a_disturbance_no_warm_up_is_needed() -> None:
    """There is nothing to compare with, and nothing that would be compared."""
    assert parse_scenario({"warm_up": "0s", "dips": []}).planned_end_s == 30.0
    assert parse_scenario({"warm_up": "0s", "dips": [{"at": "1s"}]}).planned_end_s == 33.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "Invalid value"),
        ("\x00", "scenario.toml"),
        ("[load", "Expected ']'"),
        ("a=" + "[" * 5000, "nested too deeply"),
    ],
)
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, text: str, says: str) -> None:
    """With the line where it goes wrong."""
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError, match=says):
        load_scenario_values(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """In the words of the system."""
    with pytest.raises(ScenarioError, match=r"none\.toml: No such file"):
        load_scenario_values(tmp_path / "none.toml")


def test_a_scenario_cannot_be_changed() -> None:
    """What was recorded is what was run."""
    scenario = Scenario()
    with pytest.raises(ValueError, match="frozen"):
        scenario.seed = 3  # type: ignore[misc]


def test_a_file_that_is_no_text_is_called_so(tmp_path: Path) -> None:
    """Not what a codec says of it."""
    path = tmp_path / "scenario.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match=r"toml: is not text in UTF-8$"):
        load_scenario_values(path)
