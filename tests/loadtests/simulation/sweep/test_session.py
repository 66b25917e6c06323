"""A session plays what is not done, and what it was stopped at is kept, told and gone on with."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self, TypeVar

import pytest
from rich.console import Console

from loadtests.policies.request import PolicyError
from loadtests.scenario import ScenarioError
from loadtests.simulation.sweep.cells import CellTask, Played
from loadtests.simulation.sweep.session import HTML_NAME, JSON_NAME, Swept, sweep_in
from loadtests.simulation.workers import WorkersError
from tests.loadtests.simulation.sweep.made import played, sweep_of

T = TypeVar("T")
R = TypeVar("R")
SWEEP = sweep_of("load.utilisation=0.5:0.8:0.1", "dip.for=1s:3s:1s")


class Pretending:
    """Workers that play nothing: every cell recovers in two of three runs. They stop at `most`."""

    def __init__(self, most: int = 1000, error: BaseException | None = None) -> None:
        self.most, self.error = most, error
        self.played: list[CellTask] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        for index, item in enumerate(items):
            if len(self.played) == self.most:
                raise self.error or KeyboardInterrupt
            assert isinstance(item, CellTask)
            self.played.append(item)
            made: Played = played(2)
            yield index, made  # type: ignore[misc]  # the job of a sweep makes these


def session(folder: Path, workers: Pretending) -> Swept:
    """Sweep without anybody watching."""
    return sweep_in(folder, SWEEP, workers, Console(stderr=True, force_terminal=False))


def test_sessions_that_are_stopped_play_every_cell_once(tmp_path: Path) -> None:
    """Whatever each one came to; the maps are written each time."""
    done: list[CellTask] = []
    for most in (0, 1, 7, 3):
        workers = Pretending(most)
        swept = session(tmp_path, workers)
        assert isinstance(swept.error, KeyboardInterrupt)
        assert not swept.judged.whole
        done += workers.played
        assert len(swept.judged.played) == len(done)
        assert json.loads((tmp_path / JSON_NAME).read_text())["done"] == len(done)
        assert f"{len(done)} of {SWEEP.size} cells" in (tmp_path / HTML_NAME).read_text()
    last = Pretending()
    swept = session(tmp_path, last)
    assert swept.error is None
    assert swept.judged.whole
    done += last.played
    assert len(done) == SWEEP.size
    assert len(set(done)) == SWEEP.size
    assert session(tmp_path, Pretending(0)).error is None


@pytest.mark.parametrize(
    "error",
    [
        WorkersError("a process died"),
        PolicyError("a policy fails"),
        ScenarioError("a lane has no end"),
        OSError("full"),
    ],
)
def test_an_error_leaves_what_was_done(tmp_path: Path, error: Exception) -> None:
    """It is handed on with the maps of that."""
    swept = session(tmp_path, Pretending(4, error))
    assert swept.error is error
    assert len(swept.judged.played) == 4
    assert session(tmp_path, Pretending()).judged.whole


def test_where_nobody_is_there_to_play_nothing_is_left(tmp_path: Path) -> None:
    """Not even an empty folder."""

    class Nobody(Pretending):
        def __enter__(self) -> Self:
            raise WorkersError("nobody answers")

    with pytest.raises(WorkersError, match="nobody answers"):
        session(tmp_path / "new", Nobody())
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_half_written(tmp_path: Path) -> None:
    """Only the three files of a sweep."""
    session(tmp_path, Pretending(5))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cells.ndjson",
        "sweep.html",
        "sweep.json",
    ]


def test_the_json_has_every_cell_with_its_verdict_and_counts(tmp_path: Path) -> None:
    """And the probes beside them."""
    session(tmp_path, Pretending())
    whole = json.loads((tmp_path / JSON_NAME).read_text())
    assert (whole["planned"], whole["done"], whole["observation"]) == (32, 32, "8 s")
    assert (len(whole["cells"]), len(whole["probes"])) == (24, 8)
    assert whole["cells"][0] == {
        "at": {"load.utilisation": "0.5", "dip.for": "1s"},
        "policy": "no-retry",
        "verdict": "recovers",
        "against_order": False,
        "runs": 3,
        "recovered": 2,
        "invalid": 0,
        "invalid_because": None,
        "settled_median_s": 1.5,
        "failed_share_median": 0.25,
        "unanswered_share_median": 0.0,
    }
