"""The gate as middleware of somebody's own app, as `docs/your-own-service.md` shows it."""

import logging
import os
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from target_service import CapacityGate, Gate, Target
from target_service.settings import BadSettingError
from tests.target_service.asgi import answering, call, run


async def own_app(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that notes the start of its server and answers everything else."""
    if scope["type"] == "lifespan":
        scope["state"]["started"] = True
    else:
        await answering([b"theirs"])(scope, receive, send)


def test_admin_and_metrics_stand_beside_the_app_and_the_rest_is_gated() -> None:
    """All of the target's promises for a service of one's own."""
    app = CapacityGate(own_app, enabled=True, capacity="10/s", tick="1s")
    answers = [call(app, "GET", f"/orders/{n}").status for n in range(12)]
    assert answers == [200] * 10 + [503] * 2
    assert list(call(app, "GET", "/aftershock/admin/state").json["lanes"]) == ["default"]
    assert call(app, "GET", "/aftershock/metrics").status == 200
    assert call(app, "GET", "/aftershock/healthz").json == {"status": "ok"}
    assert call(app, "GET", "/aftershock/admin/state", client="192.0.2.1").status == 403


def test_the_admin_path_is_of_choice_and_open_paths_are_the_apps() -> None:
    """The app's own /admin and /metrics stay its own, behind the gate like all else."""
    app = CapacityGate(
        own_app, enabled=True, capacity="0/s", admin_path="/ops/gate", open_paths=["/healthz"]
    )
    assert call(app, "GET", "/ops/gate/admin/state").status == 200
    assert call(app, "GET", "/healthz").body == b"theirs"
    assert call(app, "GET", "/admin/state").status == 503
    assert call(app, "GET", "/metrics").status == 503
    assert call(app, "GET", "/aftershock/admin/state").status == 503


def test_errors_name_paths_below_the_mount() -> None:
    """Where the admin API is, and not where it would be by itself."""
    app = CapacityGate(own_app, enabled=True)
    nothing = call(app, "GET", "/aftershock/admin/nothing").json["message"]
    assert nothing == "there is nothing here; GET /aftershock/openapi.json lists what there is"
    assert call(app, "GET", "/aftershock/openapi.json").status == 200
    unknown = call(app, "DELETE", "/aftershock/admin/dips/dip-9").json["message"]
    assert "GET /aftershock/admin/dips lists them" in unknown


def test_it_is_off_unless_switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app that ships with the middleware is untouched until somebody says otherwise."""
    monkeypatch.delenv("AFTERSHOCK_GATE", raising=False)
    app = CapacityGate(own_app, capacity="0/s")
    assert call(app, "GET", "/").body == b"theirs"
    assert call(app, "GET", "/aftershock/admin/state").body == b"theirs"
    monkeypatch.setenv("AFTERSHOCK_GATE", "on")
    assert call(CapacityGate(own_app, capacity="0/s"), "GET", "/").status == 503
    assert call(CapacityGate(own_app, enabled=False), "GET", "/").body == b"theirs"


@pytest.mark.parametrize(
    ("said", "status"),
    [
        *((said, 503) for said in ("on", "1", "true", "Yes", " ON ")),
        *((said, 200) for said in ("", " ", "off", "0", "False", "no", "NO ")),
    ],
)
def test_the_variable_says_on_or_off_in_any_of_the_usual_words(
    monkeypatch: pytest.MonkeyPatch, said: str, status: int
) -> None:
    """Nobody looks up which of them it is before a deployment."""
    monkeypatch.setenv("AFTERSHOCK_GATE", said)
    assert call(CapacityGate(own_app, capacity="0/s"), "GET", "/").status == status


def test_any_other_word_is_shown_with_those_that_are_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not guessed at."""
    monkeypatch.setenv("AFTERSHOCK_GATE", "On!")
    with pytest.raises(BadSettingError) as refusal:
        CapacityGate(own_app)
    assert str(refusal.value) == (
        "AFTERSHOCK_GATE: 'On!': expected one of on, 1, true, yes, or of off, 0, false, no"
    )


@pytest.mark.parametrize(
    ("token", "whom"),
    [
        ("", "for loopback clients only, as no AFTERSHOCK_ADMIN_TOKEN is set"),
        ("a-secret", "for whoever has the token"),
    ],
)
def test_a_gate_that_is_on_says_so_and_whom_it_obeys(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, token: str, whom: str
) -> None:
    """At a level that shows where the app has set up no log; one that is off says nothing."""
    monkeypatch.setenv("AFTERSHOCK_ADMIN_TOKEN", token)
    CapacityGate(own_app, enabled=False, capacity="80/s")
    CapacityGate(own_app, enabled=True, capacity="80/s", admin_path="/ops")
    assert caplog.record_tuples == [
        (
            "aftershock.gate",
            logging.WARNING,
            f"CapacityGate is on in process {os.getpid()}: capacity 80/s per lane; "
            f"admin API at /ops/admin, {whom}",
        )
    ]


def test_a_framework_can_add_it() -> None:
    """`add_middleware` of FastAPI and Starlette."""
    api = FastAPI()

    @api.get("/orders")
    async def orders() -> list[str]:
        return ["one"]

    api.add_middleware(CapacityGate, enabled=True, capacity="1/s", tick="1s")
    assert [call(api, "GET", "/orders").status for _ in range(2)] == [200, 503]
    assert call(api, "GET", "/aftershock/admin/state").status == 200


def test_numbers_may_be_numbers() -> None:
    """As they are in Python."""
    app = CapacityGate(own_app, enabled=True, workers=5, queue=0, heed_deadlines=True)
    assert call(app, "GET", "/").status == 200


def test_workers_have_the_capacity_that_was_seen_of_the_app() -> None:
    """And not that of a setting which nobody gave: else no dip would seem to lower anything."""
    app = CapacityGate(own_app, enabled=True, workers=50)
    assert call(app, "GET", "/").status == 200
    lane = call(app, "GET", "/aftershock/admin/state").json["lanes"]["default"]
    assert lane["capacity_per_s"] == lane["in_force_per_s"] != 100
    metrics = call(app, "GET", "/aftershock/metrics").body.decode()
    for name in ("aftershock_base_capacity", "aftershock_capacity"):
        said = metrics.split(f'{name}_attempts_per_second{{lane="default"}} ')[1].split("\n")[0]
        assert float(said) == lane["capacity_per_s"]


def test_the_app_gets_its_lifespan() -> None:
    """What it does at the start of the server still happens."""
    state: dict[str, Any] = {}

    async def nothing(*_: Any) -> Any:
        return None

    scope = {"type": "lifespan", "state": state}
    run(lambda: CapacityGate(own_app, enabled=True)(scope, nothing, nothing))
    assert state == {"started": True}


def test_the_gate_alone_is_middleware() -> None:
    """Without admin API: whoever holds the target steers it."""
    target = Target(0)
    app = Gate(own_app, target)
    assert call(app, "GET", "/").status == 503
    assert call(app, "GET", "/healthz").body == b"theirs"
    assert list(target.lanes) == ["default"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"capactiy": "50/s"}, "capactiy: no such setting: expected one of abandoned, capacity"),
        ({"port": "80"}, "port: no such setting"),
        ({"service_time": "1s"}, "service_time: no such setting"),
        ({"capacity": 80}, "capacity: '80' is not a rate per second"),
        ({"queue": 5}, "queue needs workers"),
        ({"enabled": "off"}, "enabled: 'off': expected True, False, or None"),
        ({"open_paths": "/healthz"}, "open_paths: '/healthz' is no list, as in .'/healthz'."),
        ({"open_paths": None}, "open_paths: None is no list"),
        ({"open_paths": [b"/healthz"]}, "open_paths: b'/healthz' is no path"),
        ({"admin_path": "ops"}, "admin_path: 'ops' is no path"),
        ({"admin_path": None}, "admin_path: None is no path"),
        ({"admin_path": "/"}, "admin_path: '/' is no path"),
        ({"open_paths": ["/a?b"]}, "open_paths: '/a.b' is no path"),
    ],
)
def test_a_wrong_option_is_named_also_while_the_gate_is_off(
    options: dict[str, Any], said: str
) -> None:
    """It must not leave the service at a default that nobody chose."""
    with pytest.raises(BadSettingError, match=said):
        CapacityGate(own_app, **options)


