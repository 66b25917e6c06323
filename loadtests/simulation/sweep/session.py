"""Plays a sweep: what is not done yet, in whatever order, until it is done or interrupted."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

from rich.console import Console

from loadtests.policies.request import PolicyError
from loadtests.scenario import ScenarioError
from loadtests.simulation.sweep.cells import play_cell
from loadtests.simulation.sweep.html import to_html
from loadtests.simulation.sweep.plan import Sweep, Tasks
from loadtests.simulation.sweep.store import Store
from loadtests.simulation.sweep.to_json import to_json
from loadtests.simulation.sweep.verdict import Judged, judge
from loadtests.simulation.workers import Workers, WorkersError
from reports.progress import Bar
from reports.rendering.files import write_whole

HTML_NAME = "sweep.html"
JSON_NAME = "sweep.json"


@dataclass(frozen=True, slots=True)
class Swept:
    """What a session came to: the maps of all that is done so far, and what ended it early.

    `error` is None where nothing did; a Ctrl-C is a `KeyboardInterrupt`.
    """

    judged: Judged
    error: BaseException | None


def sweep_in(folder: Path, sweep: Sweep, workers: Workers, console: Console) -> Swept:
    """Play what the folder does not have yet, and write the maps there, whatever ended it.

    Raises `ScenarioError` where the folder is another sweep's, `WorkersError` where there is nobody
    to play, `OSError` where the folder is full.
    """
    with workers, Store(folder, sweep) as store:
        error: BaseException | None = None
        try:
            _play(store, sweep, workers, console)
        except (KeyboardInterrupt, ScenarioError, PolicyError, WorkersError, OSError) as ended:
            error = ended
        judged = judge(sweep, store.played)
        write_whole(folder / JSON_NAME, to_json(judged))
        write_whole(folder / HTML_NAME, to_html(judged))
    return Swept(judged, error)


def _play(store: Store, sweep: Sweep, workers: Workers, console: Console) -> None:
    """Play what is not done, in an order by chance.

    Then the time that is left can be told, and a map that is not whole shows something of
    everywhere.
    """
    numbers = [number for number in range(sweep.size) if number not in store.played]
    Random(0).shuffle(numbers)
    with Bar(console, "cells", len(numbers)) as bar:
        for index, played in workers.each(play_cell, Tasks(sweep, numbers)):
            store.add(numbers[index], played)
            bar.advance()
