"""A cell is one lane of the scenario, and a probe the same with an outage."""

import pytest

from faults.dip import Dip
from faults.fault import ServiceFault
from loadtests.overrides import Values
from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.sweep.alone import only_lane, with_outage

LANES: Values = {
    "warm_up": "10s",
    "observation": "20s",
    "policies": [{"name": "no-retry"}, {"name": "immediate", "lane": "b"}],
    "dips": [
        {"capacity": "50%", "for": "2s", "lanes": ["b"]},
        {"capacity": "20%", "for": "1s", "at": "14s"},
    ],
    "spikes": [{"factor": 2, "for": "1s", "at": "11s", "lanes": ["no-retry"]}],
    "actions": [
        {"action": "block-retries", "at": "12s", "for": "1s"},
        {"action": "block-retries", "at": "20s", "for": "5s", "lanes": ["b"]},
    ],
}


def test_a_lane_alone_has_what_happens_to_it() -> None:
    """Its policy, its events, and nothing of other lanes."""
    scenario = parse_scenario(LANES)
    b = only_lane(scenario, "b")
    assert [choice.lane_name for choice in b.policies] == ["b"]
    assert [dip.for_s for dip in b.dips] == [2.0, 1.0]
    assert (len(b.spikes), len(b.actions)) == (0, 2)
    other = only_lane(scenario, "no-retry")
    assert ([dip.for_s for dip in other.dips], len(other.spikes), len(other.actions)) == (
        [1.0],
        1,
        1,
    )
    assert parse_scenario(b.model_dump(mode="json", by_alias=True)) == b


def test_a_lane_to_which_nothing_happens_is_refused() -> None:
    """It has nothing to recover from."""
    scenario = parse_scenario({**LANES, "dips": [{"lanes": ["b"]}], "spikes": []})
    with pytest.raises(ScenarioError, match="nothing goes wrong in the lane no-retry"):
        only_lane(scenario, "no-retry")


def test_an_outage_comes_in_the_place_of_the_last_disturbance() -> None:
    """No capacity for 30 s at least; what an operator does afterwards is as much later."""
    alone = only_lane(parse_scenario(LANES), "b")
    probe = with_outage(alone)
    first, outage = probe.dips
    assert first == alone.dips[0]
    assert (outage.capacity, outage.begin_s(0.0), outage.for_s) == ("0%", 14.0, 30.0)
    assert [action.at_s for action in probe.actions] == [12.0, 49.0]
    assert probe.planned_end_s == 14.0 + 30.0 + 20.0


@pytest.mark.parametrize(
    ("dips", "faults"),
    [
        ([{"repeat": 3, "every": "10m", "at": "50m"}], []),
        ([{"repeat": 1, "every": "10m", "at": "70m"}], []),
        (
            [{"repeat": 2, "every": "10m", "at": "30m", "for": "5s"}],
            [{"type": "hang", "repeat": 2, "every": "1m", "at": "69m"}],
        ),
    ],
)
def test_of_what_is_repeated_the_outage_takes_the_place_of_the_last_time(
    dips: list[Values], faults: list[Values]
) -> None:
    """The others stay, and the probe is a scenario as others are."""
    before = parse_scenario({"dips": dips, "faults": faults})
    probe = with_outage(before)
    *kept, outage = probe.dip_schedule()
    struck: list[Dip | ServiceFault] = [*before.dip_schedule(), *before.fault_schedule()]
    left: list[Dip | ServiceFault] = [*kept, *probe.fault_schedule()]
    assert sorted([*(one.at_s for one in left), 4200.0]) == sorted(one.at_s for one in struck)
    assert set(left) < set(struck)
    assert (outage.capacity, outage.at_s, outage.for_s) == ("0%", 4200.0, 30.0)
    assert parse_scenario(probe.model_dump(mode="json", by_alias=True)) == probe


@pytest.mark.parametrize(("for_", "outage_s"), [("1s", 30.0), ("4s", 40.0), ("30m", 3600.0)])
def test_an_outage_is_ten_times_as_long(for_: str, outage_s: float) -> None:
    """At least 30 s, at most what a scenario allows."""
    probe = with_outage(parse_scenario({"dips": [{"for": for_}]}))
    assert [dip.for_s for dip in probe.dips] == [outage_s]


@pytest.mark.parametrize(
    "events", [{"faults": [{"type": "error", "for": "2s"}]}, {"spikes": [{"factor": 3}]}]
)
def test_faults_and_spikes_have_an_outage_for_a_probe_too(events: Values) -> None:
    """What set it off does not matter to what keeps it going."""
    probe = with_outage(parse_scenario(events))
    assert ([dip.capacity for dip in probe.dips], probe.faults, probe.spikes) == (["0%"], (), ())
