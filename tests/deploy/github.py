"""Runs the shell steps of a workflow as GitHub's runner does, on this machine."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
CI = ROOT / "deploy" / "ci"
LIMIT_S = 120


@dataclass(frozen=True)
class Ran:
    """One step, as it ended."""

    name: str
    exit_code: int
    output: str


@dataclass
class Job:
    """A job in a checkout. `variables` go before those of the workflow, and are all there is."""

    workflow: Mapping[str, Any]
    checkout: Path
    variables: Mapping[str, str]
    ran: list[Ran] = field(default_factory=list)

    @property
    def steps(self) -> list[dict[str, Any]]:
        [job] = self.workflow["jobs"].values()
        steps: list[dict[str, Any]] = job["steps"]
        return steps

    @property
    def summary(self) -> Path:
        return self.checkout.parent / "summary.md"

    def run(self) -> None:
        """Each shell step whose condition holds. Actions are left out."""
        files = {"GITHUB_ENV": self.checkout.parent / "env", "GITHUB_STEP_SUMMARY": self.summary}
        for path in files.values():
            path.touch()
        environment = {**self.workflow["env"], **self.variables, "GITHUB_ACTIONS": "true"}
        environment |= {name: str(path) for name, path in files.items()}
        for step in self.steps:
            if "run" in step and self._due(step.get("if", "success()")):
                later = dict(_assignments(files["GITHUB_ENV"]))
                self.ran.append(self._run(step, {**environment, **later}))

    def _run(self, step: Mapping[str, Any], environment: Mapping[str, str]) -> Ran:
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=self.checkout,
            env={"PATH": os.environ["PATH"], "HOME": str(self.checkout.parent), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Ran(step["name"], done.returncode, done.stdout)

    def _due(self, condition: str) -> bool:
        failed = any(one.exit_code for one in self.ran)
        return {"success()": not failed, "failure()": failed, "always()": True}[condition]

    @property
    def exit_codes(self) -> dict[str, int]:
        return {one.name: one.exit_code for one in self.ran}

    def output(self, name: str) -> str:
        return next(one.output for one in self.ran if one.name == name)


def workflow() -> dict[str, Any]:
    """The example, without what only GitHub can fill in."""
    text = re.sub(r"\$\{\{.*?\}\}", '""', (CI / "recovery.yml").read_text())
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def _assignments(file: Path) -> Iterator[tuple[str, str]]:
    for line in file.read_text().splitlines():
        name, _, value = line.partition("=")
        yield name, value
