"""The gate around somebody's own app, as `docs/target.md` shows it."""

from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from target_service import Gate, Target, gated
from tests.target_service.asgi import answering, call, run


async def own_app(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that notes the start of its server and answers everything else."""
    if scope["type"] == "lifespan":
        scope["state"]["started"] = True
    else:
        await answering([b"theirs"])(scope, receive, send)


def test_admin_and_metrics_stand_beside_the_app_and_the_rest_is_gated() -> None:
    """All of the target's promises for a service of one's own."""
    app = gated(own_app, capacity="10/s", tick="1s")
    answers = [call(app, "GET", f"/orders/{n}").status for n in range(12)]
    assert answers == [200] * 10 + [503] * 2
    assert call(app, "GET", "/orders").body != b"theirs"
    assert list(call(app, "GET", "/admin/state").json["lanes"]) == ["default"]
    assert call(app, "GET", "/metrics").status == 200
    assert call(app, "GET", "/admin/state", client="192.0.2.1").status == 403


def test_the_app_gets_its_lifespan() -> None:
    """What it does at the start of the server still happens."""
    state: dict[str, Any] = {}

    async def nothing(*_: Any) -> Any:
        return None

    scope = {"type": "lifespan", "state": state}
    run(lambda: gated(own_app, capacity="10/s")(scope, nothing, nothing))
    assert state == {"started": True}


def test_the_gate_alone_is_middleware() -> None:
    """Without admin API: whoever holds the target steers it."""
    target = Target(0)
    app = Gate(own_app, target)
    assert call(app, "GET", "/").status == 503
    assert call(app, "GET", "/healthz").body == b"theirs"
    assert list(target.lanes) == ["default"]


def test_a_misspelt_option_is_named() -> None:
    """It must not leave the service at a default that nobody chose."""
    with pytest.raises(ValueError, match="capactiy: no such setting: expected one of host, port"):
        gated(own_app, capactiy="50/s")
