"""The workflow of `docs/ci.md`: its shell steps with a real engine, and a real service."""

import json
import os
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.compose.stack import BUILD_LIMIT_S, IMAGE, Stack
from tests.deploy.github import CI, Job, workflow

pytestmark = [pytest.mark.compose, pytest.mark.timeout(BUILD_LIMIT_S + 300)]

SERVICE = f"""
FROM {IMAGE}
CMD ["aftershock", "serve", "--host", "0.0.0.0", "--port", "8080", "--capacity", "10000/s"]
"""
SECOND_LANE = """
[[check]]
policies = ["no-retry"]
max_failed = 0

[[policies]]
name = "no-retry"
"""
BREACH = ("FAIL  no-retry            failed ", "Recovery is not within its limits")
NOT_VALID = ("NOT VALID  /runs/", "Recovery was not judged")


@pytest.fixture
def job(an_engine: None, tmp_path: Path) -> Job:
    """A repository with a service in it, and the folder that the docs say to copy."""
    stack = Stack(tmp_path / "none")
    stack.compose("build", "prepare", limit_s=BUILD_LIMIT_S)
    checkout = tmp_path / "checkout"
    shutil.copytree(CI, checkout / "ci")
    (checkout / "Dockerfile").write_text(SERVICE)
    names = {
        "AFTERSHOCK_IMAGE": IMAGE,
        "SERVICE_IMAGE": f"{IMAGE}-service",
        "COMPOSE_PROJECT_NAME": stack.name,
    }
    return Job(workflow(), checkout, names | {"PATH": os.environ["PATH"]})


def test_a_service_is_dipped_beside_its_harness_and_held_against_its_limits(job: Job) -> None:
    """Nobody keeps the limit of the second lane: it is a breach, and told everywhere.

    A machine that is busy makes the result not valid: then that is told everywhere.
    """
    scenario = job.checkout / "ci" / "scenario.toml"
    text = scenario.read_text().replace('observation = "15s"', 'observation = "8s"')
    text = text.replace('max_failed = "10%"', 'max_failed = "30%"')  # of half as many requests
    scenario.write_text(text.replace("[check]", "[[check]]") + SECOND_LANE)
    job.run()
    said = job.output("Hold its recovery against the limits")
    runs = job.checkout / "ci" / "runs"
    [report] = runs.glob("*/report.json")
    valid = json.loads(report.read_text())["valid"]
    line, heading = BREACH if valid else NOT_VALID
    assert line in said
    assert "::error title=aftershock%3A " in said
    assert heading in job.summary.read_text()
    [suite] = ElementTree.parse(runs / "junit.xml").getroot()  # noqa: S314 - ours
    wrong = (suite.get("tests"), suite.get("failures"), suite.get("errors"))
    assert wrong == (("7", "1", "0") if valid else ("7", "0", "7"))
    assert job.exit_codes == {
        "Build the service": 0,
        "Dip it under load": 0,
        "Hold its recovery against the limits": 1 if valid else 3,
        "What was said": 0,
        "Take it down": 0,
    }
