"""What happens in a scenario, and when: disturbances, an operator's actions, the end."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faults.action import OperatorAction
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.spike import Spike
from loadtests.overrides import dips_of
from loadtests.scenario import Scenario, ScenarioError, parse_scenario

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
        ({"dips": [{"repeat": 10, "every": "30s"}]}, 1, 312.0),
        ({"dips": [{"repeat": 2, "every": "5s"}, {"at": "14s"}]}, 2, 47.0),
        ({"dips": [{"repeat": 2, "every": "5s", "for": "1s", "slow_start": "4s"}]}, 1, 50.0),
        ({"spikes": [{"factor": 2, "repeat": 3, "every": "2s"}]}, 0, 46.0),
        ({"faults": [{"type": "hang", "repeat": 3, "every": "2s", "at": "1s"}]}, 0, 37.0),
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
            "spikes.0.shape: there is no such setting: expected for, at, lanes, repeat, every, fac",
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
        ({"dips": [{"repeat": 2}]}, "dips.0: every: repeat needs it: how long from one beginning"),
        ({"dips": [{}, {"every": "9s"}]}, "dips.1: repeat: every needs it: how many times, as in"),
        (
            {"dips": [{"repeat": 3, "every": "2s", "for": "1s", "slow_start": "2s"}]},
            "dips.0: every: each lasts 3s, so they would overlap: expected at least that, not 2s",
        ),
        (
            {"faults": [{"type": "hang", "repeat": 3, "every": "1999ms"}]},
            "faults.0: every: each lasts 2s, so they would overlap: expected at least that, not",
        ),
        ({"spikes": [{"factor": 2, "repeat": 3, "every": "1s"}]}, "spikes.0: every: each lasts 2s"),
        ({"dips": [{"repeat": 0, "every": "9s"}]}, "dips.0.repeat: expected at least 1"),
        ({"dips": [{"repeat": 101, "every": "9s"}]}, "dips.0.repeat: expected at most 100"),
        ({"dips": [{"repeat": 2.5, "every": "9s"}]}, "dips.0.repeat: expected a whole number"),
        ({"dips": [{"repeat": True, "every": "9s"}]}, "dips.0.repeat: expected a whole number"),
        ({"dips": [{"workers": True}]}, "dips.0.workers: expected a whole number"),
        ({"dips": [{"workers": "2"}]}, "dips.0.workers: expected a whole number"),
        (
            {"faults": [{"type": "error", "status": "503"}]},
            "faults.0.status: expected a whole number",
        ),
        (
            {"faults": [{"type": "hang", "share": True}]},
            "faults.0.share: expected a number",
        ),
        ({"dips": [{"capacity": " 100.0 %"}]}, "dips.0: capacity: a dip to 100% lowers nothing"),
        ({"faults": [{"type": "hang", "share": "0%"}]}, "share: a fault strikes some attempts"),
        ({"faults": [{"type": "latency", "add": "0ms"}]}, "add: latency adds some time"),
        ({"spikes": [{"factor": "1x"}]}, "factor: 1 changes nothing"),
        ({"spikes": [{"factor": True}]}, "spikes.0.factor: expected a number"),
        ({"dips": [{"repeat": 2, "every": 9}]}, "dips.0.every: expected text with a duration"),
        (
            {"dips": [{"repeat": 60, "every": "9s"}, {"repeat": 41, "every": "9s"}]},
            "dips: 101 of them, each time counted: expected at most 100",
        ),
        (
            {"spikes": [{"factor": 2}, {"factor": 2, "repeat": 100, "every": "9s"}]},
            "spikes: 101 of them, each time counted: expected at most 100",
        ),
        (
            {"dips": [{"repeat": 100, "every": "1h"}]},
            "dips.0: every: the last of 100 would begin at 99h: expected at most 24h",
        ),
        (  # By itself the last begins at 23h.
            {"warm_up": "1h", "dips": [{}, {"repeat": 24, "every": "1h", "at": "61m"}]},
            "dips.1: every: the last of 24 would begin at 1441m: expected at most 24h",
        ),
        (
            {"warm_up": "1h", "dips": [{"repeat": 25, "every": "58m"}]},
            "dips.0: every: the last of 25 would begin at 1452m: expected at most 24h",
        ),
    ],
)
def test_a_bad_event_is_named_with_what_is_allowed(values: dict[str, object], says: str) -> None:
    """Before anything is started."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(values)
    assert says in str(caught.value)


