"""The dashboard's queries, asked of a real Prometheus that scrapes a real target and Locust."""

import json
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError

import pytest
import yaml

from faults.admin import AdminClient
from faults.fault import ServiceFault
from loadtests.processes import free_port
from tests.deploy.expressions import expressions
from tests.deploy.manifests import ROOT
from tests.loadtests.live import LOCUSTFILE, a_target
from tests.real import program, running

pytestmark = pytest.mark.live

LIMIT_S = 90.0
# A storm outlasts this test's patience, and is made by nobody here.
SILENT = ("ALERTS{",)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Prometheus as it is deployed, while one lane sees a dip and a fault."""
    folder = tmp_path_factory.mktemp("grafana")
    port = free_port()
    locust = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "NoRetry", "--autostart"]
    locust += ["--web-host", "127.0.0.1", "--web-port", str(port), "--users", "1"]
    locust += ["--rate-per-user", "20/s", "--runs-dir", str(folder / "runs")]
    locust += ["--dips", "0% for 1s at 5s"]
    with a_target(folder, capacity_per_s=50.0) as url:
        place = _scraping(folder, url, port)
        (folder / "locust").mkdir()
        admin = AdminClient(url)
        admin.begin_fault(ServiceFault("latency", LIMIT_S, share=0.1, add_s=0.001))
        admin.close()
        with running([*locust, "--host", url], port, folder / "locust"):
            with running(place, int(place[-1].rpartition(":")[2]), folder) as found:
                yield found


def _scraping(folder: Path, target: str, locust_port: int) -> list[str]:
    """The command of a Prometheus with the deployed rules, and with these two to scrape."""
    deployed = ROOT / "deploy" / "prometheus"
    config = yaml.safe_load((deployed / "prometheus.yml").read_text())
    config["rule_files"] = [str(deployed / name) for name in config["rule_files"]]
    addresses = {"target": target.removeprefix("http://"), "locust": f"127.0.0.1:{locust_port}"}
    for job in config["scrape_configs"]:
        job["static_configs"] = [{"targets": [addresses[job["job_name"]]]}]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    command = [program("prometheus"), f"--config.file={folder}/prometheus.yml"]
    command += [f"--storage.tsdb.path={folder}/data"]
    return [*command, f"--web.listen-address=127.0.0.1:{free_port()}"]


def _found(prometheus: str, expr: str, seconds: float) -> bool:
    """Whether this query has any value in the last seconds, as a panel would ask for it."""
    now_s = time.time()
    span = {"query": expr, "start": now_s - seconds, "end": now_s, "step": "2s"}
    url = f"{prometheus}/api/v1/query_range?{urllib.parse.urlencode(span)}"
    try:
        with urllib.request.urlopen(url) as response:  # noqa: S310 it is ours
            answer = json.load(response)
    except HTTPError as error:
        if error.code == HTTPStatus.SERVICE_UNAVAILABLE:  # it is starting
            return False
        raise
    assert answer["status"] == "success"
    return any(series["values"] for series in answer["data"]["result"])


def test_every_query_of_the_dashboard_finds_something(prometheus: str) -> None:
    """None of its panels stays empty, once a dip has settled."""
    began_s = time.monotonic()
    waiting = [expr for expr in expressions(".*") if not any(word in expr for word in SILENT)]
    assert len(waiting) > 25
    while waiting and time.monotonic() - began_s < LIMIT_S:
        span_s = time.monotonic() - began_s + 5
        waiting = [expr for expr in waiting if not _found(prometheus, expr, span_s)]
        time.sleep(0.5)
    assert waiting == []


def test_a_query_of_something_else_finds_nothing(prometheus: str) -> None:
    """The test before tests something."""
    assert not _found(prometheus, "aftershock_ofered_attempts_total", 60)
