"""The stacks that the tests of a module share."""

import subprocess
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.compose.stack import Stack
from tests.loadtests.control_room.conftest import browser as browser  # noqa: PLC0414 - too

BringUp = Callable[..., Stack]


@pytest.fixture(scope="session")
def an_engine() -> None:
    """A Docker engine, or the tests are left out."""
    if not _engine_answers():
        reason = "THE COMPOSE STACK IS NOT TESTED: no Docker engine answers `docker info`"
        warnings.warn(reason, stacklevel=1)  # pytest tells of warnings, of skips only when asked
        pytest.skip(reason)


@pytest.fixture(scope="module")
def bring_up(an_engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BringUp]:
    """Brings up a stack of these profiles and variables, which is taken down after the module."""
    with ExitStack() as stacks:

        def up(*options: str, profiles: tuple[str, ...] = (), **variables: str) -> Stack:
            # The engine makes the folder, as in a fresh clone.
            runs = tmp_path_factory.mktemp("compose") / "runs"
            return stacks.enter_context(_up(runs, options, profiles, variables))

        yield up


@contextmanager
def _up(
    runs: Path, options: tuple[str, ...], profiles: tuple[str, ...], variables: dict[str, str]
) -> Iterator[Stack]:
    stack = Stack(runs, *profiles, **variables)
    try:
        stack.up(*options)
        yield stack
    finally:
        stack.down()


def _engine_answers() -> bool:
    command = ["docker", "info", "--format", "{{.ServerVersion}}"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0 and bool(done.stdout.strip())
