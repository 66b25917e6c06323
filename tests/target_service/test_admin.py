"""The admin API: what it does, and how it answers what it cannot do."""

import json
from typing import Any

import pytest

from target_service.admin.errors import said_of
from target_service.app import create_app
from target_service.gate import Gate
from target_service.limits import MAX_BODY_BYTES, MAX_DIPS, TICKS_PER_PAGE
from target_service.settings import read_settings
from tests.target_service.asgi import FakeClock, Response, call


class Service:
    """The target service in this process, with a clock that is set by hand."""

    def __init__(self, **options: str) -> None:
        self.clock = FakeClock()
        self.gate: Gate = create_app(read_settings(**options), self.clock)

    def __call__(self, method: str, path: str, body: object = b"", **how: Any) -> Response:
        return call(self.gate, method, path, body, **how)

    def work(self, lane: str = "a", times: int = 1) -> list[int]:
        """The statuses of some attempts."""
        headers = {"X-Aftershock-Lane": lane, "X-Aftershock-Attempt": "1"}
        return [self("GET", "/work", headers=headers).status for _ in range(times)]

    def json_of_state(self) -> dict[str, Any]:
        """The target as it says it stands."""
        told: dict[str, Any] = self("GET", "/admin/state").json
        return told

    def ticks(self, query: str = "") -> list[dict[str, Any]]:
        """The lines of one page of ticks, once the ticker has come."""
        self.gate.target.observe(self.clock.now_s, 0.01)
        return [json.loads(line) for line in self("GET", f"/admin/ticks{query}").body.splitlines()]


@pytest.fixture
def service() -> Service:
    """A target of 100/s."""
    return Service(capacity="100/s")


def test_work_is_done_by_get_and_post(service: Service) -> None:
    """A small JSON body, 200."""
    for method in ("GET", "POST"):
        response = service(method, "/work", b"")
        assert (response.status, response.json) == (200, {"work": "done"})
    assert service("GET", "/healthz").json == {"status": "ok"}


def test_a_dip_is_planned_listed_and_over(service: Service) -> None:
    """Times are whole ticks of the target's clock."""
    service.work("full-jitter")
    service.clock.now_s = 0.25
    response = service("POST", "/admin/dips", {"capacity": "20%", "for": "2s"})
    dip = {
        "id": "dip-1",
        "start_s": 0.3,
        "end_s": 2.3,
        "capacity": "20%",
        "for": "2s",
        "lanes": None,
        "shape": "step",
        "slow_start": "0s",
        "state": "pending",
    }
    assert (response.status, response.json) == (201, dip)
    service.clock.now_s = 0.3
    assert service("GET", "/admin/dips").json == [{**dip, "state": "active"}]
    assert service("GET", "/admin/state").json["lanes"] == {
        "full-jitter": {"capacity_per_s": 100.0, "in_force_per_s": 20.0}
    }
    service.clock.now_s = 2.3
    assert service("GET", "/admin/state").json["dips"] == [{**dip, "state": "ended"}]


def test_a_dip_takes_delay_lanes_and_shape(service: Service) -> None:
    """All that the design promises."""
    service.work("a")
    asked = {"capacity": "20/s", "for": "500ms", "after": "10s", "lanes": ["a"], "shape": "ramp"}
    dip = service("POST", "/admin/dips", asked).json
    assert (dip["start_s"], dip["end_s"]) == (10.0, 10.5)
    assert (dip["lanes"], dip["shape"], dip["for"]) == (["a"], "ramp", "0.5s")


def test_a_dip_can_be_ended_early_and_a_pending_one_cancelled(service: Service) -> None:
    """The answer has its real end; a second time changes nothing."""
    active = service("POST", "/admin/dips", {"capacity": "0/s", "for": "1m"}).json
    pending = service("POST", "/admin/dips", {"capacity": "0/s", "for": "1m", "after": "1m"}).json
    service.clock.now_s = 5.05
    for now_s, state in ((5.05, "active"), (9.0, "ended")):
        service.clock.now_s = now_s
        ended = service("DELETE", f"/admin/dips/{active['id']}").json
        assert (ended["end_s"], ended["state"]) == (5.1, state)
        cancelled = service("DELETE", f"/admin/dips/{pending['id']}").json
        assert (cancelled["start_s"], cancelled["end_s"]) == (60.0, 60.0)
        assert cancelled["state"] == "cancelled"


