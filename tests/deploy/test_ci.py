"""The example for CI: its files are right, and its shell steps do what the docs say."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from loadtests.scenario import load_scenario_values, parse_scenario
from reports.judging.gate.limits import limited, parse_limit
from reports.judging.gate.rules import key_of, rules_of
from tests.deploy.github import CI, ROOT, Job, workflow

DOCS = (ROOT / "docs" / "ci.md").read_text()
DOCKER = """#!/bin/sh
echo "docker $*" >> "$LOG"
case "$*" in
    *harness*) echo "as $AFTERSHOCK_USER" >> "$LOG"; exit "${HARNESS:-0}" ;;
    *check*) exit "${CHECK:-0}" ;;
esac
"""
"""Writes down what it is asked for, and ends as it is told to."""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    path = f"{docker.parent}:/usr/bin:/bin"
    return Job(workflow(), checkout, {"PATH": path, "LOG": str(tmp_path / "log")})


def asked(job: Job) -> list[str]:
    lines = Path(job.variables["LOG"]).read_text().splitlines()
    return [line.removeprefix("docker ") for line in lines if line.startswith("docker ")]


def test_the_steps_build_load_check_and_take_down(job: Job) -> None:
    job.run()
    assert set(job.exit_codes.values()) == {0}
    assert asked(job) == [
        "build --tag service-under-test .",
        "compose run --rm harness",
        "compose run --rm check",
        "compose --profile * down --volumes",
    ]
    assert (job.checkout / "ci" / "runs").is_dir()


@pytest.mark.parametrize("code", [1, 3])
def test_what_does_not_pass_is_told_by_the_check(job: Job, code: int) -> None:
    """The harness exits with that as well, and the check must be reached."""
    job.variables = {**job.variables, "HARNESS": str(code), "CHECK": str(code)}
    job.run()
    assert job.exit_codes["Dip it under load"] == 0
    assert job.exit_codes["Hold its recovery against the limits"] == code
    assert asked(job)[-2:] == ["compose logs", "compose --profile * down --volumes"]


@pytest.mark.parametrize("code", [2, 125])
def test_a_harness_that_fails_ends_the_job(job: Job, code: int) -> None:
    job.variables = {**job.variables, "HARNESS": str(code)}
    job.run()
    assert job.exit_codes["Dip it under load"] == code
    assert "compose run --rm check" not in asked(job)
    assert asked(job)[-1] == "compose --profile * down --volumes"


def test_the_scenario_is_one_and_has_limits() -> None:
    scenario = parse_scenario(load_scenario_values(CI / "scenario.toml"))
    assert len(rules_of(scenario.model_dump(mode="json", by_alias=True)["check"])) == 3


def test_the_services_are_confined_and_the_gate_is_open_to_nobody_else() -> None:
    services: dict[str, Any] = yaml.safe_load((CI / "compose.yml").read_text())["services"]
    assert set(services) == {"service", "gate", "harness", "check"}
    for name in ("gate", "harness", "check"):
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["read_only"] is True
    assert not any("ports" in service for service in services.values())
    assert services["harness"]["network_mode"] == "service:gate"
    assert not any(argument.startswith("--host") for argument in services["gate"]["command"])


def test_the_docs_name_every_limit() -> None:
    rows = "\n".join(line for line in DOCS.splitlines() if line.startswith("| `--max-"))
    options = re.findall(r"--max-([a-z-]+)", rows)
    assert sorted(options) == sorted(one.word for one in limited())
    for row in rows.splitlines():
        words = re.findall(r"--max-([a-z-]+)", row)
        *_, cell, _ = row.split("|")
        for text in re.findall(r"`([^`]+)`", cell):
            for one in limited():
                if one.word in words:
                    parse_limit(one, text)


def test_the_tables_in_the_docs_are_right() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", DOCS, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        check = tomllib.loads(block)["check"]
        parse_scenario({"check": check})
        assert rules_of(check)
    assert key_of(limited()[0]) in DOCS
