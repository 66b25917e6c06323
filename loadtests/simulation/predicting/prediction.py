"""A run's scenario with many seeds, folded into what is predicted of each lane."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadtests.simulation.engines import Engine
from loadtests.simulation.many import Task, simulated, tasks_of
from loadtests.simulation.metered import record_of
from loadtests.simulation.predicting.likeness import Likeness
from loadtests.simulation.workers import Workers
from reports.folding.phases import end_of_load_s
from reports.measuring.recovery import Recovery
from reports.prediction import Band, PredictedLane, Prediction, first_fit_s, range_of, settled_s
from reports.reading.series import RunRecord
from reports.record import Fault
from reports.summary import fold

RUNS = 20
BAND = (0.05, 0.95)
"""Which shares of the predictions lie below the band, and below its upper end."""
MOVED_S = 0.5
"""A disturbance that came this much off its plan is not the one that is simulated."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One run to be played, and the part of it that the run to be predicted was watched in."""

    task: Task
    observe_from_s: float
    end_s: float


@dataclass(frozen=True)
class Played:
    """One run that was played: its lanes, as the report has them, and what disturbed them."""

    lanes: tuple[Recovery, ...]
    faults: tuple[Fault, ...]


def pieces_of(likeness: Likeness, runs: int = RUNS) -> list[Piece]:
    """So many runs, with the seed of the one to be predicted and those that follow.

    Raises `ScenarioError` where no engine can play it.
    """
    record = likeness.record
    watched = record.header.observe_from_s, end_of_load_s(record)
    return [Piece(task, *watched) for task in tasks_of(likeness.scenario, Engine.AUTO, runs)]


def play(piece: Piece) -> Played:
    """Play one run up to there and measure that part of it: nothing that came later is known.

    Raises `ScenarioError` and `PolicyError`."""
    run = simulated(piece.task, piece.end_s)
    header = replace(run.header, observe_from_s=piece.observe_from_s)
    record = record_of(replace(run, header=header))
    return Played(fold(record).policies, record.faults)


def foresee(
    likeness: Likeness,
    pieces: Sequence[Piece],
    workers: Workers,
    on_run: Callable[[], None] = lambda: None,
) -> Prediction:
    """Play all pieces and fold them; `on_run` is told of each that is done."""
    played: dict[int, Played] = {}
    for index, done in workers.each(play, pieces):
        played[index] = done
        on_run()
    each = [played[index] for index in range(len(pieces))]
    lanes = zip(*(run.lanes for run in each), strict=True)
    return Prediction(
        runs=len(pieces),
        seed=likeness.scenario.seed,
        engine=pieces[0].task.engine.value,
        notes=(*likeness.notes, *_notes(likeness.record, each[0].faults)),
        lanes=tuple(_folded(lane) for lane in lanes),
    )


def _folded(runs: Sequence[Recovery]) -> PredictedLane:
    """One lane, of all runs."""
    after = runs[0].after is not None
    return PredictedLane(
        lane=runs[0].lane,
        peak_per_s=range_of([run.peak_per_s for run in runs]),
        first_fit_s=range_of([first_fit_s(run) for run in runs]) if after else None,
        settled_s=range_of([settled_s(run) for run in runs]) if after else None,
        failed=range_of([run.failed for run in runs]),
        attempts=range_of([run.attempts for run in runs]),
        band=_band(runs),
    )


def _band(runs: Sequence[Recovery]) -> Band:
    """The band tick by tick, as it is: what is measured is to be in it or not.

    The median is that of each tick with its two neighbours, by ¼, ½, ¼: requests at a constant rate
    make 9 in one tick and 10 in the next, and in which ones is chance. All slower waves are kept.
    """
    load = np.array([run.drawn.by_attempt_per_s.sum(axis=0) for run in runs])
    beside = np.pad(load, ((0, 0), (1, 1)), mode="edge") if load.size else load
    evened = (beside[:, :-2] + 2 * load + beside[:, 2:]) / 4 if load.size else load
    low, high = np.quantile(load, BAND, axis=0)
    rows = runs[0].drawn.t_s, low, np.median(evened, axis=0), high
    return Band(*(tuple(np.round(row, 6).tolist()) for row in rows))


def _notes(record: RunRecord, planned: Sequence[Fault]) -> Iterator[str]:
    """In what the run was another than the one that was simulated."""
    end_s, planned_end_s = end_of_load_s(record), record.header.planned_end_s
    if planned_end_s is not None and end_s < planned_end_s - record.tick_s:
        yield (
            f"The run ended after {end_s:.1f} s of {planned_end_s:.1f} s; what is predicted is "
            "measured up to there too."
        )
    if not _alike(_real(record.faults, end_s), _real(planned, end_s)):
        yield (
            "What disturbed this run is not what its scenario plans, and the plan is what was "
            "simulated."
        )


def _real(faults: Sequence[Fault], end_s: float) -> list[Fault]:
    """Those that came to pass, in the order of their beginning."""
    found = [fault for fault in faults if fault.start_s < min(fault.end_s, end_s)]
    return sorted(found, key=lambda fault: (fault.start_s, fault.end_s, fault.type))


def _alike(came: Sequence[Fault], planned: Sequence[Fault]) -> bool:
    return len(came) == len(planned) and all(
        one.type == other.type
        and abs(one.start_s - other.start_s) < MOVED_S
        and abs(one.end_s - other.end_s) < MOVED_S
        for one, other in zip(came, planned, strict=True)
    )
