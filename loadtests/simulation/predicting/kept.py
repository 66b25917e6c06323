"""The prediction of a run, made once and kept beside its record."""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from rich.console import Console

from loadtests.policies.request import PolicyError
from loadtests.scenario import ScenarioError
from loadtests.simulation.predicting.likeness import about, liken
from loadtests.simulation.predicting.prediction import Piece, foresee, pieces_of
from loadtests.simulation.workers import LocalWorkers, WorkersError, default_processes
from reports.prediction import Band, Prediction
from reports.progress import Bar
from reports.reading.read import record_path
from reports.rendering.files import write_whole

NAME = "prediction.json"
SCHEMA = 1


@dataclass(frozen=True)
class Kept:
    """What the file holds: the prediction, and a sum over all that it was made of."""

    schema: int
    made_of: str
    prediction: Prediction


_FILE = TypeAdapter(Kept)


def predict(run: Path, console: Console) -> Prediction:
    """What is predicted of the run at this path: read, or made and kept beside its record.

    How far it is shows on `console`. Raises `ScenarioError`, also where a policy fails, and
    `OSError` where it cannot be kept.
    """
    likeness = liken(run)
    try:
        pieces = pieces_of(likeness)
        path, made_of = record_path(run).parent / NAME, _sum_of(pieces)
        lanes = [policy.lane_name for policy in likeness.scenario.policies]
        known = _read(path, made_of, lanes, len(pieces))
        if known is not None:
            return known
        bar = Bar(console, "predictions", len(pieces))
        with LocalWorkers(default_processes()) as workers, bar:
            found = foresee(likeness, pieces, workers, bar.advance)
    except (ScenarioError, PolicyError, WorkersError) as error:
        raise ScenarioError(about(run, str(error))) from error
    write_whole(path, _FILE.dump_json(Kept(SCHEMA, made_of, found)).decode() + "\n")
    return found


def _sum_of(pieces: list[Piece]) -> str:
    """Of the scenario, the part that was watched, and the version that plays it."""
    first = pieces[0]
    made_of = {
        "version": version("aftershock"),
        "runs": len(pieces),
        "engine": first.task.engine,
        "seed": first.task.seed,
        "watched": [first.observe_from_s, first.end_s],
        "scenario": first.task.scenario_json,
    }
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()


def _read(path: Path, made_of: str, lanes: list[str], runs: int) -> Prediction | None:
    """The prediction that is kept; `None` where there is none that was made of this."""
    try:
        kept = _FILE.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None  # it is made anew
    found = kept.prediction
    whole = (
        (kept.schema, kept.made_of, found.runs) == (SCHEMA, made_of, runs)
        and [lane.lane for lane in found.lanes] == lanes
        and all(_is_whole(lane.band) for lane in found.lanes)
    )
    return found if whole else None


def _is_whole(band: Band) -> bool:
    """Every tick has all of its figures."""
    rows = (band.low_per_s, band.median_per_s, band.high_per_s)
    return all(len(row) == len(band.t_s) for row in rows)
