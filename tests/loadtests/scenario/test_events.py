"""What happens in a scenario, and when: disturbances, an operator's actions, the end."""

import pytest

from faults.action import OperatorAction
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.spike import Spike
from loadtests.scenario import ScenarioError, parse_scenario

QUEUE = {"workers": 10, "service_time": "100ms"}


def test_every_kind_of_event_is_read_with_its_units() -> None:
    """And comes back from its JSON the same."""
    scenario = parse_scenario(
        {
            "warm_up": "5s",
            "target": QUEUE,
            "dips": [
                {"workers": 2, "for": "1s", "slow_start": "3s"},
                {"service_time": "400ms", "for": "1s", "at": "7s", "lanes": ["immediate"]},
                {"capacity": "20/s", "shape": "ramp"},
            ],
            "faults": [
                {"type": "latency", "add": "200ms", "spread": "50ms", "share": "50%", "for": "5s"},
                {"type": "error", "status": 503, "retry_after": "2s", "at": "6s", "for": "1s"},
            ],
            "spikes": [{"factor": "3x", "at": "10s", "for": "2s", "lanes": ["no-retry"]}],
            "actions": [
                {"action": "shed", "share": "90%", "at": "30s", "for": "10s"},
                {"action": "block-retries", "at": "30s", "for": "1m", "lanes": ["immediate"]},
                {"action": "reopen", "step": "20%", "every": "2s", "max_errors": "1%", "at": "31s"},
            ],
        }
    )
    assert scenario.dip_schedule() == (
        Dip(None, 1.0, 5.0, workers=2, slow_start_s=3.0),
        Dip(None, 1.0, 7.0, lanes=("immediate",), service_time_s=0.4),
        Dip("20/s", 2.0, 5.0, "ramp"),
    )
    assert scenario.fault_schedule() == (
        ServiceFault("latency", 5.0, 5.0, share=0.5, add_s=0.2, spread_s=0.05),
        ServiceFault("error", 1.0, 6.0, status=503, retry_after_s=2.0),
    )
    assert scenario.spike_schedule() == (Spike(3.0, 2.0, 10.0, ("no-retry",)),)
    assert scenario.action_schedule() == (
        OperatorAction("shed", 10.0, 30.0, share=0.9),
        OperatorAction("block-retries", 60.0, 30.0, ("immediate",)),
        OperatorAction("reopen", 600.0, 31.0, step=0.2, every_s=2.0, max_errors=0.01),
    )
    assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario


@pytest.mark.parametrize(
    ("values", "dips", "end_s"),
    [
        ({}, 1, 42.0),
        ({"dips": []}, 0, 40.0),
        ({"spikes": [{"factor": 2, "for": "5s"}]}, 0, 45.0),
        ({"faults": [{"type": "hang", "at": "2s", "for": "1s"}]}, 0, 33.0),
        ({"spikes": [{"factor": 2}], "dips": [{}]}, 1, 42.0),
        ({"spikes": [{"factor": 2, "at": "20s"}], "dips": [{"at": "1s"}]}, 1, 52.0),
        ({"dips": [{"for": "1s", "slow_start": "4s"}]}, 1, 45.0),
        ({"actions": [{"action": "reopen", "at": "41s"}]}, 1, 42.0),
    ],
)
def test_the_observation_follows_the_last_disturbance(
    values: dict[str, object], dips: int, end_s: float
) -> None:
    """There is a dip unless something else goes wrong instead; an action moves no end."""
    scenario = parse_scenario(values)
    assert len(scenario.dips) == dips
    assert scenario.planned_end_s == end_s


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"dips": [{"capacity": "20%", "workers": 2}]}, "dips.0: capacity: give exactly one of"),
        ({"dips": [{"workers": 2}]}, "dips.0: workers: [target] has none: give it some"),
        ({"dips": [{"service_time": "1s"}]}, "dips.0: service_time: [target] has none"),
        (
            {"dips": [{"service_time": "1s"}], "target": {"workers": 3}},
            "dips.0: service_time: [target] has none: give it one, or a capacity here",
        ),
        ({"dips": [{"shape": "ramp", "slow_start": "1s"}]}, "slow_start: a ramp climbs back by"),
        ({"faults": [{"type": "fire"}]}, "faults.0: type: 'fire' is not latency, error, hang"),
        ({"faults": [{"type": "latency"}]}, "faults.0: add: latency needs it"),
        ({"faults": [{"type": "hang", "add": "1s"}]}, "faults.0: add: is for latency only"),
        ({"faults": [{"type": "error", "status": 200}]}, "status: an error is from 400 to 599"),
        ({"faults": [{"type": "hang", "share": "101%"}]}, "faults.0.share: '101%' is not a share"),
        ({"faults": [{}]}, "faults.0.type: is needed"),
        ({"spikes": [{"for": "1s"}]}, "spikes.0.factor: is needed"),
        ({"spikes": [{"factor": -1}]}, "spikes.0: factor: arrivals are multiplied by 0 to 1000"),
        ({"spikes": [{"factor": "3"}]}, "factor: '3' is not how many times the load, as in \"3x\""),
        (
            {"spikes": [{"factor": 2, "shape": "v"}]},
            "spikes.0.shape: there is no such setting: expected for, at, lanes, factor",
        ),
        ({"actions": [{"action": "shed", "share": "9%"}]}, "actions.0.at: is needed"),
        ({"actions": [{"action": "pray", "at": "1s", "for": "1s"}]}, "action: 'pray' is not shed"),
        ({"actions": [{"action": "shed", "share": "9%", "at": "1s"}]}, "for: shed needs it"),
        ({"actions": [{"action": "shed", "at": "1s", "for": "1s"}]}, "share: shed needs it"),
        (
            {"actions": [{"action": "reopen", "at": "42s"}]},
            "actions.0: at: 42s is not before the end of the run, 42s",
        ),
        ({"dips": [{"lanes": ["x"]}]}, "dips: unknown lane 'x': expected no-retry"),
        ({"faults": [{"type": "hang", "lanes": ["x"]}]}, "faults: unknown lane 'x'"),
        ({"spikes": [{"factor": 2, "lanes": ["x"]}]}, "spikes: unknown lane 'x'"),
        (
            {"actions": [{"action": "reopen", "at": "1s", "lanes": ["x"]}]},
            "actions: unknown lane 'x'",
        ),
        ({"dips": [{}] * 101}, "dips: expected at most 100 of them"),
    ],
)
def test_a_bad_event_is_named_with_what_is_allowed(values: dict[str, object], says: str) -> None:
    """Before anything is started."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(values)
    assert says in str(caught.value)
