"""A control room that plays made-up answers: the page is tested without Locust and a target.

What is asked of it is read, done and told by the real `Acts`, at a target that obeys.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import plotly
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from loadtests.control_room.acting.acts import Acts
from loadtests.control_room.acting.log import ActLog
from loadtests.control_room.acting.told import Reply
from loadtests.control_room.entry.headers import PAGE_POLICY
from reports.rendering.palette import variables
from tests.loadtests.control_room.made_up import Json, World
from tests.loadtests.control_room.obedient import NOON_S, ObedientTarget

PAGE = Path(__file__).parents[3] / "loadtests" / "control_room" / "page"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
TYPES = {".js": "text/javascript", ".css": "text/css"}


class FakeRoom:
    """The state behind the server: a world, and where its clock stands."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.acted: list[tuple[str, Json]] = []
        self.target = ObedientTarget()
        self._log = ActLog()
        self._acts = Acts(lambda: self.target, self._log, clock=lambda: NOON_S)
        self.broken = False
        self.url = ""
        self.questions = 0
        self.at_s = 3.0
        """Seconds into the story. It stands still unless the test moves it."""

    def live(self, query: dict[str, list[str]]) -> Json:
        """The answer to the long poll, after a moment."""
        self.questions += 1
        seen = int(query["seen"][0])
        if seen:
            time.sleep(0.2)
        after = int(query["after"][0])
        return self.world.answer(self.at_s, after, seen + 1, query.get("epoch", [""])[0])

    def act(self, verb: str, body: bytes) -> Reply:
        """Remember it, and do it."""
        self.acted.append((verb, json.loads(body)))
        answer = self._acts.perform(verb, body)
        self.world.log = [asdict(entry) for entry in self._log.entries()]
        return answer


class Server(ThreadingHTTPServer):
    """A browser opens many connections at once."""

    daemon_threads = True
    request_queue_size = 64


@contextmanager
def fake_room(world: World | None = None) -> Iterator[FakeRoom]:
    """A room on a free port."""
    room = FakeRoom(world or World())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            status, media_type, body = _got(room, parts.path, parse_qs(parts.query))
            self._answer(status, media_type, body)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = room.act(self.path.rpartition("/")[2], body)
            self._answer(answer.status, "application/json", json.dumps(answer.body).encode())

        def _answer(self, status: int, media_type: str, body: bytes) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Type", media_type)
                self.send_header("Content-Security-Policy", PAGE_POLICY)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):  # the page no longer waits
                self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    room.url = f"http://127.0.0.1:{server.server_port}/aftershock/"
    try:
        yield room
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _got(room: FakeRoom, path: str, query: dict[str, list[str]]) -> tuple[int, str, bytes]:
    name = path.removeprefix("/aftershock/")
    if room.broken and not name.startswith("assets/"):
        return 500, "text/plain", b"broken"
    if name == "live":
        return 200, "application/json", json.dumps(room.live(query)).encode()
    if name == "runs.json":
        return 200, "application/json", json.dumps({"runs": list(room.world.runs)}).encode()
    if name == "":
        return 200, "text/html", _page()
    return _asset(name.removeprefix("assets/"))


def _page() -> bytes:
    templates = Environment(
        loader=FileSystemLoader(PAGE), autoescape=True, undefined=StrictUndefined
    )
    page = templates.get_template("room.html.j2")
    return page.render(locust="/", version="0.1.0", stamp="0").encode()


def _asset(name: str) -> tuple[int, str, bytes]:
    if name == "palette.css":
        return 200, "text/css", variables().encode()
    path = PLOTLY if name == PLOTLY.name else PAGE / Path(name).name
    if path.suffix not in TYPES or not path.exists():
        return 404, "text/plain", b"no such file"
    return 200, TYPES[path.suffix], path.read_bytes()
