"""Faults and an operator's actions at the admin API: what is planned, and what is refused."""

import json
from typing import Any

import pytest

from target_service.limits import MAX_ACTIONS, MAX_FAULTS
from tests.target_service.test_admin import Service

ACTION = {
    "id": "action-1",
    "start_s": 0.3,
    "lanes": None,
    "state": "pending",
    "share": None,
    "shares": None,
    "step": None,
    "every": None,
    "max_errors": None,
}


@pytest.fixture
def service() -> Service:
    """A target of 100/s with a lane, 250 ms old."""
    made = Service(capacity="100/s")
    made.work("a")
    made.clock.now_s = 0.25
    return made


def post(service: Service, path: str, **asked: Any) -> Any:
    """What is answered to a call that plans something; `for_` is ``for``."""
    asked = {name.rstrip("_"): value for name, value in asked.items()}
    return service("POST", f"/admin/{path}", asked)


def test_a_fault_is_planned_listed_and_over(service: Service) -> None:
    """On whole ticks, with all that was asked for."""
    asked = {"type": "latency", "add": "200ms", "spread": "50ms", "share": "50%", "for_": "5s"}
    response = post(service, "faults", **asked)
    fault = {
        "id": "fault-1",
        "start_s": 0.3,
        "end_s": 5.3,
        "state": "pending",
        "lanes": None,
        "for": "5s",
        "type": "latency",
        "share": "50%",
        "add": "0.2s",
        "spread": "0.05s",
        "status": None,
        "retry_after": None,
    }
    assert (response.status, response.json) == (201, fault)
    service.clock.now_s = 0.3
    assert service("GET", "/admin/faults").json == [{**fault, "state": "active"}]
    service.clock.now_s = 5.3
    assert service("GET", "/admin/state").json["faults"] == [{**fault, "state": "ended"}]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"type": "error"}, {"status": 500, "retry_after": None}),
        (
            {"type": "error", "status": 429, "retry_after": "2s"},
            {"status": 429, "retry_after": "2s"},
        ),
        ({"type": "hang", "share": "0.5%"}, {"share": "0.5%", "status": None}),
        ({"type": "reset", "lanes": ["a"]}, {"lanes": ["a"], "share": "100%"}),
        ({"type": "cut", "after": "10s"}, {"start_s": 10.3, "end_s": 11.3}),
        ({"type": "latency", "add": "1s"}, {"add": "1s", "spread": "0s"}),
    ],
)
def test_every_type_of_fault_has_its_options(
    service: Service, asked: dict[str, Any], said: dict[str, Any]
) -> None:
    """And defaults."""
    response = post(service, "faults", for_="1s", **asked)
    assert response.status == 201
    assert said.items() <= response.json.items()


def test_an_operators_actions_are_planned_and_listed(service: Service) -> None:
    """With what each sheds when it is in force."""
    shed = post(service, "shed", share="90%", for_="10s").json
    assert shed == {**ACTION, "action": "shed", "end_s": 10.3, "for": "10s", "share": "90%"}
    block = post(service, "block-retries", for_="1m").json
    wanted = {"id": "action-2", "action": "block-retries", "end_s": 60.3, "for": "60s"}
    assert block == {**ACTION, **wanted}
    reopen = post(service, "reopen").json
    asked = {"for": "600s", "step": "20%", "every": "5s", "max_errors": "5%"}
    wanted = {"id": "action-3", "action": "reopen", "end_s": 600.3, "share": "80%", "shares": {}}
    assert reopen == {**ACTION, **wanted, **asked}
    assert service("GET", "/admin/actions").json == [shed, block, reopen]
    assert service("GET", "/admin/state").json["actions"] == [shed, block, reopen]


def test_a_reopening_goes_on_and_is_over_when_all_is_open(service: Service) -> None:
    """Its share is the one in force, and it ends before its time."""
    post(service, "reopen", step="50%", every="1s", for_="1m", lanes=["a"])
    for now_s, state, share in ((1.25, "active", "50%"), (1.35, "ended", "0%")):
        service.clock.now_s = now_s
        (action,) = service("GET", "/admin/actions").json
        assert (action["state"], action["share"], action["shares"]) == (state, share, {"a": share})
    assert (action["start_s"], action["end_s"]) == (0.3, 1.3)


