"""Flags of `aftershock run` change what a scenario says, and nothing else of it."""

from pathlib import Path

import pytest

from faults.fault import ServiceFault
from loadtests.overrides import (
    Flags,
    Values,
    chosen_policies,
    dips_of,
    faults_of,
    override,
    override_load,
    override_service,
    override_top,
    read_scenario,
    spikes_of,
)
from loadtests.scenario import ScenarioError, parse_scenario


def test_a_flag_replaces_one_key_of_its_table() -> None:
    """What is not given stays."""
    values: Values = {"load": {"rate": "5/s", "path": "/a"}, "seed": 3}
    override(values, "load", rate="9/s", arrivals=None)
    override_top(values, warm_up="1s", seed=None)
    assert values == {"load": {"rate": "9/s", "path": "/a"}, "seed": 3, "warm_up": "1s"}


def test_what_is_no_table_is_left_for_the_scenario_to_refuse() -> None:
    """With the rest of what is wrong in it."""
    values: Values = {"load": 3}
    override(values, "load", rate="9/s")
    assert values == {"load": 3}


def test_workers_take_the_place_of_a_scenarios_capacity() -> None:
    """Both would be one too many; a capacity that is given as a flag too is refused."""
    values: Values = {"target": {"capacity": "50/s", "status": 429}}
    override_service(values, None, 5, "20ms")
    assert values == {"target": {"status": 429, "workers": 5, "service_time": "20ms"}}
    assert parse_scenario(values).target.capacity_per_s == pytest.approx(250.0)
    override_service(values, "100/s", 5, "20ms")
    with pytest.raises(ScenarioError, match="leave the capacity out"):
        parse_scenario(values)


def test_without_a_flag_a_scenarios_capacity_stays() -> None:
    """And no table is made where there is none."""
    values: Values = {"target": {"capacity": "50/s"}}
    override_service(values, None, None, None)
    assert values == {"target": {"capacity": "50/s"}}
    values = {}
    override_service(values, None, None, None)
    assert values == {}


def test_dips_and_spikes_without_at_begin_when_the_warm_up_is_over() -> None:
    """An `at` that was said stays."""
    values: Values = {
        "warm_up": "4s",
        "dips": dips_of("20% for 2s; 0/s for 1s at 1s as ramp in immediate"),
        "spikes": spikes_of("3x for 2s; 2x for 1s at 1s in no-retry"),
    }
    scenario = parse_scenario(values)
    assert [(dip.at_s, dip.shape, dip.lanes) for dip in scenario.dip_schedule()] == [
        (4.0, "step", None),
        (1.0, "ramp", ("immediate",)),
    ]
    assert [(s.at_s, s.factor, s.lanes) for s in scenario.spike_schedule()] == [
        (4.0, 3.0, None),
        (1.0, 2.0, ("no-retry",)),
    ]


def test_faults_are_those_of_a_scenario() -> None:
    """With all that a type has; one without `at` begins when the warm-up is over."""
    text = (
        "latency add 200ms spread 50ms for 2s every 3s repeat 2; cut for 1s; "
        "error status 429 retry_after 2s share 12.5% for 1s at 1s in no-retry"
    )
    scenario = parse_scenario({"warm_up": "4s", "faults": faults_of(text)})
    assert scenario.dips == ()
    assert scenario.fault_schedule() == (
        ServiceFault("latency", 2.0, 4.0, add_s=0.2, spread_s=0.05),
        ServiceFault("latency", 2.0, 7.0, add_s=0.2, spread_s=0.05),
        ServiceFault("cut", 1.0, 4.0),
        ServiceFault("error", 1.0, 1.0, ("no-retry",), 0.125, status=429, retry_after_s=2.0),
    )
    flags = Flags(fault="hang for 1s")
    assert (flags.given(), read_scenario(None, flags)[0].faults[0].type) == (["--fault"], "hang")


@pytest.mark.parametrize("empty", ["", " ", ";", " ; "])
def test_a_flag_that_names_no_fault_or_spike_is_as_none(empty: str) -> None:
    """A variable that a CI left empty must not make a run in which nothing happens."""
    for flags in (Flags(fault=empty), Flags(spike=empty)):
        assert read_scenario(None, flags) == read_scenario(None, Flags())


