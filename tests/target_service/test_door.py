"""Who may use the admin API: with a token whoever has it, without one loopback only."""

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from target_service.admin.door import is_loopback
from target_service.app import create_app
from target_service.settings import read_settings
from tests.target_service.asgi import FakeClock, Response, call

TOKEN = "a-secret-for-tests"
ENDPOINTS = [
    ("POST", "/admin/dips"),
    ("GET", "/admin/dips"),
    ("DELETE", "/admin/dips/{dip_id}"),
    ("POST", "/admin/faults"),
    ("GET", "/admin/faults"),
    ("DELETE", "/admin/faults/{fault_id}"),
    ("POST", "/admin/shed"),
    ("POST", "/admin/block-retries"),
    ("POST", "/admin/reopen"),
    ("GET", "/admin/actions"),
    ("DELETE", "/admin/actions/{action_id}"),
    ("PUT", "/admin/capacity"),
    ("POST", "/admin/lanes"),
    ("GET", "/admin/state"),
    ("GET", "/admin/ticks"),
    ("GET", "/admin/traces/{trace_id}"),
    ("POST", "/admin/reset"),
]


def admin(token: str | None = None, path: str = "/admin/state", **how: object) -> Response:
    """One call of a fresh service's admin API."""
    app = create_app(read_settings(admin_token=token), FakeClock())
    return call(app, "GET", path, **how)


def test_the_right_token_opens_from_anywhere() -> None:
    """Any host name, any client."""
    headers = {"Authorization": f"Bearer {TOKEN}", "host": "target:8000"}
    assert admin(TOKEN, client="192.0.2.1", headers=headers).status == 200


@pytest.mark.parametrize(
    "said",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"],
)
def test_any_other_token_is_a_401_from_loopback_too(said: str | None) -> None:
    """The answer names the scheme, and not the token."""
    headers = {} if said is None else {"Authorization": said}
    response = admin(TOKEN, headers=headers)
    assert (response.status, response.json["error"]) == (401, "token-needed")
    assert response.headers["www-authenticate"] == "Bearer"
    assert TOKEN.encode() not in response.body


@pytest.mark.parametrize(
    ("method", "path"),
    [*ENDPOINTS, ("GET", "/admin"), ("GET", "/admin/"), ("GET", "/admin/nothing")],
)
def test_every_admin_endpoint_is_behind_the_door(method: str, path: str) -> None:
    """A bad body does not come before the token."""
    app = create_app(read_settings(admin_token=TOKEN), FakeClock())
    assert call(app, method, path, b"{").status == 401


def test_the_list_of_endpoints_above_is_complete() -> None:
    """A new endpoint has to be added to it."""
    app = create_app(read_settings(), FakeClock())
    paths = call(app, "GET", "/openapi.json").json["paths"]
    admin_calls = {(m.upper(), p) for p, item in paths.items() for m in item if "/admin" in p}
    assert admin_calls == set(ENDPOINTS)


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/work"])
def test_the_rest_needs_no_token(path: str) -> None:
    """From anywhere."""
    assert admin(TOKEN, path, client="192.0.2.1", headers={"host": "target"}).status == 200


@pytest.mark.parametrize("client", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "localhost", "[::1]:8000"])
def test_without_a_token_loopback_may(client: str, host: str) -> None:
    """By a loopback name."""
    assert admin(client=client, headers={"host": host}).status == 200


@pytest.mark.parametrize("client", ["192.0.2.1", "10.0.0.1", "::ffff:10.0.0.1", "testclient", ""])
def test_without_a_token_nobody_else_may(client: str) -> None:
    """Whatever the host is called."""
    response = admin(client=client)
    assert (response.status, response.json["error"]) == (403, "loopback-only")
    assert "AFTERSHOCK_ADMIN_TOKEN" in response.json["message"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "["]
)
def test_without_a_token_a_name_that_only_resolves_to_loopback_is_refused(host: str) -> None:
    """DNS rebinding: a foreign page's own name points here."""
    assert admin(headers={"host": host}).json["error"] == "loopback-only"


@pytest.mark.parametrize(
    "header",
    ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "X-Real-IP", "Via"],
)
def test_without_a_token_what_came_through_a_proxy_is_refused(header: str) -> None:
    """Behind a proxy everybody looks like loopback. Envoy says X-Forwarded-Proto, if no more."""
    assert admin(headers={header: "127.0.0.1"}).json["error"] == "loopback-only"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:8089", ""])
@pytest.mark.parametrize("token", [None, TOKEN])
def test_pages_of_other_sites_are_refused(token: str | None, origin: str) -> None:
    """Another port is another site."""
    headers = {"Origin": origin, "Authorization": f"Bearer {TOKEN}"}
    response = admin(token, headers=headers)
    assert (response.status, response.json["error"]) == (403, "foreign-origin")


def test_its_own_pages_may_use_it() -> None:
    """A page of the service itself is no stranger."""
    assert admin(headers={"Origin": "http://127.0.0.1:8000"}).status == 200


def test_loopback_is_an_address_and_not_a_beginning() -> None:
    """No name that merely begins like one."""
    assert not is_loopback("127.0.0.1.evil.example")
    assert not is_loopback("localhost.evil.example")


def test_a_mounted_target_is_as_closed_as_any_other() -> None:
    """Below a path of somebody's choice, admin calls are still the door's, and beside the gate."""
    target = create_app(read_settings(admin_token=TOKEN, capacity="10/s"), FakeClock())
    app = Starlette(routes=[Mount("/t", app=target)])
    assert call(app, "GET", "/t/admin/state").status == 401
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for _ in range(5):
        assert call(app, "GET", "/t/admin/state", headers=headers).status == 200
    assert call(app, "GET", "/t/work").status == 200
