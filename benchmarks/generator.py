"""What one attempt costs the load generator: our user beside Locust's `FastHttpUser`.

    .venv/bin/python -m benchmarks.generator

Both send the same number of attempts per second to the same target, one after the other and
several times over, and only their ratio is to be trusted: the machine's mood is in both.
`storm` turns most attempts away, as a storm does; `served` answers all.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from aftershock_units import format_rate
from faults.admin import AdminClient
from loadtests.processes import start_target
from tests.target_service.live import clean_environment

WARM_UP_S = 4

OURS = """
from locust import task
from loadtests.users import OpenLoopUser, preset

class Ours(OpenLoopUser):
    retry_policy = preset("no-retry")
    rate_per_s = {rate}

    @task
    def work(self):
        self.client.get("/work")
"""

FAST = """
from itertools import count

import gevent
from locust import FastHttpUser, constant_throughput, events, task

number = count()

class Fast(FastHttpUser):
    # A hundred users, because each waits for its answer before it sends again.
    wait_time = constant_throughput({rate} / 100)

    def on_start(self):
        # Evenly between each other, as ours are; users in lockstep would share their wake-ups.
        gevent.sleep(next(number) / {rate})

    @task
    def work(self):
        self.client.get("/work")

@events.quitting.add_listener
def _(environment, **_):
    environment.process_exit_code = 0
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Attempts that the target metered, and the generator's CPU time for them."""

    attempts: int
    cpu_s: float

    @property
    def microseconds(self) -> float:
        """Per attempt."""
        return self.cpu_s / self.attempts * 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=int, default=1800, help="attempts a second")
    parser.add_argument("--seconds", type=int, default=10, help="length of one measurement")
    parser.add_argument("--times", type=int, default=3, help="measurements of each")
    options = parser.parse_args()
    console = Console()
    table = Table("target", "ours, µs", "FastHttpUser, µs", "ours ÷ FastHttpUser", box=None)
    for name, capacity_per_s in (("served", options.rate * 2.0), ("storm", 500.0)):
        ours, fast = [], []
        for number in range(options.times):
            console.print(f"{name}: {number + 1} of {options.times}", style="dim")
            ours.append(measure(OURS, 1, capacity_per_s, options).microseconds)
            fast.append(measure(FAST, 100, capacity_per_s, options).microseconds)
        pairs = [mine / theirs for mine, theirs in zip(ours, fast, strict=True)]
        table.add_row(name, _spread(ours), _spread(fast), f"{statistics.median(pairs):.2f}")
    console.print(f"CPU per attempt at {options.rate}/s, median (least to most):")
    console.print(table)


def measure(
    locustfile: str, users: int, capacity_per_s: float, options: argparse.Namespace
) -> Cost:
    """One run of Locust against a fresh target, from when it is warm until before it ends."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "locustfile.py").write_text(locustfile.format(rate=options.rate))
        target, url = start_target(
            {"capacity": format_rate(capacity_per_s)}, "", folder / "target.log"
        )
        command = [sys.executable, "-m", "locust", "--headless", "--host", url, "--only-summary"]
        command += ["-u", str(users), "-r", str(users), "-t", f"{WARM_UP_S + options.seconds + 5}s"]
        with (
            target,
            subprocess.Popen(
                command,
                cwd=folder,
                env=clean_environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as locust,
        ):
            process, admin = psutil.Process(locust.pid), AdminClient(url)
            time.sleep(WARM_UP_S)
            cpu_before_s, seq = _cpu_s(process), admin.state().seq
            time.sleep(options.seconds)
            cpu_s = _cpu_s(process) - cpu_before_s
            attempts = sum(
                sum(lane.offered) for row in admin.ticks(seq) for lane in row.lanes.values()
            )
            locust.kill()
        return Cost(attempts, cpu_s)


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} ({min(values):.0f}–{max(values):.0f})"


if __name__ == "__main__":
    main()
