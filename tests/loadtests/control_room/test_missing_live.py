"""Runs that are over and have no report, in the list of a real Locust."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.loadtests.control_room.room_live import Answered, a_room
from tests.loadtests.live import LOCUSTFILE
from tests.real import eventually
from tests.reports.synthetic import Made, Shape, plain, storm

pytestmark = pytest.mark.live

OVER, EMPTY, CUT = "20261130-101500", "20261130-101501", "20261130-101502"
HOSTILE = "<img src=x onerror=alert(1)>"
NOBODY = "http://127.0.0.1:1"


def test_a_report_that_is_missing_is_made_when_it_is_asked_for(tmp_path: Path) -> None:
    """From nothing but a record; and what cannot be made is said."""
    runs = tmp_path / "runs"
    Made([Shape(HOSTILE, plain(storm(30)))]).write(runs / OVER)
    (runs / EMPTY).mkdir()
    (runs / EMPTY / "record.ndjson").write_text('{"kind": "end", "reason": "finished"}\n')
    with a_room(tmp_path, NOBODY, "-f", str(LOCUSTFILE)) as room:
        listed = room.ask("/aftershock/runs").text
        assert f'<a href="runs/{OVER}/report.html">make the report</a>' in listed
        path = f"/aftershock/runs/{OVER}/report.html"
        first = room.ask(f"/aftershock/runs/{OVER}/report.json")
        assert (first.status, first.headers["Retry-After"]) == (503, "2")
        assert '<meta http-equiv="refresh" content="2">' in first.text
        assert "It is being made now" in first.text
        assert 'href="/aftershock/runs"' in first.text
        found = eventually(lambda: _other_than(room.ask(path), 503), "a report")
        assert (found.status, found.text[:15]) == (200, "<!doctype html>")
        assert sorted(path.name for path in (runs / OVER).iterdir()) == [
            "record.ndjson", "report.html", "report.json",
        ]  # fmt: skip
        assert room.ask(f"/aftershock/runs/{OVER}/report.json").json()["valid"] is True

        path = f"/aftershock/runs/{EMPTY}/report.html"
        failed = eventually(lambda: _other_than(room.ask(path), 503), "a failure")
        assert (failed.status, "nothing to report" in failed.text) == (409, True)
        newest = room.ask("/aftershock/newest")
        assert (newest.status, newest.headers["Location"]) == (302, path)


def test_the_list_without_javascript_says_what_the_room_says(tmp_path: Path) -> None:
    """When a run began, its lanes, its verdict and why; every text of others escaped."""
    runs = tmp_path / "runs"
    Made([Shape(f"{number}{HOSTILE}", plain(storm(30))) for number in range(7)]).write(runs / OVER)
    because = {"schema": 1, "valid": False, "invalid_because": [f"lane {HOSTILE} was late"]}
    (runs / OVER / "report.json").write_text(json.dumps(because))
    cut_off = Made([Shape("a", plain(storm(30)))]).but(end=None).write(runs / CUT)
    os.utime(cut_off / "record.ndjson", (0, 0))
    with a_room(tmp_path, NOBODY, "-f", str(LOCUSTFILE)) as room:
        page = room.ask("/aftershock/runs").text
        listed = room.ask("/aftershock/runs.json").json()["runs"]
        assert isinstance(listed, list)
        [cut, over] = listed
    assert re.findall('<th scope="col">([^<]*)</th>', page) == [
        "run", "began", "lanes", "verdict", "files",
    ]  # fmt: skip
    assert HOSTILE not in page
    for said in (
        "2026-11-30 10:15",
        "and 2 more",
        "not valid<br><small>lane &lt;img src=x onerror=alert(1)&gt; was late</small>",
        "cut off, no report yet",
        ">record</a> · ",
        ">requests CSV</a>",
    ):
        assert said in page
    assert (cut["state"], cut["verdict"], cut["reason"]) == ("cut off", None, None)
    assert over["reason"] == f"lane {HOSTILE} was late"
    assert (over["began_epoch_s"], over["verdict"]) == (1796033700.0, "not valid")


def _other_than(answer: Answered, status: int) -> Answered | None:
    return None if answer.status == status else answer
