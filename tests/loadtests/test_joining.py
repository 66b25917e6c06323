"""A worker that joins a test that runs. In a process of its own: importing Locust changes one."""

import subprocess
import sys

import pytest

SCRIPT = """
import gevent
from types import SimpleNamespace
from loadtests.swarm import await_runner

environment = SimpleNamespace(runner=None)
gevent.spawn_later({made_s}, setattr, environment, "runner", "made")
await_runner(environment, {limit_s})
print(environment.runner)
"""


@pytest.mark.parametrize(
    ("made_s", "limit_s", "found"), [(0.05, 20.0, "made"), (60.0, 0.02, "None")]
)
def test_it_may_be_told_to_start_before_its_runner_is_made(
    made_s: float, limit_s: float, found: str
) -> None:
    """Locust's worker hears of the test while it is being made; it is waited for, not for ever."""
    command = [sys.executable, "-c", SCRIPT.format(made_s=made_s, limit_s=limit_s)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == found


FLUSHED = """
from types import SimpleNamespace
from loadtests.roles.worker import Worker

sent = []
runner = SimpleNamespace(
    register_message=lambda kind, take: None,
    send_message=lambda kind, counts: sent.append(counts),
)
Worker(SimpleNamespace(), runner, print)._flush(SimpleNamespace(), SimpleNamespace())
print(sent)
"""


def test_one_that_came_too_late_for_users_says_that_it_counted_nothing() -> None:
    """The master waits for the last counts of all that are there."""
    command = [sys.executable, "-c", FLUSHED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[{'final': True, 'requests': [], 'health': []}]"


STOPPED = """
from types import SimpleNamespace
from loadtests.roles.worker import Worker

done = []
runner = SimpleNamespace(
    register_message=lambda kind, take: None,
    send_message=lambda kind, counts: done.append(counts["final"]),
    stop=lambda: done.append("stopped"),
)
worker = Worker(SimpleNamespace(), runner, print)
worker.counting = SimpleNamespace(drain=lambda: ([], []))
worker._flush(SimpleNamespace(), SimpleNamespace())
print(done)
"""


def test_users_are_stopped_before_the_last_counts_are_sent() -> None:
    """A master that quits has not told them; what they would send is counted by nobody."""
    command = [sys.executable, "-c", STOPPED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "['stopped', True]"