@pytest.mark.parametrize(
    ("path", "listed", "asked"),
    [
        ("faults", "faults", {"type": "hang"}),
        ("shed", "actions", {"share": "9%"}),
        ("block-retries", "actions", {}),
        ("reopen", "actions", {}),
    ],
)
def test_it_can_be_ended_early_and_cancelled(
    service: Service, path: str, listed: str, asked: dict[str, Any]
) -> None:
    """The answer has its real end; a second time changes nothing."""
    active = post(service, path, for_="1m", **asked).json
    pending = post(service, path, for_="1m", after="1m", **asked).json
    for now_s, state in ((5.05, "active"), (9.0, "ended")):
        service.clock.now_s = now_s
        ended = service("DELETE", f"/admin/{listed}/{active['id']}").json
        assert (ended["end_s"], ended["state"]) == (5.1, state)
        cancelled = service("DELETE", f"/admin/{listed}/{pending['id']}").json
        assert cancelled["start_s"] == cancelled["end_s"]
        assert cancelled["state"] == "cancelled"


def test_a_reset_drops_faults_and_actions_and_ids_go_on(service: Service) -> None:
    """Idempotent."""
    for _ in range(2):
        post(service, "faults", type="hang", for_="1m")
        post(service, "shed", share="100%", for_="1m")
        service.clock.now_s += 1
        assert service("GET", "/admin/state").json["faults"][0]["state"] == "active"
        state = service("POST", "/admin/reset").json
        assert (state["faults"], state["actions"]) == ([], [])
    assert post(service, "faults", type="hang", for_="1m").json["id"] == "fault-3"
    assert post(service, "shed", share="1%", for_="1m").json["id"] == "action-3"