def test_a_server_does_not_start_with_a_wrong_option(monkeypatch: pytest.MonkeyPatch) -> None:
    """A framework makes its middleware inside the server, which else would serve errors."""
    monkeypatch.setenv("AFTERSHOCK_GATE", "maybe")
    api = FastAPI()
    api.add_middleware(CapacityGate)
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "lifespan.startup"}

    async def send(message: Message) -> None:
        sent.append(message)

    run(lambda: api({"type": "lifespan", "state": {}}, receive, send))
    (failed,) = sent
    assert failed["type"] == "lifespan.startup.failed"
    assert failed["message"].startswith("CapacityGate: AFTERSHOCK_GATE: 'maybe': expected ")


@pytest.mark.parametrize(
    ("switch", "options"),
    [
        ("maybe", {}),
        ("off", {"capacity": 80}),
        ("off", {"capactiy": "8/s"}),
        ("on", {"enabled": 0}),
    ],
)
def test_where_no_start_is_asked_a_gate_that_is_off_costs_no_request(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    switch: str,
    options: dict[str, Any],
) -> None:
    """With ``--lifespan off``, or mounted: the mistake is logged once, and that is all."""
    monkeypatch.setenv("AFTERSHOCK_GATE", switch)
    api = FastAPI()
    api.add_middleware(CapacityGate, **options)
    api.mount("/", own_app)
    assert [call(api, "GET", "/orders").body for _ in range(3)] == [b"theirs"] * 3
    (logged,) = caplog.records
    assert logged.levelno == logging.ERROR
    assert logged.message.startswith("CapacityGate: ")
    assert logged.message.endswith("; the gate is off, and all passes it untouched")


def test_where_no_start_is_asked_a_wrong_gate_that_is_on_fails_every_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it lets through untouched would be measured as if it were gated."""
    monkeypatch.setenv("AFTERSHOCK_GATE", "on")
    api = FastAPI()
    api.add_middleware(CapacityGate, capacity=80)
    for _ in range(2):
        with pytest.raises(BadSettingError, match="capacity: '80' is not a rate"):
            call(api, "GET", "/orders")
