"""The profile `observability`: a Prometheus inside the stack scrapes both sides of a run.

Debian's Prometheus stands in for the image, which no registry need be asked for then. Grafana has
no such stand-in: its service is left out unless GRAFANA_IMAGE names an image, and `test_config`
looks at its settings alone.
"""

import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.compose.conftest import BringUp
from tests.compose.stack import BUILD_LIMIT_S, ROOT, Stack, fetch
from tests.loadtests.live import attempts_by_lane
from tests.real import eventually, program

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]

STAND_IN = "aftershock-prometheus:test"
DOCKERFILE = """
ARG BASE
FROM ${BASE}
COPY prometheus promtool /bin/
RUN mkdir /prometheus && chown 65534:65534 /prometheus
USER 65534:65534
ENTRYPOINT ["/bin/prometheus"]
"""


@pytest.fixture(scope="module")
def stack(bring_up: BringUp, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """The stack with Prometheus, and without Grafana."""
    image = os.environ.get("PROMETHEUS_IMAGE") or _stand_in(tmp_path_factory.mktemp("image"))
    wanted = ("locust", "prometheus", *(["grafana"] if "GRAFANA_IMAGE" in os.environ else []))
    return bring_up(*wanted, profiles=("observability",), PROMETHEUS_IMAGE=image)


def _stand_in(folder: Path) -> str:
    """An image with Debian's Prometheus, laid out as the real one."""
    for name in ("prometheus", "promtool"):
        shutil.copy(program(name), folder)
    (folder / "Dockerfile").write_text(DOCKERFILE)
    default = (ROOT / "Dockerfile").read_text().split("ARG PYTHON_IMAGE=", 1)[1].split("\n", 1)[0]
    base = os.environ.get("PYTHON_IMAGE", default)
    command = ["docker", "build", "--quiet", "--tag", STAND_IN, "--build-arg", f"BASE={base}", "."]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=BUILD_LIMIT_S)
    return STAND_IN


def test_prometheus_reaches_both_sides(stack: Stack) -> None:
    """The target, and the process that owns the runs."""
    eventually(lambda: _values(stack, "up", "job") == {"target": 1.0, "locust": 1.0}, "both are up")


def test_the_rules_are_loaded(stack: Stack) -> None:
    """And none of them fails."""
    assert "AftershockRetryStorm" in {rule["name"] for rule in _rules(stack)}
    eventually(lambda: {rule["health"] for rule in _rules(stack)} == {"ok"}, "all are evaluated")


def test_prometheus_counts_what_the_record_counts(stack: Stack) -> None:
    """Attempts as the clients sent them and as the target metered them, with a dip between."""
    stack.start(dips="20% for 1s at 2s")
    dips = 'aftershock_dips_total{lane="full-jitter"}'
    eventually(lambda: set(_values(stack, dips, "lane").values()) == {1.0}, "the dip is counted")
    stack.stop()
    sent, offered = attempts_by_lane(stack.lines())
    _await_counts(stack, "aftershock_request_attempts_total", sent)
    _await_counts(stack, "aftershock_offered_attempts_total", offered)


def test_grafana_is_healthy(stack: Stack) -> None:
    """Only where an image of it can be had."""
    if "GRAFANA_IMAGE" not in os.environ:
        sentence = "NOT TESTED: Grafana in the stack: GRAFANA_IMAGE names no image that can be had"
        warnings.warn(sentence, stacklevel=1)
        pytest.skip(sentence)
    found = {container["Service"]: container for container in stack.containers()}
    assert found["grafana"]["Health"] == "healthy"


def test_prometheus_stops_by_itself(stack: Stack) -> None:
    """Within the grace period, or the exit code is 137."""
    stack.compose("stop", "prometheus")
    codes = {container["Service"]: container["ExitCode"] for container in stack.containers()}
    assert codes["prometheus"] == 0


def _await_counts(stack: Stack, name: str, counted: Mapping[str, int]) -> None:
    """Until Prometheus has what the record has; what was on its way at the end is in one only."""
    expected = {lane: pytest.approx(count, abs=12) for lane, count in counted.items()}
    query = f"sum by (lane) ({name})"
    eventually(lambda: _values(stack, query, "lane") == expected, f"{query}: {counted}")


def _rules(stack: Stack) -> list[dict[str, Any]]:
    return [rule for group in _ask(stack, "rules")["groups"] for rule in group["rules"]]


def _values(stack: Stack, query: str, label: str) -> dict[str, float]:
    """What a query comes to now, by a label."""
    found = _ask(stack, f"query?{urlencode({'query': query})}")["result"]
    return {series["metric"].get(label, ""): float(series["value"][1]) for series in found}


def _ask(stack: Stack, path: str) -> dict[str, Any]:
    answer = json.loads(fetch(f"{stack.prometheus}/api/v1/{path}"))
    assert answer["status"] == "success"
    data: dict[str, Any] = answer["data"]
    return data