@pytest.mark.parametrize(
    ("path", "asked", "field", "says"),
    [
        ("faults", {"type": "smoke"}, "type", "'latency', 'error', 'hang', 'reset' or 'cut'"),
        ("faults", {"type": None}, "type", "'latency'"),
        ("faults", {"for": "0.9ms"}, "for", "lasts from 1ms to 3600s"),
        ("faults", {"for": "61m"}, "for", "from 1ms to 3600s"),
        ("faults", {"after": "25h"}, "after", "at most 86400s"),
        ("faults", {"lanes": ["nope"]}, "lanes", "there is no lane 'nope'; there are: a"),
        ("faults", {"lanes": []}, "lanes", "at least 1"),
        ("faults", {"share": "0%"}, "share", "a fault strikes some attempts: above 0%"),
        ("faults", {"type": "latency", "add": "0ms"}, "add", "adds some time: above 0s"),
        (
            "faults",
            {"type": "latency", "add": "0ms", "spread": "0s"},
            "add",
            "above 0s, unless there is a spread",
        ),
        ("faults", {"share": "101%"}, "share", "from 0% to 100%"),
        ("faults", {"type": "fire"}, "type", "expected 'latency', 'error', 'hang', 'reset' or 'cu"),
        ("faults", {"status": "503"}, "status", "expected a whole number"),
        ("faults", {"status": True}, "status", "expected a whole number"),
        ("faults", {"status": 503.0}, "status", "expected a whole number"),
        ("faults", {"status": "many"}, "status", "expected a whole number"),
        ("faults", {"share": 0.5}, "share", "expected text with a share"),
        ("faults", {"add": "1s"}, "add", "is for latency only, not for error"),
        ("faults", {"spread": "1s"}, "spread", "is for latency only"),
        ("faults", {"type": "latency"}, "add", "is required for latency"),
        ("faults", {"type": "latency", "add": "6m"}, "add", "at most 300s"),
        ("faults", {"type": "latency", "add": 1}, "add", "expected text with a duration"),
        ("faults", {"type": "latency", "add": "1s", "status": 500}, "status", "is for error only"),
        ("faults", {"type": "hang", "retry_after": "1s"}, "retry_after", "is for error only"),
        ("faults", {"status": 399}, "status", "expected at least 400"),
        ("faults", {"status": 600}, "status", "expected at most 599"),
        ("faults", {"retry_after": "1.5s"}, "retry_after", "whole seconds up to 1h"),
        ("faults", {"retry_after": "2h"}, "retry_after", "whole seconds up to 1h"),
        ("faults", {"shape": "ramp"}, "shape", "there is no such field here"),
        ("faults", {"type": "\ud800"}, "type", "expected text"),
        ("faults", {"status": float("nan")}, "status", "expected a whole number"),
        ("faults", {"status": "9" * 5000}, "status", "expected a whole number"),
        ("shed", {"share": "0%"}, "share", "shed turns something away: above 0%"),
        ("shed", {"share": "-1%"}, "share", "from 0% to 100%"),
        ("shed", {"share": None}, "share", "expected text with a share"),
        ("shed", {"lanes": ["nope"]}, "lanes", "there is no lane 'nope'"),
        ("shed", {"step": "20%"}, "step", "there are for, after, lanes, share"),
        ("block-retries", {"share": "1%"}, "share", "there are for, after, lanes"),
        ("block-retries", {"lanes": ["nope"]}, "lanes", "there is no lane"),
        ("reopen", {"step": "0%"}, "step", "at least 1%"),
        ("reopen", {"every": "0s"}, "every", "from 1ms to 3600s"),
        ("reopen", {"max_errors": "5"}, "max_errors", "from 0% to 100%"),
        ("reopen", {"lanes": ["nope"]}, "lanes", "there is no lane"),
    ],
)
def test_bad_input_is_a_422_that_names_the_field(
    service: Service, path: str, asked: dict[str, Any], field: str, says: str
) -> None:
    """And says what is right; nothing is planned."""
    good = {"faults": {"type": "error"}, "shed": {"share": "50%"}}.get(path, {})
    body = json.dumps({"for": "2s", **good, **asked}).encode()
    response = service("POST", f"/admin/{path}", body, headers={"content-type": "application/json"})
    assert response.status == 422
    assert response.json["error"] == "bad-input"
    (problem,) = response.json["fields"]
    assert problem["field"] == field
    assert says in problem["problem"]
    state = service("GET", "/admin/state").json
    assert (state["faults"], state["actions"]) == ([], [])


@pytest.mark.parametrize(
    ("path", "asked", "field"),
    [
        ("faults", {"for": "2s"}, "type"),
        ("faults", {"type": "hang"}, "for"),
        ("shed", {"for": "2s"}, "share"),
        ("shed", {"share": "2%"}, "for"),
        ("block-retries", {}, "for"),
        ("faults", [], "body"),
    ],
)
def test_what_is_missing_is_named(service: Service, path: str, asked: object, field: str) -> None:
    """A reopening has a default for everything."""
    response = service("POST", f"/admin/{path}", asked)
    assert response.status == 422
    assert response.json["fields"][0]["field"] == field


@pytest.mark.parametrize("kind", ["fault", "action"])
def test_an_unknown_id_is_a_404(service: Service, kind: str) -> None:
    """Named for what it is."""
    response = service("DELETE", f"/admin/{kind}s/{kind}-7")
    assert (response.status, response.json["error"]) == (404, f"unknown-{kind}")


@pytest.mark.parametrize(
    ("path", "asked", "kind", "limit"),
    [
        ("faults", {"type": "cut"}, "faults", MAX_FAULTS),
        ("block-retries", {}, "actions", MAX_ACTIONS),
    ],
)
def test_one_too_many_is_a_409_that_says_the_limit(
    service: Service, path: str, asked: dict[str, Any], kind: str, limit: int
) -> None:
    """Pending and active ones count."""
    for _ in range(limit):
        assert post(service, path, for_="1m", after="1m", **asked).status == 201
    response = post(service, path, for_="1m", **asked)
    assert (response.status, response.json["error"]) == (409, f"too-many-{kind}")
    assert f"{limit} {kind}" in response.json["message"]
