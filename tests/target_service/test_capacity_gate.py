"""The gate as middleware of somebody's own app, as `docs/your-own-service.md` shows it."""

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


def test_it_is_off_unless_switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app that ships with the middleware is untouched until somebody says otherwise."""
    monkeypatch.delenv("AFTERSHOCK_GATE", raising=False)
    app = CapacityGate(own_app, capacity="0/s")
    assert call(app, "GET", "/").body == b"theirs"
    assert call(app, "GET", "/aftershock/admin/state").body == b"theirs"
    monkeypatch.setenv("AFTERSHOCK_GATE", "on")
    assert call(CapacityGate(own_app, capacity="0/s"), "GET", "/").status == 503
    assert call(CapacityGate(own_app, enabled=False), "GET", "/").body == b"theirs"
    monkeypatch.setenv("AFTERSHOCK_GATE", "maybe")
    with pytest.raises(BadSettingError, match="AFTERSHOCK_GATE: expected on or off"):
        CapacityGate(own_app)


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
        ({"enabled": "off"}, "enabled: expected True, False, or None"),
        ({"open_paths": "/healthz"}, "open_paths: expected a list, as in .'/healthz'."),
        ({"admin_path": "ops"}, "admin_path: 'ops' is no path"),
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
    said = "CapacityGate: AFTERSHOCK_GATE: expected on or off"
    assert sent == [{"type": "lifespan.startup.failed", "message": said}]
    with pytest.raises(BadSettingError):
        call(api, "GET", "/")