def test_capacity_is_set_for_all_or_for_some(service: Service) -> None:
    """The answer is the state."""
    service.work("a")
    service.work("b")
    state = service("PUT", "/admin/capacity", {"capacity": "120/s", "lanes": ["a"]}).json
    assert {name: lane["capacity_per_s"] for name, lane in state["lanes"].items()} == {
        "a": 120.0,
        "b": 100.0,
    }
    assert state["capacity_per_s"] == 100.0
    assert service("PUT", "/admin/capacity", {"capacity": "50/s"}).json["capacity_per_s"] == 50.0


def test_lanes_can_exist_before_their_first_attempt(service: Service) -> None:
    """Idempotent."""
    for _ in range(2):
        response = service("POST", "/admin/lanes", {"lanes": ["x", "y"]})
        assert response.status == 200
        assert list(response.json["lanes"]) == ["x", "y"]


def test_ticks_are_lines_in_order_with_what_was_metered(service: Service) -> None:
    """Lists by attempt number, zeros at the end left off; a page has a limit."""
    service.work("a", 12)
    service.clock.now_s = 0.2
    first, second = service.ticks()
    assert first["seq"] == 0
    assert first["lanes"]["a"] == {
        "capacity_per_s": 100.0,
        "offered": [0, 12],
        "admitted": [0, 10],
        "turned_away": [0, 2],
        "completed": [0, 10],
        "abandoned": [],
        "queue": 0,
        "blocked": [],
        "shed": [],
        "failed": [],
        "in_flight": 0,
    }
    assert (second["seq"], second["t_s"], second["lanes"]["a"]["offered"]) == (1, 0.1, [])
    assert [tick["seq"] for tick in service.ticks("?after=0")] == [1]
    service.clock.now_s = 100.0
    assert [tick["seq"] for tick in service.ticks("?after=1")] == list(range(2, 2 + TICKS_PER_PAGE))


def test_a_reset_is_idempotent_and_numbers_go_on(service: Service) -> None:
    """No lanes, no dips, no ticks, the configured capacity."""
    service.work("a", 12)
    service("POST", "/admin/dips", {"capacity": "0/s", "for": "1m"})
    service("PUT", "/admin/capacity", {"capacity": "1/s"})
    service.clock.now_s = 1.0
    service.ticks()
    for _ in range(2):
        state = service("POST", "/admin/reset").json
        assert (state["lanes"], state["dips"], state["capacity_per_s"]) == ({}, [], 100.0)
        assert state["seq"] == 10
        assert service("GET", "/admin/ticks").body == b""


