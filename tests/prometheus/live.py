"""A real Prometheus with our configuration, on loopback; and what it is asked."""

import json
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from loadtests.processes import free_port
from tests.prometheus.promtool import PROMETHEUS
from tests.real import LIMIT_S, program, running

Labels = frozenset[tuple[str, str]]


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

    def up(self) -> set[str]:
        """The jobs whose last scrape went well."""
        return set(self.values("up == 1", "job"))

    def firing(self) -> set[str]:
        """The lanes for which an alert fires now."""
        data = self.ask("alerts")
        assert isinstance(data, dict)
        return {alert["labels"]["lane"] for alert in data["alerts"] if alert["state"] == "firing"}


@contextmanager
def prometheus(folder: Path, addresses: Mapping[str, str]) -> Iterator[Server]:
    """Prometheus as it is deployed, but with other addresses in the place of these."""
    config = (PROMETHEUS / "prometheus.yml").read_text()
    for deployed, here in addresses.items():
        assert config.count(f'"{deployed}"') == 1
        config = config.replace(f'"{deployed}"', f'"{here}"')
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
        _await(url)
        yield Server(url)


def _await(url: str) -> None:
    """Until it answers queries: it listens earlier."""
    until_s = time.monotonic() + LIMIT_S
    while True:
        try:
            urlopen(f"{url}/-/ready", timeout=LIMIT_S).close()  # noqa: S310
        except HTTPError:
            assert time.monotonic() < until_s, "Prometheus does not get ready"
            time.sleep(0.05)
            continue
        return
