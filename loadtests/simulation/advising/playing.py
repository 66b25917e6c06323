"""All candidates with all seeds, on many processes; what is done counts when it is interrupted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from loadtests.policies.request import PolicyError
from loadtests.scenario import ScenarioError
from loadtests.simulation.advising.candidates import Candidate
from loadtests.simulation.advising.figures import Standing, standing
from loadtests.simulation.advising.outcome import Run, run_of
from loadtests.simulation.advising.situation import Situation
from loadtests.simulation.engines import Engine
from loadtests.simulation.many import Task, simulated, tasks_of
from loadtests.simulation.workers import Workers


@dataclass(frozen=True)
class Played:
    """The standings of all candidates of which any run is done, and why others have none."""

    standings: tuple[Standing, ...]
    failed: Mapping[str, str] = field(default_factory=dict)
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Games:
    """What is to be played: `who` plays each of the `tasks`, a number of the candidates."""

    candidates: tuple[Candidate, ...]
    engines: Mapping[int, Engine]
    tasks: tuple[Task, ...]
    who: tuple[int, ...]
    refused: Mapping[str, str]


def games_of(
    situation: Situation, candidates: Sequence[Candidate], engine: Engine, runs: int
) -> Games:
    """The runs of all candidates, seed by seed: an interruption leaves as many of each.

    Raises `ScenarioError` when no engine can play any of them.
    """
    by_candidate: dict[int, list[Task]] = {}
    refused: dict[str, str] = {}
    for number, candidate in enumerate(candidates):
        try:
            scenario = situation.alone(candidate.choice, candidate.service)
            by_candidate[number] = tasks_of(scenario, engine, runs)
        except ScenarioError as error:
            refused[candidate.name] = str(error)
    if not by_candidate:
        raise ScenarioError(next(iter(refused.values()), "no candidates"))
    order = [(number, run) for run in range(runs) for number in by_candidate]
    return Games(
        candidates=tuple(candidates),
        engines={number: tasks[0].engine for number, tasks in by_candidate.items()},
        tasks=tuple(by_candidate[number][run] for number, run in order),
        who=tuple(number for number, _ in order),
        refused=refused,
    )


def play_all(games: Games, workers: Workers, on_done: Callable[[], None]) -> Played:
    """Play; `on_done` is told of each run. Ctrl-C ends it with what is done."""
    done: dict[int, list[Run]] = {}
    failed = dict(games.refused)
    interrupted = False
    try:
        for index, result in workers.each(attempt, games.tasks):
            number = games.who[index]
            if isinstance(result, str):
                failed[games.candidates[number].name] = result
            else:
                done.setdefault(number, []).append(result)
            on_done()
    except KeyboardInterrupt:
        interrupted = True
    standings = (
        standing(games.candidates[number], games.engines[number].value, done[number])
        for number in sorted(done)
        if games.candidates[number].name not in failed
    )
    return Played(tuple(standings), failed, interrupted)


def attempt(task: Task) -> Run | str:
    """One run, or why there is none: a policy that fails in one run ends no other's."""
    try:
        return run_of(simulated(task))
    except (ValueError, PolicyError) as error:
        return str(error)