@pytest.mark.parametrize(
    ("asked", "field", "says"),
    [
        ({"capacity": "20/m"}, "capacity", 'as in "100/s"'),
        ({"capacity": "-20/s"}, "capacity", 'as in "100/s"'),
        ({"capacity": "-5%"}, "capacity", 'as in "20%"'),
        ({"capacity": "101%"}, "capacity", "from 0% to 100%"),
        ({"capacity": "NaN/s"}, "capacity", 'as in "100/s"'),
        ({"capacity": "nan%"}, "capacity", "from 0% to 100%"),
        ({"capacity": float("nan")}, "capacity", "expected text"),
        ({"capacity": 20}, "capacity", "expected text"),
        ({"capacity": None}, "capacity", "give one of capacity, workers and service_time"),
        ({"workers": 2}, "capacity", "give one of capacity, workers and service_time"),
        ({"capacity": None, "workers": 2}, "workers", "has no workers"),
        ({"capacity": None, "workers": 2.5}, "workers", "a whole number of workers"),
        ({"capacity": None, "service_time": "1s"}, "service_time", "no service time of its own"),
        ({"capacity": None, "service_time": "0s"}, "service_time", "above 0s"),
        ({"shape": "ramp", "slow_start": "1s"}, "slow_start", "a ramp climbs back by itself"),
        ({"capacity": "20"}, "capacity", '"20/s" or "20%"'),
        ({"capacity": "1000001/s"}, "capacity", "at most 1000000/s"),
        ({"capacity": "9" * 5000 + "/s"}, "capacity", 'as in "100/s"'),
        ({"for": "0s"}, "for", "from 1ms to 3600s"),
        ({"for": "0.9ms"}, "for", "from 1ms to 3600s"),
        ({"for": "-1s"}, "for", "a duration"),
        ({"for": 2}, "for", "expected text with a duration"),
        ({"for": "2"}, "for", "a number and ms, s, m or h"),
        ({"for": float("inf")}, "for", "expected text"),
        ({"for": "61m"}, "for", "from 1ms to 3600s"),
        ({"after": "25h"}, "after", "at most 86400s"),
        ({"after": "soon"}, "after", "a duration"),
        ({"shape": "cliff"}, "shape", "expected 'step' or 'ramp'"),
        ({"lanes": []}, "lanes", "at least 1"),
        ({"lanes": "a"}, "lanes", "expected a list"),
        ({"lanes": ["nope"]}, "lanes", "there is no lane 'nope'; there are: a"),
        ({"lanes": ["ü"]}, "lanes.0", "printable ASCII"),
        ({"lanes": ["a"] * 65}, "lanes", "at most 64"),
        ({"For": "2s"}, "For", "there are for, after, lanes, capacity, workers, service_time"),
    ],
)
def test_a_bad_dip_is_a_422_that_names_the_field(
    service: Service, asked: dict[str, object], field: str, says: str
) -> None:
    """And says what is right; nothing is planned."""
    service.work("a")
    body = json.dumps({"capacity": "20%", "for": "2s", **asked}).encode()
    response = service("POST", "/admin/dips", body, headers={"content-type": "application/json"})
    assert response.status == 422
    assert response.json["error"] == "bad-input"
    (problem,) = response.json["fields"]
    assert problem["field"] == field
    assert says in problem["problem"]
    assert response.json["message"] == f"{field}: {problem['problem']}"
    assert len(response.body) < 400
    assert service("GET", "/admin/dips").json == []


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/admin/dips", {"for": "2s"}, "capacity"),
        ("POST", "/admin/dips", {"capacity": "2/s"}, "for"),
        ("POST", "/admin/dips", [], "body"),
        ("POST", "/admin/dips", "text", "body"),
        ("PUT", "/admin/capacity", {"capacity": "20%"}, "capacity"),
        ("PUT", "/admin/capacity", {"capacity": "20/s", "lanes": ["nope"]}, "lanes"),
        ("PUT", "/admin/capacity", {"capacity": "20/s", "unit": "s"}, "unit"),
        ("POST", "/admin/lanes", {"lanes": [""]}, "lanes.0"),
        ("POST", "/admin/lanes", {"lanes": [7]}, "lanes.0"),
        ("GET", "/admin/ticks?after=x", b"", "after"),
        ("GET", "/admin/ticks?after=-2", b"", "after"),
        ("GET", "/admin/ticks?after=9223372036854775807", b"", "after"),
        ("POST", "/admin/dips", {"\ud800": 1, "capacity": "0/s", "for": "2s"}, "body"),
    ],
)
def test_every_endpoint_names_the_field(
    service: Service, method: str, path: str, body: object, field: str
) -> None:
    """Whatever is wrong."""
    response = service(method, path, body)
    assert response.status == 422
    assert response.json["fields"][0]["field"] == field


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"{", "application/json"),
        (b"\xff\xfe", "application/json"),
        (b"[" * 50_000, "application/json"),
        (b"", "application/json"),
        (b'{"capacity":"0/s","for":"2s"}', "text/plain"),
        (b'{"capacity":"0/s","for":"2s"}', "application/x-www-form-urlencoded"),
    ],
)
def test_what_is_not_json_is_a_422_about_the_body(
    service: Service, body: bytes, content_type: str
) -> None:
    """Forms of other sites too: they need no leave of the browser's."""
    response = service("POST", "/admin/dips", body, headers={"content-type": content_type})
    assert response.status == 422
    assert response.json["fields"][0]["field"] == "body"


