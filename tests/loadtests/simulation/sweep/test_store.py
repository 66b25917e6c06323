"""What is done is kept, wherever the file was cut off, and never mixed with what is another's."""

import json
from pathlib import Path

import pytest

from loadtests.scenario import ScenarioError
from loadtests.simulation.sweep.cells import Played
from loadtests.simulation.sweep.plan import Sweep
from loadtests.simulation.sweep.store import CELLS_NAME, Store, difference_of
from tests.loadtests.simulation.sweep.made import SHORT, played, sweep_of

SWEEP = sweep_of("dip.for=1s:3s:1s")
DONE = {
    3: played(2),
    0: Played((0.0, 1.25, None), (0.0, 0.5, 1.0), 1, "so", (0.5, 0.0, 0.25)),
    7: played(0),
}


def write(folder: Path, sweep: Sweep = SWEEP) -> bytes:
    """A file with what is done, as one session leaves it."""
    with Store(folder, sweep) as store:
        for number, found in DONE.items():
            store.add(number, found)
    return (folder / CELLS_NAME).read_bytes()


def test_what_is_added_is_there_again(tmp_path: Path) -> None:
    """Every figure as it was; the first line says what is swept."""
    text = write(tmp_path / "a" / "b")
    with Store(tmp_path / "a" / "b", SWEEP) as store:
        assert store.played == DONE
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["kind"] for line in lines] == ["sweep", "cell", "cell", "probe"]
    assert lines[1]["at"] == {"dip.for": "2s"}
    assert lines[1]["policy"] == "full-jitter"


def test_a_file_that_is_cut_off_at_any_byte_goes_on(tmp_path: Path) -> None:
    """No cell is lost whose line was whole, none is there twice, and nothing of a cut one stays."""
    whole = write(tmp_path)
    path = tmp_path / CELLS_NAME
    ends = [place for place, byte in enumerate(whole, 1) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        with Store(tmp_path, SWEEP) as store:
            lines = sum(end - 1 <= cut for end in ends)  # all but the line's end is enough
            assert list(store.played) == list(DONE)[: max(0, lines - 1)], cut
            for number, found in DONE.items():
                if number not in store.played:
                    store.add(number, found)
        assert path.read_bytes() == whole, cut


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (sweep_of("dip.for=1s:3s:1s", runs=5), "runs is 3 there and 5 here"),
        (sweep_of("dip.for=1s,3s"), r'axes.0.values is \["1s", "2s", "3s"\] there and'),
        (sweep_of("dip.at=2s,3s,4s"), 'axes.0.path is "dip.for" there and "dip.at" here'),
        (
            sweep_of("dip.for=1s:3s:1s", values={**SHORT, "load": {"rate": "9/s"}}),
            r'scenario.load is not given there and \{"rate": "9/s"\} here',
        ),
        (
            sweep_of("dip.for=1s:3s:1s", values={**SHORT, "warm_up": "3s"}),
            'scenario.warm_up is "2s" there and "3s" here',
        ),
    ],
)
def test_another_sweeps_folder_is_refused_naming_the_difference(
    tmp_path: Path, other: Sweep, difference: str
) -> None:
    """And what is in it stays as it is."""
    whole = write(tmp_path)
    with pytest.raises(ScenarioError, match=f"is another sweep's: {difference}"):
        Store(tmp_path, other)
    assert (tmp_path / CELLS_NAME).read_bytes() == whole


@pytest.mark.parametrize(
    "text", ["hello\n", "hello", '{"kind": "header"}\n', "\n", "[1]\n", "\x00\xff\n"]
)
def test_a_file_that_is_no_sweeps_is_refused(tmp_path: Path, text: str) -> None:
    """And left as it is."""
    path = tmp_path / CELLS_NAME
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ScenarioError, match="is no file of a sweep"):
        Store(tmp_path, SWEEP)
    assert path.read_text(encoding="latin-1") == text


CELL = {
    "number": 1,
    "settled_s": [1, 1, 1],
    "failed_share": [0, 0, 0],
    "unanswered_share": [],
    "invalid": 0,
    "invalid_because": "",
}


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "nonsense",
        json.dumps({**CELL, "number": 8}),
        json.dumps({**CELL, "number": -1}),
        json.dumps({**CELL, "settled_s": [1, 1]}),
        json.dumps({**CELL, "settled_s": [1, "x", 1]}),
        json.dumps({**CELL, "failed_share": [0, None, 0]}),
        json.dumps({**CELL, "invalid": None}),
        json.dumps({**CELL, "invalid": -1}),
        json.dumps({**CELL, "invalid": 4}),
        json.dumps({**CELL, "invalid": float("inf")}),
        json.dumps({**CELL, "settled_s": [1, float("nan"), 1]}),
        json.dumps({**CELL, "settled_s": [1, -1, 1]}),
        json.dumps({**CELL, "settled_s": [1, 2, 1]}).replace("2", "1e999"),
        json.dumps({**CELL, "failed_share": [0, 0]}),
        json.dumps({**CELL, "failed_share": [0, float("nan"), 0]}),
        json.dumps({**CELL, "failed_share": [0, 1.5, 0]}),
        json.dumps([CELL]),
    ],
)
def test_a_line_that_is_no_cell_is_named(tmp_path: Path, line: str) -> None:
    """Nothing is guessed about it."""
    path = tmp_path / CELLS_NAME
    write(tmp_path)
    path.write_bytes(path.read_bytes() + line.encode() + b"\n")
    with pytest.raises(ScenarioError, match="line 5 is no cell of this sweep"):
        Store(tmp_path, SWEEP)


def test_two_at_once_in_one_folder_are_refused(tmp_path: Path) -> None:
    """Until the first one is done."""
    with Store(tmp_path, SWEEP):
        with pytest.raises(ScenarioError, match="another sweep is writing to it"):
            Store(tmp_path, SWEEP)
    with Store(tmp_path, SWEEP):
        pass


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    """In one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ScenarioError, match="file"):
        Store(tmp_path / "file", SWEEP)


def test_no_difference_is_none() -> None:
    """Of equal things."""
    assert difference_of(SWEEP.told(), json.loads(json.dumps(SWEEP.told()))) is None