def test_what_repeats_in_a_flag_is_one_table_that_does() -> None:
    """So the record shows what was said."""
    values: Values = {
        "warm_up": "4s",
        "dips": dips_of("20% for 2s every 30s repeat 3; 0/s for 1s at 1s"),
        "spikes": spikes_of("3x for 2s at 9s every 1m repeat 2"),
    }
    scenario = parse_scenario(values)
    assert [(len(scenario.dips), len(scenario.spikes))] == [(2, 1)]
    assert [dip.at_s for dip in scenario.dip_schedule()] == [4.0, 34.0, 64.0, 1.0]
    assert [spike.at_s for spike in scenario.spike_schedule()] == [9.0, 69.0]
    with pytest.raises(ScenarioError, match="--dip: in the dip '20% for 2s repeat 3': every: "):
        dips_of("20% for 2s repeat 3")
    with pytest.raises(ScenarioError, match="--spike: 101 of them, each time counted"):
        spikes_of("3x for 2s every 2s repeat 100; 3x for 2s")


def test_a_spike_replaces_the_default_dip_and_no_other() -> None:
    """`--spike` alone is a run with a spike alone."""
    spikes = spikes_of("3x for 2s")
    assert parse_scenario({"spikes": spikes}).dips == ()
    assert len(parse_scenario({"spikes": spikes, "dips": dips_of("20% for 2s")}).dips) == 1


def test_text_that_is_no_dip_or_spike_names_its_flag() -> None:
    """With the form that is expected."""
    with pytest.raises(ScenarioError, match="--dip: '20%' is not a dip: expected"):
        dips_of("20%")
    with pytest.raises(ScenarioError, match="--fault: 'hang' is not a fault: expected"):
        faults_of("hang")
    with pytest.raises(ScenarioError, match="--spike: '3x' is not a spike: expected"):
        spikes_of("3x")


def test_a_policy_that_is_chosen_keeps_the_scenarios_parameters() -> None:
    """And layers; one that is chosen twice runs beside itself."""
    listed = [{"name": "immediate", "attempts": 2, "layers": ["immediate"]}, {"name": "no-retry"}]
    tables = chosen_policies({"policies": listed}, ["immediate", "immediate"])
    assert [table.get("lane", "") for table in tables] == ["", "immediate (2)"]
    assert all(table["attempts"] == 2 and table["layers"] for table in tables)


def test_each_way_to_say_the_load_takes_the_place_of_the_other() -> None:
    """As a flag; two flags are one too many, which the scenario says."""
    values: Values = {"load": {"utilisation": 0.5, "path": "/a"}}
    override_load(values, None, None)
    assert values == {"load": {"utilisation": 0.5, "path": "/a"}}
    override_load(values, "9/s", None)
    assert values == {"load": {"path": "/a", "rate": "9/s"}}
    override_load(values, None, "95%")
    assert values == {"load": {"path": "/a", "utilisation": "95%"}}
    override_load(values, "9/s", "95%")
    with pytest.raises(ScenarioError, match="two spellings"):
        parse_scenario(values)


def test_a_file_with_flags_is_a_scenario(tmp_path: Path) -> None:
    """Every flag reaches it."""
    file = tmp_path / "a.toml"
    file.write_text('name = "a"\n[load]\nrate = "5/s"\npath = "/a"\n', encoding="utf-8")
    scenario, remarks = read_scenario(
        file, Flags(policies=["no-retry"], utilisation="50%", capacity="50/s", scale="10", seed=4)
    )
    assert (scenario.name, scenario.load.path, scenario.load.rate_per_s) == ("a", "/a", 25.0)
    assert [choice.name for choice in scenario.policies] == ["no-retry"]
    assert (scenario.simulation.scale, scenario.seed) == (10.0, 4)
    assert remarks == []


def test_a_mistake_of_a_file_has_its_name_and_one_of_a_flag_has_not(tmp_path: Path) -> None:
    """Whoever reads it knows where to look."""
    file = tmp_path / "a.toml"
    file.write_text('warm_up = "soon"\n[load]\nrate = "0/s"\n', encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        read_scenario(file, Flags(rate="1/s", observation="2h"))
    first, second = str(caught.value).splitlines()
    assert first.startswith(f"{file}: warm_up: 'soon' is not a duration")
    assert second == "observation: '2h' is longer than 1h"
