"""A real Prometheus with our configuration, on loopback; and what it is asked."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from loadtests.processes import free_port
from tests.prometheus.promtool import PROMETHEUS
from tests.real import LIMIT_S, eventually, program, running


@dataclass(frozen=True)
class Server:
    """Where Prometheus is."""

    url: str

    def ask(self, path: str, **query: str) -> object:
        """The data of an answer of its HTTP API."""
        with urlopen(f"{self.url}/api/v1/{path}?{urlencode(query)}", timeout=20) as answer:  # noqa: S310
            return json.load(answer)["data"]

    def values(self, expression: str, by: str = "lane") -> dict[str, float]:
        """What an expression is now, by the value of one label."""
        data = self.ask("query", query=f"sum by ({by}) ({expression})")
        assert isinstance(data, dict)
        return {found["metric"].get(by, ""): float(found["value"][1]) for found in data["result"]}

    def has_had(self, expression: str, since_epoch_s: float) -> bool:
        """Whether an expression has had any value since then, as a panel would ask for it."""
        span = {"start": str(since_epoch_s), "end": str(time.time()), "step": "2s"}
        data = self.ask("query_range", query=expression, **span)
        assert isinstance(data, dict)
        return any(series["values"] for series in data["result"])

    def up(self) -> set[str]:
        """The jobs whose last scrape went well."""
        return set(self.values("up == 1", "job"))

    def firing(self) -> set[str]:
        """The lanes for which an alert fires now."""
        data = self.ask("alerts")
        assert isinstance(data, dict)
        return {alert["labels"]["lane"] for alert in data["alerts"] if alert["state"] == "firing"}


@contextmanager
def prometheus(folder: Path, target: str, locust: str) -> Iterator[Server]:
    """Prometheus as it is deployed, but that it scrapes what is at these URLs."""
    config = (PROMETHEUS / "prometheus.yml").read_text()
    for deployed, here in (("target:8000", target), ("locust:8089", locust)):
        assert config.count(f'"{deployed}"') == 1
        config = config.replace(f'"{deployed}"', f'"{here.removeprefix("http://")}"')
    folder.mkdir()
    (folder / "prometheus.yml").write_text(config)
    shutil.copy(PROMETHEUS / "rules.yml", folder)
    port = free_port()
    command = [
        program("prometheus"),
        "--config.file=prometheus.yml",
        "--storage.tsdb.path=data",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    with running(command, port, folder) as url:
        eventually(lambda: _ready(url), "Prometheus is ready")
        yield Server(url)


def _ready(url: str) -> bool:
    """Whether it answers queries: it listens earlier."""
    with urlopen(f"{url}/-/ready", timeout=LIMIT_S) as answer:  # noqa: S310
        return bool(answer.status == HTTPStatus.OK)
