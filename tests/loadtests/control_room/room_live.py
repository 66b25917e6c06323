"""A real control room: Locust with its web UI in a process of its own, before a real target."""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from loadtests.processes import free_port
from tests.target_service.live import LIMIT_S, clean_environment

Json = dict[str, object]


@dataclass(frozen=True)
class Answered:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Json:
        values = json.loads(self.body)
        assert isinstance(values, dict)
        return values


@dataclass
class LiveRoom:
    """Where it is, and all that it has answered."""

    port: int
    base: str
    target: str
    log: Path
    cookies: dict[str, str] = field(default_factory=dict)
    answers: list[Answered] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}{self.base}/aftershock"

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> Answered:
        """A request to Locust at `path` below its base; `_` in a header's name is ``-``."""
        return self.ask_raw(self.base + path, method, body, **headers)

    def ask_raw(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> Answered:
        """The same at `path` as it is, which nothing has put in order."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            named["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        try:
            connection.request(method, path, body, named)
            found = connection.getresponse()
            answer = Answered(found.status, dict(found.headers.items()), found.read())
        finally:
            connection.close()
        self.answers.append(answer)
        return answer

    def act(self, verb: str, **fields: object) -> Answered:
        """As the page does it."""
        return self.ask(
            f"/aftershock/act/{verb}",
            "POST",
            json.dumps(fields).encode(),
            Origin=self.origin,
            Content_Type="application/json",
        )

    def form(self, path: str, **fields: str) -> Answered:
        """As Locust's own page posts it."""
        kind = "application/x-www-form-urlencoded"
        return self.ask(path, "POST", urlencode(fields).encode(), Content_Type=kind)

    def live(self, seen: int = 0) -> Json:
        """What the page would draw."""
        return self.ask(f"/aftershock/live?seen={seen}").json()


@contextmanager
def a_room(
    folder: Path, target: str, *options: str, base: str = "", **variables: str
) -> Iterator[LiveRoom]:
    """Locust in `folder` with these options, once it answers."""
    port = free_port()
    command = [sys.executable, "-m", "locust", "--web-host", "127.0.0.1", "--web-port", str(port)]
    command += ["--web-base-path", base] if base else []
    room = LiveRoom(port, base, target, folder / "locust.log")
    with room.log.open("wb") as log:
        process = subprocess.Popen(
            [*command, "--host", target, *options],
            cwd=folder,
            env=clean_environment(**variables),
            stderr=log,
        )
    with process:
        try:
            _await(room, process)
            yield room
        finally:
            process.terminate()
            try:
                process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _await(room: LiveRoom, process: "subprocess.Popen[bytes]") -> None:
    until_s = time.monotonic() + LIMIT_S * 2
    while process.poll() is None and time.monotonic() < until_s:
        try:
            room.ask("/login")
        except OSError:
            time.sleep(0.05)
            continue
        room.answers.clear()
        return
    raise AssertionError(f"Locust did not start:\n{room.log.read_text()}")
