"""The stack that all tests of this folder share, and an image for its Prometheus.

Debian's Prometheus stands in for the image, which no registry need be asked for then. Grafana has
no such stand-in: its service is left out unless GRAFANA_IMAGE names an image, and `test_config`
looks at its settings alone.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compose.stack import BUILD_LIMIT_S, ROOT, Stack, a_stack
from tests.real import program

STAND_IN = "aftershock-prometheus:test"
DOCKERFILE = """
ARG BASE
FROM ${BASE}
COPY prometheus promtool /bin/
RUN mkdir /prometheus && chown 65534:65534 /prometheus
USER 65534:65534
ENTRYPOINT ["/bin/prometheus"]
"""


@pytest.fixture(scope="package")
def stack(an_engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """All profiles, up and healthy; taken down with its volumes afterwards."""
    folder = tmp_path_factory.mktemp("whole")
    image = os.environ.get("PROMETHEUS_IMAGE") or _stand_in(folder)
    grafana = ["grafana"] if "GRAFANA_IMAGE" in os.environ else []
    with a_stack(
        # The engine makes the folder, as in a fresh clone.
        folder / "runs",
        *("locust", "outer", "envoy", "prometheus", *grafana),
        profiles=("layers", "envoy", "observability"),
        PROMETHEUS_IMAGE=image,
        AFTERSHOCK_CONTROL_HOSTS="room.example",
    ) as stack:
        yield stack


def _stand_in(folder: Path) -> str:
    """An image with Debian's Prometheus, laid out as the real one."""
    context = folder / "image"
    context.mkdir()
    for name in ("prometheus", "promtool"):
        shutil.copy(program(name), context)
    (context / "Dockerfile").write_text(DOCKERFILE)
    default = (ROOT / "Dockerfile").read_text().split("ARG PYTHON_IMAGE=", 1)[1].split("\n", 1)[0]
    base = os.environ.get("PYTHON_IMAGE", default)
    command = ["docker", "build", "--quiet", "--tag", STAND_IN, "--build-arg", f"BASE={base}", "."]
    subprocess.run(command, cwd=context, check=True, capture_output=True, timeout=BUILD_LIMIT_S)
    return STAND_IN
