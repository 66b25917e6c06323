"""What all tests of the compose stack need: an engine."""

import subprocess
import warnings

import pytest


@pytest.fixture(scope="session")
def an_engine() -> None:
    """A Docker engine, or the tests are left out."""
    if not _engine_answers():
        reason = "THE COMPOSE STACK IS NOT TESTED: no Docker engine answers `docker info`"
        warnings.warn(reason, stacklevel=1)  # pytest tells of warnings, of skips only when asked
        pytest.skip(reason)


def _engine_answers() -> bool:
    command = ["docker", "info", "--format", "{{.ServerVersion}}"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0 and bool(done.stdout.strip())
