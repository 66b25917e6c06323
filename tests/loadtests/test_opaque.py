"""Real libraries in the place of a policy: each retries by its own code, and only by that."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from loadtests.opaque import catalogue
from loadtests.opaque.catalogue import OPAQUE, opaque
from loadtests.policies import preset

QUICK: dict[str, dict[str, object]] = {
    "opaque-urllib3": {"total": 2, "status_forcelist": "503"},
    "opaque-tenacity": {"attempts": 3, "multiplier": 0},
    "opaque-stamina": {"attempts": 3},
    "opaque-botocore": {"max_attempts": 3},
    "opaque-google-api-core": {"initial": 0.001, "maximum": 0.001},
}
"""Three attempts each, the last one a success where the library has no count of its own."""


class Counted(BaseHTTPRequestHandler):
    """Answers 503 until the third attempt."""

    seen: ClassVar[list[tuple[str, str, str | None]]]
    succeeds_at: ClassVar[int]

    def _answer(self) -> None:
        lane = self.headers.get("X-Aftershock-Lane")
        self.seen.append((self.command, self.path, lane))
        self.send_response(200 if len(self.seen) >= self.succeeds_at else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD = _answer  # noqa: N815 - the base class's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


@contextmanager
def counting(succeeds_at: int) -> Iterator[tuple[str, type[Counted]]]:
    """A server's URL, and what it saw."""
    handler = type("Handler", (Counted,), {"seen": [], "succeeds_at": succeeds_at})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries' waits are compared elsewhere."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.mark.live
@pytest.mark.parametrize("name", list(OPAQUE))
def test_a_library_retries_by_itself_and_says_its_lane(name: str) -> None:
    """The third attempt succeeds; each of them names the lane."""
    with counting(succeeds_at=3) as (url, handler):
        client = opaque(name, **QUICK[name]).connect(url, {"X-Aftershock-Lane": "a"}, 5.0)
        client.request("/work")
        client.close()
    method = "HEAD" if name == "opaque-botocore" else "GET"
    assert handler.seen == [(method, "/work", "a")] * 3


@pytest.mark.live
@pytest.mark.parametrize("name", [name for name in OPAQUE if name != "opaque-google-api-core"])
def test_what_a_library_gives_up_raises(name: str) -> None:
    """So that the request is counted as failed. google-api-core gives up by time alone."""
    with counting(succeeds_at=100) as (url, handler):
        client = opaque(name, **QUICK[name]).connect(url, {"X-Aftershock-Lane": "a"}, 5.0)
        with pytest.raises(Exception, match=r"503|Service Unavailable"):
            client.request("/work")
        client.close()
    assert len(handler.seen) == 3


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no dependencies of ours."""
    monkeypatch.setattr(catalogue, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="opaque-stamina needs the module stamina"):
        opaque("opaque-stamina")


def test_the_description_names_the_parameters() -> None:
    """It stands in the report."""
    described = opaque("opaque-tenacity", attempts=5).describe()
    assert described.endswith("untouched: attempts=5, multiplier_s=100ms, max_s=6.4s")


def test_urllib3_has_the_defaults_of_our_preset() -> None:
    """So that the two can be compared by name, and with the same parameters."""
    ours, theirs = preset("urllib3-2"), opaque("opaque-urllib3")
    for parameter in theirs.parameters():
        assert getattr(theirs, parameter.name) == getattr(ours, parameter.name)
