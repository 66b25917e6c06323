"""A run's progress is read from its growing record and fits in 80 columns."""

import json
from pathlib import Path

from rich.console import Console

from loadtests.progress import Progress, RecordTail, render

HEADER = {"kind": "header", "tick_s": 0.1, "lanes": [{"lane": "immediate"}, {"lane": "no-retry"}]}


def tick(
    t_s: float, lane: str, offered: list[int], capacity_per_s: float = 100.0
) -> dict[str, object]:
    line = {"kind": "tick", "t_s": t_s, "lane": lane, "offered": offered}
    return {**line, "capacity_per_s": capacity_per_s}


def a_record(path: Path, *lines: dict[str, object], rest: str = "") -> RecordTail:
    path.write_text("".join(json.dumps(line) + "\n" for line in (HEADER, *lines)) + rest)
    tail = RecordTail(path)
    tail.read()
    return tail


def shown(tail: RecordTail) -> str:
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(render(tail, 42.0))
    return console.export_text()


def test_the_tail_averages_the_last_second(tmp_path: Path) -> None:
    """Ten ticks, all attempt numbers; capacity is that of the last tick."""
    ticks = [tick(t / 10, "immediate", [0, t, 1], 100.0 if t < 19 else 20.0) for t in range(20)]
    tail = a_record(tmp_path / "r", *ticks)
    lane = tail.lanes["immediate"]
    assert lane.offered_per_s(tail.tick_s) == sum(range(10, 20)) + 10
    assert lane.capacity_per_s == 20.0
    assert abs(tail.t_s - 2.0) < 1e-9


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    """The record is read while it is written."""
    whole = json.dumps(tick(0.0, "immediate", [0, 7])) + "\n"
    path = tmp_path / "r"
    tail = a_record(path, rest=whole[:20])
    assert list(tail.lanes["immediate"].offered) == []
    with path.open("a") as file:
        file.write(whole[20:])
    tail.read()
    assert list(tail.lanes["immediate"].offered) == [7]


def test_no_record_yet_is_no_error(tmp_path: Path) -> None:
    """The load generator takes a moment to start."""
    tail = RecordTail(tmp_path / "none")
    tail.read()
    assert tail.lanes == {}
    assert "0 of 42 s" in shown(tail)


def test_overload_is_told_in_words_too(tmp_path: Path) -> None:
    """A colour is no message; a capacity of nothing is not divided by."""
    tail = a_record(
        tmp_path / "r", tick(0.0, "immediate", [0, 36]), tick(0.0, "no-retry", [0, 9], 0.0)
    )
    text = shown(tail)
    assert "3.6×" in text
    assert "over" in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_a_run_that_waits_for_its_last_requests_is_at_its_end(tmp_path: Path) -> None:
    """And not beyond it."""
    assert "42 of 42 s, 0 s left" in shown(a_record(tmp_path / "r", tick(43.0, "immediate", [9])))


def test_elsewhere_than_in_a_terminal_it_is_a_line_every_few_seconds(tmp_path: Path) -> None:
    """In a log of CI, say."""
    ticks = [tick(t / 10, "immediate", [0, 9]) for t in range(120)]
    path = tmp_path / "r"
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    tail = a_record(path, *ticks)
    with Progress(console, tail, 42.0) as progress:
        progress.update()
        progress.update()
    assert console.export_text().count("offered/capacity") == 1


def test_the_lines_of_many_lanes_keep_within_80_columns(tmp_path: Path) -> None:
    """Each lane is there, whatever is in its name."""
    names = [f"[{number}] full-jitter-budget" for number in range(9)]
    lines = [
        {**HEADER, "lanes": [{"lane": name} for name in names]},
        *(tick(0.0, name, [0, 9]) for name in names),
    ]
    path = tmp_path / "r"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    with Progress(console, RecordTail(path), 42.0) as progress:
        progress.update()
    told = console.export_text().splitlines()
    assert max(map(len, told)) <= 80
    assert all(name in " ".join(" ".join(told).split()) for name in names)


def test_the_last_second_is_a_second_with_any_tick(tmp_path: Path) -> None:
    """With ticks of a second it is one of them."""
    path = tmp_path / "r"
    lines = [{**HEADER, "tick_s": 1.0}, *(tick(float(t), "immediate", [0, t]) for t in range(9))]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    tail = RecordTail(path)
    tail.read()
    assert tail.lanes["immediate"].offered_per_s(tail.tick_s) == 8.0
