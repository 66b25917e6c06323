"""What a body of the page asks for, and what is said of one that makes no sense."""

import json

import pytest

from faults.action import OperatorAction
from faults.dip import Dip
from faults.fault import ServiceFault
from loadtests.control_room.acting.asked import (
    Act,
    EndOf,
    Plan,
    Reset,
    SetCapacity,
    read_asked,
)
from loadtests.control_room.acting.fields import AskedError


def body(**fields: object) -> bytes:
    return json.dumps({"key": "k-1", **fields}).encode()


@pytest.mark.parametrize(
    ("verb", "fields", "act"),
    [
        ("dip", {"capacity": "20%", "for": "2s"}, Plan(Dip("20%", 2.0), 0.0)),
        (
            "dip",
            {"workers": 0, "for": "1m", "after": "5s", "lanes": ["a"], "slow_start": "2s"},
            Plan(Dip(None, 60.0, 5.0, "step", ("a",), workers=0, slow_start_s=2.0), 5.0),
        ),
        (
            "dip",
            {"service_time": "100ms", "for": "2s", "shape": "ramp", "lanes": None, "workers": None},
            Plan(Dip(None, 2.0, shape="ramp", service_time_s=0.1), 0.0),
        ),
        (
            "fault",
            {"type": "latency", "add": "200ms", "spread": "50ms", "share": "50%", "for": "2s"},
            Plan(ServiceFault("latency", 2.0, share=0.5, add_s=0.2, spread_s=0.05), 0.0),
        ),
        (
            "fault",
            {"type": "error", "status": 503, "retry_after": "2s", "for": "2s", "after": "1s"},
            Plan(ServiceFault("error", 2.0, 1.0, status=503, retry_after_s=2.0), 1.0),
        ),
        ("shed", {"share": "90%", "for": "5s"}, Plan(OperatorAction("shed", 5.0, share=0.9), 0.0)),
        ("block-retries", {"for": "5s"}, Plan(OperatorAction("block-retries", 5.0), 0.0)),
        ("reopen", {}, Plan(OperatorAction("reopen", 600.0), 0.0)),
        (
            "reopen",
            {"step": "10%", "every": "1s", "max_errors": "1%", "for": "1m"},
            Plan(OperatorAction("reopen", 60.0, step=0.1, every_s=1.0, max_errors=0.01), 0.0),
        ),
        ("capacity", {"capacity": "150/s"}, SetCapacity(150.0, None)),
        ("capacity", {"capacity": "150/s", "lanes": ["a", "b"]}, SetCapacity(150.0, ("a", "b"))),
        ("reset", {}, Reset()),
        ("end", {"id": "dip-3"}, EndOf("dip-3")),
    ],
)
def test_read(verb: str, fields: dict[str, object], act: Act) -> None:
    """Into the types that the command line uses."""
    asked = read_asked(verb, body(**fields))
    assert (asked.key, asked.act) == ("k-1", act)


@pytest.mark.parametrize(
    ("verb", "fields", "field", "said"),
    [
        ("dip", {"capacity": "20", "for": "2s"}, "capacity", "'20' is not a rate per second or a"),
        ("dip", {"for": "2s"}, "capacity", "give exactly one of capacity, workers and"),
        ("dip", {"capacity": "20%"}, "for", 'for: it is needed, as in "2s"'),
        ("dip", {"capacity": "20%", "for": 2}, "for", "for: expected text"),
        ("dip", {"capacity": 0.2, "for": "2s"}, "capacity", "capacity: expected text"),
        ("dip", {"capacity": "20%", "for": "2"}, "for", "for: '2' is not a duration"),
        ("dip", {"capacity": "20%", "for": "2h"}, "for", "a dip lasts from 1ms to 1h"),
        ("dip", {"capacity": "20%", "for": "2s", "after": "48h"}, "after", "after: a dip begins"),
        ("dip", {"capacity": "20%", "for": "2s", "shape": "x"}, "shape", "'x' is not step or ramp"),
        ("dip", {"workers": "2", "for": "2s"}, "workers", "workers: expected a whole number"),
        ("dip", {"workers": 1.5, "for": "2s"}, "workers", "workers: expected a whole number"),
        ("dip", {"workers": True, "for": "2s"}, "workers", "workers: expected a whole number"),
        ("dip", {"capacity": "0%", "for": "2s", "lanes": []}, "lanes", "at least one lane"),
        ("dip", {"capacity": "0%", "for": "2s", "lanes": "a"}, "lanes", "a list of names"),
        ("dip", {"capacity": "0%", "for": "2s", "lanes": [["a"]]}, "lanes", "a list of names"),
        ("dip", {"capacity": "0%", "for": "2s", "share": "1%"}, "share", "no such field here; the"),
        ("fault", {"for": "2s"}, "type", "type: it is needed"),
        ("fault", {"type": "x", "for": "2s"}, "type", "'x' is not latency, error"),
        ("fault", {"type": "error", "status": 200, "for": "2s"}, "status", "from 400 to 599"),
        ("fault", {"type": "error", "add": "1s", "for": "2s"}, "add", "is for latency only"),
        ("shed", {"for": "2s"}, "share", "share: shed needs it"),
        ("shed", {"for": "2s", "share": "0%"}, "share", "shed turns something away: above 0%"),
        ("shed", {"for": "2s", "share": "120%"}, "share", "is not a share from 0% to 100%"),
        ("reopen", {"step": "0%"}, "step", "step: a step is from 1%"),
        ("capacity", {"capacity": "20%"}, "capacity", "is not a rate per second"),
        ("capacity", {}, "capacity", "capacity: it is needed"),
        ("reset", {"lanes": None}, "lanes", "there are key"),
        ("end", {"id": "spike-1"}, "id", "not one of a dip, a fault or an action"),
        ("end", {"id": "dip-\ud800"}, "id", "not one of a dip, a fault or an action"),
        ("end", {"id": "dip-" + "9" * 9999}, "id", "not one of a dip, a fault or an action"),
        ("end", {}, "id", "id: it is needed"),
        ("reset", {"key": None}, "key", "key: it is needed"),
        ("reset", {"key": 7}, "key", "key: expected text"),
        ("reset", {"key": ""}, "key", "expected 1 to 64 characters"),
        ("reset", {"key": "x" * 65}, "key", "expected 1 to 64 characters"),
    ],
)
def test_refused(verb: str, fields: dict[str, object], field: str, said: str) -> None:
    """The field is named, and what is allowed there."""
    with pytest.raises(AskedError) as refused:
        read_asked(verb, body(**fields))
    assert said in str(refused.value)
    assert refused.value.field == field


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"7",
        b"null",
        b"\xff",
        b"[" * 15_000,
        b'{"a":' * 3_000,
        b"{'a': 1}",
    ],
)
def test_what_is_no_object_is_refused(text: bytes) -> None:
    """However deep."""
    with pytest.raises(AskedError, match="the body is not"):
        read_asked("reset", text)
