"""The runs made so far, and their files."""

import time
from dataclasses import asdict
from pathlib import Path

from flask import Blueprint, Response, abort, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from loadtests.control_room.answers import AGAIN_S, json_answer, page_answer, problem
from loadtests.control_room.recorded.files import Files
from loadtests.control_room.recorded.making import NoReportError
from loadtests.control_room.recorded.missing import Missing
from loadtests.control_room.recorded.runs import (
    FILES,
    MOST,
    REPORTS,
    TABLES,
    Runs,
    is_run_id,
    newest,
    runs_with,
)
from loadtests.control_room.room import Room
from reports.record import HTML_NAME, JSON_NAME, RECORD_NAME

LABELS = {
    HTML_NAME: "report",
    JSON_NAME: "JSON",
    RECORD_NAME: "record",
    **{name: f"{name.removesuffix('.csv')} CSV" for name in TABLES},
}
"""What the room calls the files."""


def add_runs(pages: Blueprint, room: Room) -> None:
    """``/runs``, ``/runs.json``, ``/runs/<id>/<name>`` and ``/newest``."""
    runs, files = Runs(room.runs_dir), Files()
    missing = Missing()

    @pages.get("/runs")
    def run_list() -> Response:
        listed = runs.list(room.going, time.time())
        locust = url_for("locust.index")
        return page_answer("runs.html.j2", runs=listed, labels=LABELS, most=MOST, locust=locust)

    @pages.get("/runs.json")
    def runs_json() -> Response:
        return json_answer({"runs": [asdict(run) for run in runs.list(room.going, time.time())]})

    @pages.get("/newest")
    def newest_report() -> AnyResponse:
        run_id = newest(room.runs_dir)
        if run_id is None:
            abort(404, "no test has been started yet")
        if room.is_at(run_id) and run_id not in runs_with(room.runs_dir, HTML_NAME):
            return _not_yet(making=False)
        return redirect(url_for("aftershock.run_file", run_id=run_id, name=HTML_NAME))

    @pages.get("/runs/<run_id>/<name>")
    def run_file(run_id: str, name: str) -> AnyResponse:
        if not is_run_id(run_id) or name not in FILES:
            abort(404, f"expected a run's id and one of {', '.join(FILES)}")
        run = room.runs_dir / run_id
        if name in REPORTS and (run / RECORD_NAME).is_file() and not (run / name).is_file():
            over = not room.is_at(run_id) and runs.is_over(run_id, time.time())
            return _make(missing, run) if over else _not_yet(making=False)
        return files.answer(run, name)


def _make(missing: Missing, run: Path) -> AnyResponse:
    """Have the report of a run that is over made; the page looks again."""
    try:
        missing.ask(run)
    except NoReportError as error:
        return problem(409, str(error))
    return _not_yet(making=True)


def _not_yet(*, making: bool) -> Response:
    """No report yet: `making`, it is being made now; else when the test has been stopped."""
    home = url_for("aftershock.room")
    answer = page_answer("no-report.html.j2", making=making, home=home)
    answer.status_code, answer.headers["Retry-After"] = 503, str(AGAIN_S)
    return answer