def test_an_unknown_dip_is_a_404(service: Service) -> None:
    """In the same shape."""
    response = service("DELETE", "/admin/dips/dip-7")
    assert (response.status, response.json["error"]) == (404, "unknown-dip")


def test_the_101st_dip_is_a_409_that_says_the_limit(service: Service) -> None:
    """Pending and active ones count."""
    asked = {"capacity": "0/s", "for": "1m", "after": "1m"}
    statuses = [service("POST", "/admin/dips", asked).status for _ in range(MAX_DIPS)]
    assert set(statuses) == {201}
    response = service("POST", "/admin/dips", asked)
    assert (response.status, response.json["error"]) == (409, "too-many-dips")
    assert "100 dips" in response.json["message"]


def test_too_many_lanes_are_a_409_that_says_the_limit(service: Service) -> None:
    """And none of them is made."""
    service.work("a")
    response = service("POST", "/admin/lanes", {"lanes": [f"lane-{n}" for n in range(64)]})
    assert (response.status, response.json["error"]) == (409, "too-many-lanes")
    assert list(service("GET", "/admin/state").json["lanes"]) == ["a"]


@pytest.mark.parametrize("declared", [True, False])
def test_a_huge_body_is_a_413(service: Service, *, declared: bool) -> None:
    """Whether its length is declared or only shows as it comes."""
    headers = {"content-type": "application/json"}
    body = b" " * (MAX_BODY_BYTES + 1)
    if declared:
        headers["content-length"] = str(len(body))
    response = service("POST", "/admin/dips", body, headers=headers, chunks=10)
    assert (response.status, response.json["error"]) == (413, "too-large")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/admin/nothing", 404),
        ("GET", "/admin/faults/", 404),
        ("POST", "/admin/dips/", 404),
        ("GET", "/admin/reset", 405),
    ],
)
def test_wrong_paths_and_methods_answer_in_the_same_shape(
    service: Service, method: str, path: str, status: int
) -> None:
    """One shape for all errors."""
    response = service(method, path)
    assert response.status == status
    assert set(response.json) == {"error", "message", "fields"}
    assert said_of(response.json["error"]) == (status, response.json["message"])


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/admin/faults", "GET, POST"),
        ("/admin/faults/fault-1", "DELETE"),
        ("/admin/capacity", "PUT"),
        ("/admin/state", "GET"),
    ],
)
def test_a_wrong_method_is_told_all_that_the_path_takes(
    service: Service, path: str, allowed: str
) -> None:
    """As RFC 9110 has it, though each method is a route of its own."""
    assert service("PATCH", path).headers["allow"] == allowed


def test_the_state_tells_of_workers_and_queue() -> None:
    """As they were configured, in the words of the options; null where there are none."""
    assert Service().json_of_state()["service"] is None
    options = {
        "workers": "5", "service_time": "exponential 100ms", "queue": "300",
        "discipline": "codel 20ms 200ms", "abandoned": "drop", "max_wait": "500ms",
        "shed_first": "attempt", "heed_deadlines": "true", "turn_away_cost": "10%",
    }  # fmt: skip
    state = Service(**options).json_of_state()
    assert state["turn_away_cost"] == 0.1
    told = {**options, "workers": 5, "queue": 300, "heed_deadlines": True}
    del told["turn_away_cost"]
    assert state["service"] == told
    plain = Service(workers="5", capacity="100/s").json_of_state()["service"]
    assert (plain["service_time"], plain["discipline"], plain["max_wait"]) == (None, "fifo", None)


def test_admin_answers_while_the_gate_turns_everything_away() -> None:
    """A storm must not keep anybody from ending it."""
    service = Service(capacity="0/s")
    assert service.work(times=20) == [503] * 20
    for path in ("/admin/state", "/admin/ticks", "/metrics", "/healthz", "/openapi.json"):
        assert service("GET", path).status == 200
    service("PUT", "/admin/capacity", {"capacity": "100/s"})
    service.clock.now_s = 0.1
    assert service.work() == [200]
