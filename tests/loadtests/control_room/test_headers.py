"""What every answer of the control room tells a browser."""

import pytest
from flask import Flask, Response
from flask_cors import CORS

from loadtests.control_room.entry.headers import PAGE_POLICY, Sealed


@pytest.fixture
def app() -> Flask:
    """As Locust makes it, with routes of ours and of its own."""
    app = Flask(__name__)
    CORS(app)

    @app.get("/")
    def index() -> str:
        return "Locust's"

    @app.get("/load/aftershock/")
    def room() -> str:
        return "ours"

    @app.get("/load/aftershock/report")
    def report() -> Response:
        policy = {"Content-Security-Policy": "frame-ancestors 'none'", "Cache-Control": "no-cache"}
        return Response("ours", headers=policy)

    @app.get("/load/aftershock/broken")
    def broken() -> str:
        raise KeyError("a mistake")

    app.wsgi_app = Sealed(app.wsgi_app, "/load/aftershock")  # type: ignore[method-assign]  # Flask's own way
    return app


EVIL = {"Origin": "http://evil.example"}


@pytest.mark.parametrize("path", ["", "/", "/report", "/broken", "/nothing"])
def test_no_other_page_may_read_ours(app: Flask, path: str) -> None:
    """Whatever is answered, also to what the browser asks beforehand."""
    client = app.test_client()
    asks = {**EVIL, "Access-Control-Request-Method": "POST"}
    for answer in (
        client.get(f"/load/aftershock{path}", headers=EVIL),
        client.options(f"/load/aftershock{path}", headers=asks),
    ):
        assert not [name for name in answer.headers.keys() if name.startswith("Access-Control")]  # noqa: SIM118 - not a dict
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert len(answer.headers.get_all("Content-Security-Policy")) == 1
        assert len(answer.headers.get_all("Cache-Control")) == 1


def test_a_route_may_say_its_own(app: Flask) -> None:
    client = app.test_client()
    assert client.get("/load/aftershock/").headers["Content-Security-Policy"] == PAGE_POLICY
    report = client.get("/load/aftershock/report").headers
    assert report["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert report["Cache-Control"] == "no-cache"


def test_what_is_locusts_stays_as_it_is(app: Flask) -> None:
    client = app.test_client()
    for path in ("/", "/load/aftershocks"):
        answer = client.get(path, headers=EVIL)
        assert answer.headers["Access-Control-Allow-Origin"] == EVIL["Origin"]
        assert "Content-Security-Policy" not in answer.headers


@pytest.mark.parametrize(
    "path",
    ["//load/aftershock/", "///load/aftershock/", "/load//aftershock/", "//load//aftershock//"],
)
def test_several_slashes_are_one(app: Flask, path: str) -> None:
    """As they are for the router."""
    answer = app.test_client().get("/", environ_overrides={"PATH_INFO": path}, headers=EVIL)
    assert answer.status_code in {200, 308}
    assert answer.headers["Content-Security-Policy"] == PAGE_POLICY
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_base_path_may_have_any_letters() -> None:
    """The server hands on its bytes."""
    app = Flask(__name__)
    app.add_url_rule("/é/aftershock/", view_func=lambda: "ours", endpoint="room")
    app.wsgi_app = Sealed(app.wsgi_app, "/é/aftershock")  # type: ignore[method-assign]  # Flask's own way
    answer = app.test_client().get("/%c3%a9/aftershock/")
    assert (answer.text, "Content-Security-Policy" in answer.headers) == ("ours", True)


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    rules = dict(rule.split(" ", 1) for rule in PAGE_POLICY.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert "unsafe" not in PAGE_POLICY
    assert "http" not in PAGE_POLICY
