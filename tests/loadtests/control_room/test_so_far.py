"""The report of a run that goes on: one at a time, kept for a moment, nothing left behind."""

import threading
from pathlib import Path

import pytest

from loadtests.control_room.recorded.making import NoReportError, make_report
from loadtests.control_room.recorded.niced import BusyError
from loadtests.control_room.recorded.so_far import KEPT_S, MOST_WAITING, SoFar
from tests.real import eventually
from tests.reports.synthetic import Made, Shape, plain, storm

GOING = Made([Shape("a", plain(storm(30)))]).but(end=None)


class Maker:
    """Writes a page that says the how-manieth it is."""

    def __init__(self) -> None:
        self.times = 0
        self.folders: list[Path] = []
        self.begun, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def __call__(self, run: Path, folder: Path) -> str:
        self.times += 1
        self.folders.append(folder)
        self.begun.set()
        self.gate.wait(10)
        (folder / "report.html").write_text(f"{self.times} of {run.name}")
        return ""


def test_a_young_report_is_shown_again() -> None:
    make, now_s = Maker(), [0.0]
    so_far = SoFar(make, lambda: now_s[0])
    assert so_far.page(Path("runs/x")) == b"1 of x"
    now_s[0] = KEPT_S
    assert so_far.page(Path("runs/x")) == b"1 of x"
    assert so_far.page(Path("runs/y")) == b"2 of y"
    now_s[0] = 2 * KEPT_S + 0.1
    assert so_far.page(Path("runs/y")) == b"3 of y"
    assert not any(folder.exists() for folder in make.folders)


def test_one_at_a_time() -> None:
    """Whoever asks while one is being made gets that one."""
    make = Maker()
    make.gate.clear()
    so_far, found = SoFar(make, lambda: 0.0), list[bytes]()
    threads = [
        threading.Thread(target=lambda: found.append(so_far.page(Path("x")))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    assert make.begun.wait(10)
    make.gate.set()
    for thread in threads:
        thread.join(10)
    assert (make.times, found) == (1, [b"1 of x"] * 3)


def test_one_at_a_time_also_where_there_is_nothing_to_report() -> None:
    """Whoever waited is told so, and not one after the other has it tried again."""
    begun, gate, times = threading.Event(), threading.Event(), list[int]()

    def fail(run: Path, folder: Path) -> str:
        times.append(1)
        begun.set()
        gate.wait(10)
        return "the record is empty"

    so_far, problems = SoFar(fail, lambda: 0.0), list[str]()

    def ask() -> None:
        try:
            so_far.page(Path("x"))
        except (NoReportError, BusyError) as error:
            problems.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(MOST_WAITING)]
    for thread in threads:
        thread.start()
    assert begun.wait(10)
    eventually(lambda: so_far.waiting == MOST_WAITING, "all of them wait")
    with pytest.raises(BusyError, match="enough wait for it"):
        so_far.page(Path("x"))
    gate.set()
    for thread in threads:
        thread.join(10)
    assert problems == ["nothing to report yet: the record is empty"] * MOST_WAITING
    assert len(times) == 1
    with pytest.raises(NoReportError):
        so_far.page(Path("x"))
    assert len(times) == 2


def test_what_cannot_be_made_is_said_and_tried_again() -> None:
    """The next one who asks may be luckier."""
    problems = ["the record is empty", ""]
    so_far = SoFar(lambda run, folder: problems.pop(0), lambda: 0.0)
    with pytest.raises(NoReportError, match="nothing to report yet: the record is empty"):
        so_far.page(Path("x"))
    with pytest.raises(NoReportError, match="nothing to report yet: no report was made"):
        so_far.page(Path("x"))


def test_a_real_report_of_a_record_without_an_end(tmp_path: Path) -> None:
    """It is made in a process of its own, and the run's folder stays as it is."""
    run = GOING.write(tmp_path / "run")
    before = sorted(run.iterdir())
    page = SoFar().page(run)
    assert page.startswith(b"<!doctype html>")
    assert b"so far, 42.0 s into a run that goes on" in page
    assert b"is not valid" not in page
    assert sorted(run.iterdir()) == before


def test_a_real_record_that_is_too_short(tmp_path: Path) -> None:
    (tmp_path / "record.ndjson").write_text("")
    (tmp_path / "to").mkdir()
    assert make_report(tmp_path, tmp_path / "to") == "the record is empty"
    with pytest.raises(NoReportError, match="nothing to report yet: the record is empty"):
        SoFar().page(tmp_path)
