"""What an article is here, and who plays it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.console import Console

from loadtests.scenario import Scenario
from loadtests.simulation.articles.comparison import Part, Row, rows_of
from loadtests.simulation.engines import Engine
from loadtests.simulation.many import play, tasks_of
from loadtests.simulation.measured import Measured
from loadtests.simulation.workers import Workers
from reports.progress import Bar

T = TypeVar("T")
R = TypeVar("R")


class Player:
    """Plays many runs by an engine on workers, with a bar where there is a terminal."""

    def __init__(self, engine: Engine, runs: int, workers: Workers) -> None:
        """`runs` is how many seeds there are of everything that is random."""
        self.engine = engine
        self.runs = runs
        self._workers = workers
        self._console = Console(stderr=True)

    def each(self, job: Callable[[T], R], items: Sequence[T], doing: str) -> list[R]:
        """What the job makes of each item, in their order. Both can be pickled.

        `doing`: what the items are, in the plural.
        """
        found: dict[int, R] = {}
        with Bar(self._console, doing, len(items)) as bar:
            for index, result in self._workers.each(job, items):
                found[index] = result
                bar.advance()
        return [found[index] for index in range(len(items))]

    def measured(self, scenario: Scenario, runs: int, doing: str) -> dict[str, list[Measured]]:
        """The figures of so many runs of the scenario, by lane. Raises `ScenarioError`."""
        lanes: dict[str, list[Measured]] = {}
        for run in self.each(play, tasks_of(scenario, self.engine, runs), doing):
            for lane in run:
                lanes.setdefault(lane.lane, []).append(lane)
        return lanes


@dataclass(frozen=True, slots=True)
class Article:
    """An article's model: what it published, where, and how to play it.

    `runs` is the number of seeds unless said otherwise; None where the article's seed is part of
    what it says. `engines`: those that can play it, none where it is a model of its own.
    """

    name: str
    title: str
    source: str
    units: str
    runs: int | None
    engines: tuple[Engine, ...]
    play: Callable[[Player], Iterable[Part]]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of an article."""

    article: Article
    runs: int | None
    parts: tuple[Part, ...]

    @property
    def missed(self) -> list[Row]:
        """The rows whose published figure ours does not reproduce."""
        return [row for row in rows_of(self.parts) if not row.met]
