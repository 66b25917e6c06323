"""The list of runs, from what is at the beginning and at the end of their files."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from loadtests.control_room.recorded.peek import MOST_HEADER_BYTES
from loadtests.control_room.recorded.runs import (
    MOST,
    Run,
    Runs,
    is_run_id,
    newest,
    runs_with,
)
from reports.record import End
from reports.rendering.to_json import to_json
from reports.summary import build_report
from tests.reports.synthetic import Made, Shape, plain, storm

NOW_S = 1_800_000_000.0
GOOD = Made([Shape("a", plain(storm(30))), Shape("<b>", plain(storm(0)))])


def made(runs: Path, run_id: str, like: Made = GOOD, written_s: float = NOW_S - 3600) -> Path:
    """A run in the folder, whose record was written to last at `written_s`."""
    folder = like.write(runs / run_id)
    os.utime(folder / "record.ndjson", (written_s, written_s))
    return folder


def test_each_run_with_its_state(tmp_path: Path) -> None:
    made(tmp_path, "20261130-101500")
    made(tmp_path, "20261130-101501", GOOD.but(end=End(20.0, "interrupted")))
    made(tmp_path, "20261130-101502", GOOD.but(end=End(20.0, "error: a policy raised")))
    made(tmp_path, "20261130-101503", GOOD.but(end=None))
    made(tmp_path, "20261130-101504", GOOD.but(end=None), written_s=NOW_S - 1)
    made(tmp_path, "20261130-101505", GOOD.but(end=None))
    found = Runs(tmp_path).list("20261130-101505", NOW_S)
    assert [(run.id[-1], run.state) for run in found] == [
        ("5", "running"),  # of this process
        ("4", "running"),  # of another: it is being written to
        ("3", "cut off"),
        ("2", "interrupted"),
        ("1", "interrupted"),
        ("0", "finished"),
    ]
    assert found[0].lanes == ("a", "<b>")
    assert found[0].began_epoch_s == 1796033700.0


def test_files_and_verdict(tmp_path: Path) -> None:
    """The verdict is that of the report that is there, and follows it when it is made again."""
    folder = made(tmp_path, "20261130-101500")
    runs = Runs(tmp_path)
    [run] = runs.list(None, NOW_S)
    assert (run.files, run.verdict) == (("record.ndjson", "ticks.csv", "requests.csv"), None)
    (folder / "report.html").write_text("a page")
    (folder / "report.json").write_text(to_json(build_report(folder)))
    [run] = runs.list(None, NOW_S)
    assert run.files[:2] == ("report.html", "report.json")
    assert (run.verdict, run.reason) == ("valid", None)
    made(tmp_path, "20261130-101501", GOOD.but(end=None))
    (folder / "report.json").write_text(to_json(build_report(tmp_path / "20261130-101501")))
    run = runs.list(None, NOW_S)[1]
    assert run.verdict == "not valid"
    assert run.reason == build_report(tmp_path / "20261130-101501").invalid_because[0]
    for text in ("", "[]", '{"valid": true}', "\udcff"):
        (folder / "report.json").write_text(text, errors="surrogateescape")
        assert runs.list(None, NOW_S)[1].verdict is None


def test_what_is_told_of_a_run(tmp_path: Path) -> None:
    """How it ended unless as it should, and what its report says of it."""
    began_s = 1_796_033_700.0

    def told(state: str, verdict: str | None) -> tuple[str, ...]:
        return Run("20261130-101500", began_s, state, (), (), verdict, None).told

    assert told("finished", "valid") == ("valid",)
    assert told("finished", None) == ("no report yet",)
    assert told("interrupted", "not valid") == ("interrupted", "not valid")
    assert told("cut off", None) == ("cut off", "no report yet")
    assert told("running", None) == ("running",)
    made(tmp_path, "20261130-101500")
    [run] = Runs(tmp_path).list(None, NOW_S)
    assert run.began == "2026-11-30 10:15"


def test_a_reason_is_a_text_and_not_too_long(tmp_path: Path) -> None:
    """Whoever wrote the report."""
    folder = made(tmp_path, "20261130-101500")
    for written, reason in (
        ('["too late", "and more"]', "too late"),
        ('["<b>\\u00e9\\"", 7]', '<b>é"'),
        (json.dumps(["x" * 301]), "x" * 299 + "…"),
        (json.dumps(["x" * 99_999]), None),
        ("[7]", None),
        ("[]", None),
    ):
        text = f'{{"schema": 1, "valid": false, "invalid_because": {written}, "notes": []}}'
        (folder / "report.json").write_text(text)
        [run] = Runs(tmp_path).list(None, NOW_S)
        assert (run.verdict, run.reason) == ("not valid", reason)


def test_a_record_that_is_none_is_listed_too(tmp_path: Path) -> None:
    """It can be downloaded and looked at."""
    texts = [
        "",
        "\n",
        "x" * 20_000,
        "{}\n",
        '{"lanes": 7}\n',
        '{"lanes": [7, {"lane": 8}]}\n',
        '{"anchor_epoch_s": NaN}\n',
        '{"anchor_epoch_s": 1e300}\n',
        f'{{"anchor_epoch_s": {"9" * 400}}}\n',
        '{"anchor_epoch_s": -1}\n',
        "[" * 9999,
    ]
    for number, text in enumerate(texts):
        folder = tmp_path / f"20261130-1015{number:02}"
        folder.mkdir()
        (folder / "record.ndjson").write_text(text)
    found = Runs(tmp_path).list(None, NOW_S)
    assert len(found) == len(texts)
    assert {(run.lanes, run.began_epoch_s) for run in found} == {((), None)}


def test_a_run_that_is_over(tmp_path: Path) -> None:
    """Its report can be made; that of one that is being written to cannot."""
    made(tmp_path, "20261130-101500")
    made(tmp_path, "20261130-101501", GOOD.but(end=None))
    made(tmp_path, "20261130-101502", GOOD.but(end=None), written_s=NOW_S - 1)
    runs = Runs(tmp_path)
    over = [runs.is_over(f"20261130-10150{number}", NOW_S) for number in range(4)]
    assert over == [True, True, False, False]


def test_a_record_whose_header_cannot_be_read_is_listed_as_that(tmp_path: Path) -> None:
    """Also where it has an end. One that is not whole yet may still become one."""
    whole = GOOD.write(tmp_path / "whole").joinpath("record.ndjson").read_bytes()
    header, _, rest = whole.partition(b"\n")
    values = json.loads(header)
    for number, (line, state) in enumerate(
        {
            header: "finished",
            json.dumps({**values, "lanes": [{"lane": "\ud800"}]}).encode(): "finished",
            json.dumps({**values, "anchor_epoch_s": float("nan")}).encode(): "unreadable",
            json.dumps({**values, "anchor_epoch_s": float("inf")}).encode(): "unreadable",
            json.dumps({**values, "anchor_epoch_s": 10**400}).encode(): "unreadable",
            header.replace(b'"seed":', b'"more":' + b"9" * 5_000 + b',"seed":'): "unreadable",
            json.dumps({**values, "lanes": 7}).encode(): "unreadable",
            b"\xff" + header: "unreadable",
            b"": "unreadable",
            b"x" * MOST_HEADER_BYTES: "unreadable",
        }.items()
    ):
        folder = tmp_path / f"20261130-1015{number:02}"
        folder.mkdir()
        (folder / "record.ndjson").write_bytes(line + b"\n" + rest)
        [run] = [run for run in Runs(tmp_path).list(None, NOW_S) if run.id == folder.name]
        assert run.state == state, line[:80]
        json.dumps(asdict(run), allow_nan=False)
    for part in (b"", header[:50]):
        (folder / "record.ndjson").write_bytes(part)
        os.utime(folder / "record.ndjson", (NOW_S, NOW_S))
        assert Runs(tmp_path).list(None, NOW_S)[0].state == "running"


def test_the_newest_first_and_not_too_many(tmp_path: Path) -> None:
    """Of the same second the higher number began later."""
    ids = [f"20261130-{number:06}" for number in range(MOST)]
    more = ["20261131-000000", "20261131-000000-2", "20261131-000000-10"]
    for run_id in [*ids, *more]:
        (tmp_path / run_id).mkdir()
        (tmp_path / run_id / "record.ndjson").write_text(json.dumps({"lanes": []}))
    (tmp_path / "20261201-000000").mkdir()  # no record yet
    found = [run.id for run in Runs(tmp_path).list(None, NOW_S)]
    assert found[:4] == [*reversed(more), ids[-1]]
    assert len(found) == MOST
    assert newest(tmp_path) == more[-1]


@pytest.mark.parametrize("name", ["..", "", "x", "20261130-101500/..", "20261130-1015000", "1"])
def test_no_other_folder_is_a_run(tmp_path: Path, name: str) -> None:
    assert not is_run_id(name)
    assert is_run_id("20261130-101500")
    assert is_run_id("20261130-101500-999")


def test_no_runs(tmp_path: Path) -> None:
    """Also where there is no folder for them yet."""
    assert Runs(tmp_path / "none").list(None, NOW_S) == ()
    assert newest(tmp_path / "none") is None
    assert runs_with(tmp_path, "report.html") == []
