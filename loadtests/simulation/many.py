"""One scenario with many seeds: each run a task that any process can play."""

import json
import math
from dataclasses import dataclass
from functools import lru_cache

from loadtests.scenario import Scenario, ScenarioError, parse_scenario
from loadtests.simulation.engines import Engine, choose, simulate
from loadtests.simulation.measured import Measured, measure
from loadtests.simulation.metered import Simulated, record_of
from reports.folding.phases import find_phases
from reports.folding.run import run_of
from reports.judging.validity import reasons
from reports.measuring.sampling import SampledRun, sample_lane

MAX_SEED = 2**53


@dataclass(frozen=True, slots=True)
class Task:
    """One run: the scenario in JSON, who plays it, and the seed that takes the scenario's place."""

    scenario_json: str
    engine: Engine
    seed: int


def tasks_of(scenario: Scenario, engine: Engine, runs: int) -> list[Task]:
    """So many runs, with the scenario's seed and those that follow it.

    All are played by one engine, chosen here. Raises `ScenarioError` where none can.
    """
    if scenario.seed + runs - 1 > MAX_SEED:
        raise ScenarioError(f"seed: {scenario.seed}: with {runs} runs the last is above 2^53")
    chosen = choose(scenario, engine).engine
    # What is asked of a run changes nothing of it.
    text = scenario.model_copy(update={"check": ()}).model_dump_json(by_alias=True)
    return [Task(text, chosen, scenario.seed + number) for number in range(runs)]


@dataclass(frozen=True, slots=True)
class Judged:
    """The figures of each lane of a run, and why the run is not valid; empty when it is."""

    lanes: tuple[Measured, ...]
    invalid_because: tuple[str, ...]


def play(task: Task) -> tuple[Measured, ...]:
    """The figures of each lane of this run. Raises `ScenarioError` and `PolicyError`."""
    return measure(simulated(task))


def play_and_judge(task: Task) -> Judged:
    """Likewise, with what the report would say against it."""
    run = simulated(task)
    record = record_of(run)
    return Judged(measure(run), reasons(record, find_phases(record)))


def play_and_sample(task: Task) -> SampledRun:
    """Likewise, in all figures that a report has."""
    record = record_of(simulated(task))
    lanes = tuple(sample_lane(record, lane) for lane in record.lanes)
    against = reasons(record, find_phases(record))
    return SampledRun(f"seed {task.seed}", run_of(record), against, lanes)


def simulated(task: Task, until_s: float = math.inf) -> Simulated:
    """This run whole, or only up to `until_s`. Raises `ScenarioError` and `PolicyError`."""
    scenario = _read(task.scenario_json).model_copy(update={"seed": task.seed})
    return simulate(scenario, task.engine, until_s=until_s)


@lru_cache(maxsize=8)
def _read(scenario_json: str) -> Scenario:
    """A scenario is frozen, and reading one takes longer than a short run."""
    return parse_scenario(json.loads(scenario_json))
