"""What a simulation costs: a dip by both engines, at a million times the load, and a large fleet.

    .venv/bin/python -m benchmarks.simulation

`dip` is the scenario of article 000, five policies and one seed; its variants take turns, so that
their ratios say more than their seconds. Simulating and measuring count, starting up does not:
each part is played once before, in a process of its own. `fleet` is 1,000,000 clients, each with a
budget of its own and one request a second for 60 s; its memory is the most that its process had.
`queue` is full jitter before a queue with 100 workers, on one core.
"""

import argparse
import resource
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

from rich.console import Console
from rich.table import Table

from loadtests.scenario import Scenario, parse_scenario
from loadtests.simulation.articles.seed_000 import scenario as dip
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.measured import measure

P = ParamSpec("P")
R = TypeVar("R")

DIP_GOAL_S = 0.3
LARGE_GOAL_S = 0.2
LARGEST_GOAL = 2.0
FLEET_GOAL_S = 60.0
FLEET_GOAL_GIB = 4.0
QUEUE_GOAL_PER_S = 150_000
DIPS: dict[str, tuple[Engine, float]] = {
    "dip, events": (Engine.EVENTS, 1),
    "dip, ticks": (Engine.TICKS, 1),
    "dip, ticks, × 1,000": (Engine.TICKS, 1e3),
    "dip, ticks, × 1,000,000": (Engine.TICKS, 1e6),
}
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one part: the CPU and the attempts of each time, and the most memory of its process."""

    cpu_s: list[float]
    attempts: int
    memory_gib: float

    @property
    def median_s(self) -> float:
        """By which a goal is met or missed."""
        return statistics.median(self.cpu_s)

    @property
    def attempts_per_s(self) -> float:
        """Of CPU."""
        return self.attempts / self.median_s


@dataclass(frozen=True, slots=True)
class Result:
    """A goal, and whether it is met."""

    part: str
    found: str
    attempts: int
    goal: str
    met: bool


def fleet(clients: int) -> Scenario:
    """A budget of 10% in each client, full jitter, a dip of 2 s to a fifth; 60 s in all."""
    rate_per_s = 1000
    return parse_scenario(
        {
            "name": "fleet",
            "warm_up": "10s",
            "observation": "48s",
            "load": {"rate": f"{rate_per_s}/s"},
            "target": {"capacity": f"{rate_per_s / 0.95:.6g}/s"},
            "policies": [{"name": "full-jitter-budget", "scope": "client", "clients": rate_per_s}],
            "dips": [{"capacity": "20%", "for": "2s"}],
            "simulation": {"admits": "by-chance", "scale": clients / rate_per_s},
        }
    )


def queue(observation_s: int) -> Scenario:
    """A queue with 100 workers, 1,000 a second at most and 950 asked for; full jitter."""
    return parse_scenario(
        {
            "name": "queue",
            "warm_up": "10s",
            "observation": f"{observation_s}s",
            "load": {"rate": "950/s", "timeout": "1s"},
            "target": {"workers": 100, "service_time": "exponential 100ms", "queue": 500},
            "policies": [{"name": "full-jitter"}],
            "dips": [{"capacity": "20%", "for": "2s"}],
        }
    )


def cost(scenario: Scenario, engine: Engine) -> tuple[float, int]:
    """The CPU of one run with its figures, and its attempts."""
    began_s = time.process_time()
    lanes = measure(simulate(scenario, engine))
    return time.process_time() - began_s, sum(lane.attempts for lane in lanes)


def play_dips(times: int) -> dict[str, Cost]:
    """Each variant in turn, and all of them again; the first time is not counted."""
    scenarios = {name: (dip(scale), engine) for name, (engine, scale) in DIPS.items()}
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in scenarios}
    for _ in range(times + 1):
        for name, (scenario, engine) in scenarios.items():
            found[name].append(cost(scenario, engine))
    return {name: _cost(each[1:]) for name, each in found.items()}


def play_fleet(clients: int) -> Cost:
    """Once; a small one before it loads what it needs."""
    cost(fleet(1000), Engine.TICKS)
    return _cost([cost(fleet(clients), Engine.TICKS)])


def play_queue(observation_s: int, times: int) -> Cost:
    """Several times; a short one before them."""
    cost(queue(1), Engine.EVENTS)
    return _cost([cost(queue(observation_s), Engine.EVENTS) for _ in range(times)])


def _cost(each: list[tuple[float, int]]) -> Cost:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory = most if sys.platform == "darwin" else most * 1024
    return Cost([cpu_s for cpu_s, _ in each], each[0][1], memory / GIB)


def measured(quick: bool) -> list[Result]:
    """Every part in a process of its own, one after another."""
    times, clients, observation_s = (3, 100_000, 18) if quick else (9, 1_000_000, 48)
    dips = _apart(play_dips, times)
    crowd = _apart(play_fleet, clients)
    queued = _apart(play_queue, observation_s, times)
    return [*_judge_dips(dips), *_judge_fleet(crowd, clients), _judge_queue(queued)]


def _apart(part: Callable[P, R], *options: P.args, **named: P.kwargs) -> R:
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(part, *options, **named).result()


def _judge_dips(dips: dict[str, Cost]) -> list[Result]:
    large, largest = list(dips)[2:]
    goals_s = (DIP_GOAL_S, DIP_GOAL_S, LARGE_GOAL_S)
    results = [
        Result(name, _cpu(of), of.attempts, f"{goal_s:g} s", of.median_s <= goal_s)
        for (name, of), goal_s in zip(dips.items(), goals_s, strict=False)
    ]
    of = dips[largest]
    ratio = of.median_s / dips[large].median_s
    found = f"{_cpu(of)}, {ratio:.2f} ×"
    met = ratio <= LARGEST_GOAL
    return [*results, Result(largest, found, of.attempts, f"{LARGEST_GOAL:g} ×", met)]


def _judge_fleet(of: Cost, clients: int) -> list[Result]:
    name, memory = f"fleet of {clients:,} budgets", f"{of.memory_gib:.2f} GiB"
    in_time, in_memory = of.median_s < FLEET_GOAL_S, of.memory_gib < FLEET_GOAL_GIB
    return [
        Result(name, _cpu(of), of.attempts, f"{FLEET_GOAL_S:g} s", in_time),
        Result("its memory", memory, of.attempts, f"{FLEET_GOAL_GIB:g} GiB", in_memory),
    ]


def _judge_queue(of: Cost) -> Result:
    met = of.attempts_per_s >= QUEUE_GOAL_PER_S
    found = f"{of.attempts_per_s:,.0f}/s"
    return Result("queue, events", found, of.attempts, f"{QUEUE_GOAL_PER_S:,}/s", met)


def _cpu(of: Cost) -> str:
    return f"{of.median_s:.3f} s"


def table(results: list[Result]) -> Table:
    """A row for each goal."""
    rows = Table(box=None, pad_edge=False)
    rows.add_column("part", no_wrap=True)
    for heading in ("found", "attempts", "goal"):
        rows.add_column(heading, justify="right", no_wrap=True)
    rows.add_column()
    for of in results:
        said = "met" if of.met else "MISSED"
        style = "" if of.met else "red"
        rows.add_row(of.part, of.found, f"{of.attempts:,}", of.goal, said, style=style)
    return rows


def main() -> None:
    """Measure and print; exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="Exit code 1 when a goal is missed.",
    )
    parser.add_argument("--quick", action="store_true", help="fewer times, a smaller fleet")
    results = measured(parser.parse_args().quick)
    console = Console()
    console.print("CPU, the median; × is to the line above, /s is of CPU")
    console.print(table(results))
    sys.exit(0 if all(of.met for of in results) else 1)


if __name__ == "__main__":
    main()
