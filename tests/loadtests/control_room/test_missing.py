"""A report that is missing although its run is over: made when it is asked for, one at a time."""

from collections.abc import Callable
from pathlib import Path

import pytest

from loadtests.control_room.recorded.making import NoReportError
from loadtests.control_room.recorded.missing import Missing
from tests.reports.synthetic import Made, Shape, plain, storm

RUN_ID = "20261130-101500"


class Background:
    """What has been begun and goes on when the test says so."""

    def __init__(self) -> None:
        self.begun: list[Callable[[], None]] = []

    def __call__(self, task: Callable[[], None]) -> None:
        self.begun.append(task)

    def go_on(self) -> None:
        while self.begun:
            self.begun.pop()()


def a_run(folder: Path, run_id: str = RUN_ID) -> Path:
    (folder / run_id).mkdir()
    return folder / run_id


def writing(made: list[Path]) -> Callable[[Path, Path], str]:
    """A maker of reports that tells for which runs it has made one."""

    def make(run: Path, folder: Path) -> str:
        made.append(run)
        (folder / "report.html").write_text("a page")
        return ""

    return make


def test_who_asks_again_has_none_made_twice(tmp_path: Path) -> None:
    """And another run's waits until somebody asks after this one is done."""
    made, background = list[Path](), Background()
    missing = Missing(writing(made), background)
    one, other = a_run(tmp_path), a_run(tmp_path, "20261130-101501")
    for run in (one, one, other):
        missing.ask(run)
    background.go_on()
    assert made == [one]
    assert (one / "report.html").exists()
    missing.ask(other)
    background.go_on()
    assert made == [one, other]


def test_what_cannot_be_made_is_told_once_and_then_tried_again(tmp_path: Path) -> None:
    """In the words of who tried."""
    background, run = Background(), a_run(tmp_path)

    def fail() -> str:
        raise KeyError("a mistake")

    def take_long() -> str:
        raise NoReportError("the report took longer than 30 s")

    tries: list[Callable[[], str]] = [lambda: "the record is empty", take_long, fail, str]
    said = (
        "there is nothing to report: the record is empty",
        f"the report took longer than 30 s; aftershock report runs/{RUN_ID} has no such limit",
        "the report could not be made: KeyError",
        "there is nothing to report: no report was made",
    )
    missing = Missing(lambda *_: tries.pop(0)(), background)
    for sentence in said:
        missing.ask(run)
        background.go_on()
        with pytest.raises(NoReportError) as raised:
            missing.ask(run)
        assert str(raised.value) == sentence
    assert background.begun == []


def test_a_failure_is_told_to_who_asked_for_that_run(tmp_path: Path) -> None:
    background = Background()
    missing = Missing(lambda *_: "the record is empty", background)
    one, other = a_run(tmp_path), a_run(tmp_path, "20261130-101501")
    missing.ask(one)
    background.go_on()
    missing.ask(other)
    with pytest.raises(NoReportError):
        missing.ask(one)


def test_a_real_one_is_written_beside_its_record(tmp_path: Path) -> None:
    """By the process that makes those of runs that go on."""
    run = Made([Shape("a", plain(storm(30)))]).write(tmp_path / RUN_ID)
    background = Background()
    missing = Missing(begin=background)
    missing.ask(run)
    background.go_on()
    missing.ask(run)  # raises nothing
    assert sorted(path.name for path in run.iterdir()) == [
        "record.ndjson", "report.html", "report.json",
    ]  # fmt: skip
