"""A real target in a process of its own, on a free port; it dies with the tests."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LIMIT_S = 20.0
"""How long a live test waits for anything."""


@dataclass
class LiveTarget:
    """The process and where it listens."""

    process: subprocess.Popen[str]
    port: int
    said: list[str]

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.port}"


def clean_environment(**more: str) -> dict[str, str]:
    """This environment without settings of ours or Locust's that a developer may have."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AFTERSHOCK_", "LOCUST_"))}
    return {**kept, **more}


@contextmanager
def live_target(*options: str, program: str = "", **environment: str) -> Iterator[LiveTarget]:
    """Start a target and stop it afterwards; `program` is Python to run in its place."""
    run = ["-c", program] if program else ["-m", "target_service"]
    process = subprocess.Popen(
        [sys.executable, *run, "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(AFTERSHOCK_PARENT_PID=str(os.getpid()), **environment),
    )
    with process:
        try:
            said: list[str] = []
            assert process.stderr is not None
            for line in process.stderr:
                said.append(line.strip())
                if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                    yield LiveTarget(process, int(found[1]), said)
                    break
            else:
                raise AssertionError(f"the target did not start: {said}")
        finally:
            process.terminate()
            try:
                process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
