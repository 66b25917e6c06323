"""What is varied is read exactly, and what cannot be is named."""

import pytest

from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.sweep.axes import Values, as_value, check_axes, parse_axis, vary
from loadtests.simulation.sweep.triggers import trigger_sizes

TWO_DIPS: Values = {"dips": [{"for": "1s"}, {"for": "2s", "at": "20s"}]}
FAULT: Values = {"faults": [{"type": "error", "share": "50%"}]}
SPIKE: Values = {"spikes": [{"factor": "2x"}]}
SERVICE_TIMES = "20ms|exponential 20ms"
POLICIES: Values = {
    "policies": [{"name": "no-retry"}, {"name": "full-jitter"}, {"name": "immediate"}]
}


@pytest.mark.parametrize(
    ("text", "scenario", "values", "field"),
    [
        ("dip.for=1s:5s:2s", {}, "1s 3s 5s", "dips.0.for"),
        ("dip.for=1s:6s:2s", {}, "1s 3s 5s", "dips.0.for"),
        ("dip.for=500ms:2s:500ms", {}, "500ms 1000ms 1500ms 2000ms", "dips.0.for"),
        ("warm_up=1m:2m:20s", {}, "60s 80s 100s 120s", "warm_up"),
        ("dips.1.for=2s", TWO_DIPS, "2s", "dips.1.for"),
        ("load.rate=0.1/s:0.3/s:0.1/s", {}, "0.1/s 0.2/s 0.3/s", "load.rate"),
        ("load.timeout=2s, 500ms, 1s", {}, "500ms 1s 2s", "load.timeout"),
        ("load.timeout=1s, 2s", {}, "1s 2s", "load.timeout"),
        ("dip.capacity=0%:100%:50%", {}, "0% 50% 100%", "dips.0.capacity"),
        ("dip.capacity=0/s,20/s", {}, "0/s 20/s", "dips.0.capacity"),
        ("dip.workers=0:2:1", {}, "0 1 2", "dips.0.capacity"),
        ("target.workers=1:3:1", {}, "1 2 3", "target.capacity"),
        ("target.queue=10,20", {}, "10 20", "target.queue"),
        ("target.service_time=20ms,exponential 20ms", {}, SERVICE_TIMES, None),
        ("fault.share=0%:50%:25%", FAULT, "0% 25% 50%", "faults.0.share"),
        ("spike.factor=2x:4x:1x", SPIKE, "2x 3x 4x", "spikes.0.factor"),
        ("spike.factor=2:3:0.5", SPIKE, "2 2.5 3", "spikes.0.factor"),
        ("policy.attempts=1:3:1", POLICIES, "1 2 3", "policies.attempts"),
        ("policy.attempts=3,none", POLICIES, "3 none", "policies.attempts"),
        ("policy.scope=process,client", POLICIES, "process client", "policies.scope"),
        ("simulation.scale=1,1000", {}, "1 1000", "simulation.scale"),
        ("simulation.admits=in-order,shuffled", {}, "in-order shuffled", "simulation.admits"),
        ("load.rate=7/s:7/s:1/s", {}, "7/s", "load.rate"),
    ],
)
def test_an_axis_has_exactly_these_values(
    text: str, scenario: Values, values: str, field: str | None
) -> None:
    """Both ends are among them where the steps meet the upper one."""
    axis = parse_axis(text, scenario)
    assert axis.values == tuple(values.split("|") if "|" in values else values.split())
    assert field in (None, axis.field)


def test_a_hundredth_is_a_hundredth() -> None:
    """Steps are decimal: nothing like 0.9900000000000004, and the end is not lost."""
    axis = parse_axis("simulation.scale=0.5:0.99:0.01", {})
    assert len(axis.values) == 50
    assert axis.values[-1] == "0.99"
    assert all(len(value) <= 4 for value in axis.values)


