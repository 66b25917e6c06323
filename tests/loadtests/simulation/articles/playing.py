"""Plays an article in this process: what the tests of articles share."""

from loadtests.simulation.articles import Played, play_article
from loadtests.simulation.articles.comparison import Row, rows_of
from loadtests.simulation.engines import Engine
from loadtests.simulation.workers import LocalWorkers


def played(name: str, runs: int | None = None, engine: Engine = Engine.AUTO) -> Played:
    """With so many seeds, or as many as it has by itself."""
    with LocalWorkers(1) as workers:
        return play_article(name, engine=engine, runs=runs, workers=workers)


def told(rows: list[Row]) -> list[str]:
    """Each row as text: what an assertion shows when it fails."""
    return [
        f"{row.of}, {row.figure}: {row.published} published, {row.ours} ours, "
        f"{row.least} to {row.most}"
        for row in rows
    ]


def ours(of: Played) -> dict[tuple[str, str], float]:
    """Our figures by what they are about."""
    return {(row.of, row.figure): row.ours for row in rows_of(of.parts)}