@pytest.mark.parametrize("extra", [{}, {"at": "1h"}])
def test_once_needs_no_every_and_may_have_one(extra: dict[str, object]) -> None:
    """A sweep of `dip.repeat` begins with 1."""
    for once in ({}, {"repeat": 1}, {"repeat": 1, "every": "30s"}):
        scenario = parse_scenario({"dips": [{**extra, **once}]})
        assert scenario.dip_schedule() == parse_scenario({"dips": [extra]}).dip_schedule()
        assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario


def test_one_may_begin_when_the_one_before_is_over() -> None:
    """In floats 0.1 + 0.2 is more than 0.3."""
    dip = {"for": "100ms", "slow_start": "200ms", "repeat": 3, "every": "300ms"}
    assert [dip.at_s for dip in parse_scenario({"dips": [dip]}).dip_schedule()] == [10, 10.3, 10.6]


def test_what_is_repeated_stands_once_in_the_record() -> None:
    """And who does not repeat says nothing of it."""
    values = {"dips": [{"repeat": 10, "every": "30s"}, {"at": "5s"}]}
    first, second = parse_scenario(values).model_dump(mode="json", by_alias=True)["dips"]
    assert (first["repeat"], first["every"]) == (10, "30s")
    assert not {"repeat", "every"} & second.keys()


def test_every_kind_of_disturbance_is_repeated() -> None:
    """The rest of it is the same each time."""
    again = {"repeat": 3, "every": "5s", "lanes": ["immediate"], "for": "1s"}
    scenario = parse_scenario(
        {
            "dips": [{**again, "workers": 2, "slow_start": "1s"}, {"at": "2s"}],
            "faults": [{**again, "type": "error", "status": 503, "share": "50%", "at": "12s"}],
            "spikes": [{**again, "factor": "3x"}],
            "target": QUEUE,
        }
    )
    lanes = ("immediate",)
    assert scenario.dip_schedule() == (
        *(Dip(None, 1.0, at_s, "step", lanes, 2, None, 1.0) for at_s in (10.0, 15.0, 20.0)),
        Dip("20%", 2.0, 2.0),
    )
    assert scenario.fault_schedule() == tuple(
        ServiceFault("error", 1.0, at_s, lanes, 0.5, status=503) for at_s in (12.0, 17.0, 22.0)
    )
    assert scenario.spike_schedule() == tuple(
        Spike(3.0, 1.0, at_s, lanes) for at_s in (10.0, 15.0, 20.0)
    )
    assert scenario.planned_end_s == 22.0 + 1.0 + 30.0


def in_ms(ms: int) -> str:
    return f"{ms}ms"


def told(scenario: Scenario) -> object:
    """To the nanosecond."""
    return scenario.model_dump(mode="json", by_alias=True)["dips"]


@settings(max_examples=40, deadline=None)
@given(
    for_ms=st.integers(1, 5_000),
    slow_ms=st.integers(0, 5_000),
    gap_ms=st.integers(0, 60_000),
    at_ms=st.none() | st.integers(1_000, 90_000),
    repeat=st.integers(2, 40),
)
def test_repeating_is_the_same_as_naming_each(
    for_ms: int, slow_ms: int, gap_ms: int, at_ms: int | None, repeat: int
) -> None:
    """Instant by instant, without a float's error, and with the same end."""
    every_ms = for_ms + slow_ms + gap_ms
    dip = {"for": in_ms(for_ms), "slow_start": in_ms(slow_ms)}
    at = {} if at_ms is None else {"at": in_ms(at_ms)}
    compact = parse_scenario({"dips": [{**dip, **at, "repeat": repeat, "every": in_ms(every_ms)}]})
    first_ms = 10_000 if at_ms is None else at_ms
    begins_ms = [first_ms + number * every_ms for number in range(repeat)]
    each = parse_scenario({"dips": [{**dip, "at": in_ms(ms)} for ms in begins_ms]})
    assert [one.at_s for one in compact.dip_schedule()] == [
        float(Fraction(ms, 1000)) for ms in begins_ms
    ]
    assert compact.planned_end_s == pytest.approx(each.planned_end_s, abs=1e-9)
    text = f"20% for {in_ms(for_ms)} every {in_ms(every_ms)} repeat {repeat}"
    said = text if at_ms is None else f"{text} at {in_ms(at_ms)}"
    [written] = dips_of(said)
    again = parse_scenario({"dips": [{**written, "slow_start": in_ms(slow_ms)}]})
    assert told(again) == told(compact)