@pytest.mark.parametrize(
    ("text", "scenario", "said"),
    [
        ("dip.for", {}, "is no axis: expected PATH=LOW:HIGH:STEP or PATH=VALUE,VALUE"),
        ("=1:2:1", {}, "is no axis"),
        ("foo=1", {}, "foo: there is no such field: expected warm_up, observation or a key of"),
        ("seed=1,2", {}, "seed: there is no such field"),
        ("dip.fro=1s", {}, r"dip.fro: .*did you mean dip.for\?.* expected dip.for, dip.at"),
        ("laod.rate=1/s", {}, r"did you mean load.rate\?"),
        ("load.path=/a", {}, "load.path: there is no such field"),
        ("dip.lanes=a", {}, "dip.lanes: there is no such field"),
        ("dip.for=1s", TWO_DIPS, "has 2 dips: expected dips.0.for to dips.1.for"),
        ("dips.2.for=1s", TWO_DIPS, "the numbers of the scenario's dips are 0 to 1"),
        ("dips.x.for=1s", TWO_DIPS, "expected dip.KEY or dips.NUMBER.KEY"),
        ("dips.for=1s", {}, "expected dip.KEY or dips.NUMBER.KEY"),
        ("fault.share=1", {}, "the scenario has no faults"),
        ("dip.for=1s", SPIKE, "the scenario has no dips"),
        ("policy.attemps=1", {}, r"did you mean policy.attempts\?"),
        ("policy.name=a", {}, "policy.name: there is no such field"),
        ("dip.for=1s:60:1", {}, "dip.for: .*units differ: a duration, a number"),
        ("load.rate=1/s:2s:1/s", {}, "units differ: a rate, a duration, a rate"),
        ("dip.capacity=0%,20/s", {}, "units differ: a percentage, a rate"),
        ("dip.for=1s:60s:0s", {}, "dip.for: .*a step of 0s leads nowhere"),
        ("dip.for=1s:60s:-1s", {}, "dip.for: .*a step of -1s leads nowhere"),
        ("dip.for=60s:1s:1s", {}, "dip.for: .*empty: 60s is above 1s"),
        ("dip.for=1s:x:1s", {}, "dip.for: 'x' is not a number with or without a unit"),
        ("dip.for=1e3s", {}, None),
        ("dip.for=", {}, "dip.for: a value is empty"),
        ("dip.for=1s,,2s", {}, "dip.for: a value is empty"),
        ("dip.for=1s,1000ms", {}, "dip.for: 1s stands twice"),
        ("dip.for=0s:3600s:1ms", {}, "dip.for: .*3600001 values are too many"),
        ("target.queue=0:99999999999999999999:1", {}, "values are too many"),
        ("dip.capacity=" + "9" * 300, {}, "expected at most 200 characters"),
    ],
)
def test_what_is_no_axis_is_refused_by_name(text: str, scenario: Values, said: str | None) -> None:
    """In one line, whatever there is in it; a value is the scenario's to refuse."""
    if said is None:
        assert parse_axis(text, scenario).values == ("1e3s",)
        return
    with pytest.raises(ScenarioError, match=said) as raised:
        parse_axis(text, scenario)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dip.for=1s", "dips.0.for=2s"),
        ("dip.capacity=0%", "dip.workers=1"),
        ("target.workers=1", "target.capacity=50/s"),
    ],
)
def test_two_spellings_of_one_field_are_refused(one: str, other: str) -> None:
    """Naming both."""
    axes = [parse_axis(one, {}), parse_axis(other, {})]
    with pytest.raises(ScenarioError, match="two spellings of one field") as raised:
        check_axes(axes)
    assert one.partition("=")[0] in str(raised.value)
    assert other.partition("=")[0] in str(raised.value)


@pytest.mark.parametrize("path", ["dip.for", "policy.base"])
def test_one_axis_twice_is_not_called_two_spellings(path: str) -> None:
    """It is said to be given twice."""
    axes = [parse_axis(f"{path}=1s", {}), parse_axis(f"{path}=2s", {})]
    with pytest.raises(ScenarioError, match=f"^{path} is given twice"):
        check_axes(axes)


def test_too_many_cells_are_refused() -> None:
    """Before anything is made of them."""
    axes = [parse_axis("dip.for=1ms:1000ms:1ms", {}), parse_axis("load.rate=1/s:999/s:1/s", {})]
    check_axes(axes)
    with pytest.raises(ScenarioError, match=r"1998000 cells are too many \(dip.for 1000, "):
        check_axes(axes, policies=2)


def test_a_setting_changes_its_field_and_nothing_else() -> None:
    """The values that it began with stay as they are."""
    values: Values = {"load": {"rate": "5/s", "timeout": "1s"}, **POLICIES}
    varied = vary(values, {"load.rate": "9/s", "policy.attempts": "2", "dip.for": "3s"})
    assert values == {"load": {"rate": "5/s", "timeout": "1s"}, **POLICIES}
    assert varied == {
        "load": {"rate": "9/s", "timeout": "1s"},
        "policies": [
            {"name": "no-retry"},
            {"name": "full-jitter", "attempts": 2},
            {"name": "immediate", "attempts": 2},
        ],
        "dips": [{"for": "3s"}],
    }
    assert parse_scenario(varied).dips[0].for_s == 3.0


def test_how_often_a_dip_comes_can_be_varied() -> None:
    """Whether more of them are worse nobody says: neither makes a larger trigger."""
    values: Values = {"dips": [{"repeat": 1, "every": "30s"}]}
    axes = [parse_axis(text, values) for text in ("dip.repeat=1:4:1", "dip.every=5s:25s:10s")]
    assert [trigger_sizes(axis) for axis in axes] == [None, None]
    scenario = parse_scenario(vary(values, {"dip.repeat": "3", "dip.every": "5s"}))
    assert [dip.at_s for dip in scenario.dip_schedule()] == [10.0, 15.0, 20.0]


def test_a_setting_takes_the_place_of_what_says_the_same() -> None:
    """A dip to a capacity becomes one to workers, a target with a capacity one with workers."""
    values: Values = {"dips": [{"capacity": "0%"}], "target": {"capacity": "50/s"}}
    settings = {"dip.workers": "1", "target.workers": "2", "target.service_time": "20ms"}
    scenario = parse_scenario(vary(values, settings))
    assert scenario.dips[0].workers == 1
    assert scenario.target.capacity_per_s == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("0.5", 0.5), ("1s", "1s"), ("50%", "50%"), ("true", True), ("lifo", "lifo")],
)
def test_values_are_as_toml_would_have_them(text: str, value: object) -> None:
    """A whole number stays one."""
    assert as_value(text) == value
    assert type(as_value(text)) is type(value)
