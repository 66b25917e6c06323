"""One cell of a sweep: one policy and one value of each axis, played with several seeds."""

import json
from dataclasses import dataclass
from statistics import median

from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.engines import Engine
from loadtests.simulation.many import Task, play_and_judge, tasks_of
from loadtests.simulation.sweep.alone import only_lane, with_outage
from loadtests.simulation.sweep.axes import vary
from reports.text import names_of


@dataclass(frozen=True, slots=True)
class CellTask:
    """What a process needs to play a cell: the scenario's values in JSON, and what is set in them.

    A `probe` has an outage in the place of the scenario's last disturbance.
    """

    values_json: str
    settings: tuple[tuple[str, str], ...]
    lane: str
    engine: Engine
    runs: int
    probe: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """What became of a cell, run by run: when it settled, None where it did not recover.

    `failed_share` is that of the requests, likewise. `invalid` counts the runs that a report would
    call not valid, `because` is the reason of the first of them. `unanswered_share` is that of the
    requests without an answer at the end, which have not failed; empty where all had one.
    """

    settled_s: tuple[float | None, ...]
    failed_share: tuple[float, ...]
    invalid: int = 0
    because: str = ""
    unanswered_share: tuple[float, ...] = ()

    @property
    def recovered(self) -> int:
        """How many of the runs did."""
        return sum(settled is not None for settled in self.settled_s)

    @property
    def comes_back(self) -> bool:
        """More than half of the runs did: where as many do as do not, there is no relying on it."""
        return 2 * self.recovered > len(self.settled_s)

    @property
    def agrees(self) -> bool:
        """All of the runs recovered or none did: it is not for other seeds to say otherwise."""
        return self.recovered in {0, len(self.settled_s)}

    @property
    def unanswered_median(self) -> float:
        """The median share of requests without an answer."""
        return median(self.unanswered_share) if self.unanswered_share else 0.0

    @property
    def valid(self) -> bool:
        """More than half of the runs can be trusted."""
        return 2 * self.invalid < len(self.settled_s)


def play_cell(task: CellTask) -> Played:
    """Play it. Pure: the same task gives the same figures in any process.

    Raises `ScenarioError`, which names the cell, and `PolicyError`.
    """
    try:
        judged = [play_and_judge(run) for run in runs_of(task)]
    except ScenarioError as error:
        where = " ".join(f"{path}={value}" for path, value in task.settings)
        raise ScenarioError(f"{where}: {error}") from None
    found = [run.lanes[0] for run in judged]
    unanswered = tuple(run.unanswered_share for run in found)
    alone = f" in {names_of([task.lane])}"  # which goes without saying: a cell has one lane
    reasons = [run.invalid_because[0] for run in judged if run.invalid_because]
    return Played(
        tuple(run.back_s for run in found),
        tuple(run.failed_share for run in found),
        invalid=len(reasons),
        because=reasons[0].partition(alone)[0] if reasons else "",
        unanswered_share=unanswered if any(unanswered) else (),
    )


def runs_of(task: CellTask) -> list[Task]:
    """What is played, a run a seed. Raises `ScenarioError` where the cell cannot be."""
    whole = parse_scenario(vary(json.loads(task.values_json), dict(task.settings)))
    alone = only_lane(whole, task.lane)
    return tasks_of(with_outage(alone) if task.probe else alone, task.engine, task.runs)
