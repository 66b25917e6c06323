"""A schedule is text that can be read and written without loss."""

import re

import pytest

from faults.dip import Dip
from faults.fault import ServiceFault
from faults.schedule import parse_faults, parse_schedule, parse_spikes
from faults.spike import Spike


@pytest.mark.parametrize(
    ("text", "dips"),
    [
        ("", ()),
        (" ; ", ()),
        ("20% for 2s", (Dip("20%", 2.0),)),
        (
            "20% for 2s at 10s; 0/s for 500ms at 30s",
            (Dip("20%", 2.0, 10.0), Dip("0/s", 0.5, 30.0)),
        ),
        (
            "5/s for 1m at 1h as ramp in a,b;",
            (Dip("5/s", 60.0, 3600.0, "ramp", ("a", "b")),),
        ),
        ("20% at 3s for 2s", (Dip("20%", 2.0, 3.0),)),
        (
            "20% for 2s at 10s every 30s repeat 3; 50% for 1s at 5s",
            (*(Dip("20%", 2.0, at_s) for at_s in (10.0, 40.0, 70.0)), Dip("50%", 1.0, 5.0)),
        ),
        (
            "0/s repeat 2 for 100ms in a every 100ms as ramp",
            (Dip("0/s", 0.1, 0.0, "ramp", ("a",)), Dip("0/s", 0.1, 0.1, "ramp", ("a",))),
        ),
        ("20% for 2s every 3s repeat 1", (Dip("20%", 2.0),)),
        ("20% for 2s repeat 1", (Dip("20%", 2.0),)),
    ],
)
def test_a_schedule_is_read(text: str, dips: tuple[Dip, ...]) -> None:
    """Words in any order, an empty text is no dip."""
    assert parse_schedule(text) == dips


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("20%", "is not a dip: expected"),
        ("20% for", "is not a dip"),
        ("20% for 2s for 3s", "is not a dip"),
        ("20% during 2s", "is not a dip"),
        ("for 2s", "is not a dip"),
        ("20% for 2s at", "is not a dip"),
        ("20/m for 2s", "in the dip '20/m for 2s': capacity: "),
        ("20% for two", "for: 'two' is not a duration"),
        ("20% for 0s", "for: a dip lasts from 1ms"),
        ("20% for 2s at -1s", "at: '-1s' is not a duration"),
        ("20% for 2s as cliff", "shape: 'cliff' is not step or ramp"),
        ("20% for 2s; 30% for 2s at 25h", "in the dip '30% for 2s at 25h': at: "),
        ("20% during 2s", "DURATION [at TIME] [every TIME repeat NUMBER] [as step|ramp] [in LANE"),
        (
            "20% for 2s repeat 3",
            "in the dip '20% for 2s repeat 3': every: repeat needs it: how long",
        ),
        ("20% for 2s every 3s", "repeat: every needs it: how many times, as in 10"),
        ("20% for 2s every 3s repeat x", "repeat: 'x' is not how many times, as in \"10\""),
        ("20% for 2s every 3s repeat -1", "repeat: '-1' is not how many times"),
        ("20% for 2s every 3s repeat 0", "repeat: expected 1 to 100 times, not 0"),
        ("20% for 2s every 3s repeat 999999999", "repeat: expected 1 to 100 times, not 9999"),
        (f"20% for 2s every 3s repeat {'9' * 5000}", "is not how many times"),
        ("20% for 2s every soon repeat 3", "every: 'soon' is not a duration"),
        ("20% for 2s every 1.9s repeat 3", "every: each lasts 2s, so they would overlap: expected"),
        ("20% for 2s every 1h repeat 26", "every: the last of 26 would begin at 25h: expected at"),
        (
            "20% for 2s every 3s repeat 50; 20% for 1s every 1s repeat 51",
            "101 of them, each time counted: expected at most 100",
        ),
    ],
)
def test_a_bad_schedule_says_which_dip_and_why(text: str, says: str) -> None:
    """In one line."""
    with pytest.raises(ValueError, match=re.escape(says)) as error:
        parse_schedule(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "spikes"),
    [
        ("", ()),
        ("3x for 2s", (Spike(3.0, 2.0),)),
        (
            "1.5x for 500ms at 10s in a,b; 0x at 1m for 1s",
            (Spike(1.5, 0.5, 10.0, ("a", "b")), Spike(0.0, 1.0, 60.0)),
        ),
        ("3x for 2s at 10s every 1m repeat 2", (Spike(3.0, 2.0, 10.0), Spike(3.0, 2.0, 70.0))),
    ],
)
def test_spikes_are_read(text: str, spikes: tuple[Spike, ...]) -> None:
    """As dips are."""
    assert parse_spikes(text) == spikes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3x", "'3x' is not a spike: expected"),
        ("3x for 2s as ramp", "is not a spike"),
        ("3 for 2s", "in the spike '3 for 2s': factor: '3' is not how many times the load"),
        ("-1x for 2s", "factor: '-1x' is not how many times"),
        ("2000x for 2s", "factor: arrivals are multiplied by 0 to 1000"),
        ("3x for 2h", "for: a spike lasts from 1ms to 1h"),
        ("3x for 2s repeat 3", "in the spike '3x for 2s repeat 3': every: repeat needs it"),
        ("3x", "DURATION [at TIME] [every TIME repeat NUMBER] [in LANE,LANE]"),
    ],
)
def test_bad_spikes_say_which_and_why(text: str, says: str) -> None:
    """In one line."""
    with pytest.raises(ValueError, match=re.escape(says)) as error:
        parse_spikes(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ()),
        ("hang for 2s", (ServiceFault("hang", 2.0),)),
        (
            "latency add 200ms spread 50ms share 50% for 5s at 12s in a,b; cut share 0.5% for 1s",
            (
                ServiceFault("latency", 5.0, 12.0, ("a", "b"), 0.5, 0.2, 0.05),
                ServiceFault("cut", 1.0, share=0.005),
            ),
        ),
        (
            "error for 1s every 2s repeat 2 retry_after 1m status 429",
            tuple(
                ServiceFault("error", 1.0, at_s, status=429, retry_after_s=60.0)
                for at_s in (0.0, 2.0)
            ),
        ),
    ],
)
def test_faults_are_read(text: str, faults: tuple[ServiceFault, ...]) -> None:
    """As dips are; the words are the keys of a scenario."""
    assert parse_faults(text) == faults


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hang", "'hang' is not a fault: expected \"latency|error|hang|reset|cut for DURATION"),
        ("hang for 2s as ramp", "is not a fault"),
        ("fire for 2s", "in the fault 'fire for 2s': type: 'fire' is not latency, error, hang"),
        ("20% for 2s", "type: '20%' is not latency"),
        ("latency for 2s", "add: latency needs it"),
        ("hang add 1s for 2s", "add: is for latency only, not for hang"),
        ("latency add soon for 2s", "add: 'soon' is not a duration"),
        ("error status 200 for 2s", "status: an error is from 400 to 599, not 200"),
        ("error status x for 2s", "status: 'x' is not a whole number"),
        ("error retry_after 1500ms for 2s", "retry_after: whole seconds up to 1h"),
        ("cut share 101% for 2s", "share: '101%' is not a share"),
        ("cut for 2h", "for: a fault lasts from 1ms to 1h"),
        ("cut for 2s every 3s repeat 101", "repeat: expected 1 to 100 times"),
    ],
)
def test_bad_faults_say_which_and_why(text: str, says: str) -> None:
    """In one line."""
    with pytest.raises(ValueError, match=re.escape(says)) as error:
        parse_faults(text)
    assert "\n" not in str(error.value)
