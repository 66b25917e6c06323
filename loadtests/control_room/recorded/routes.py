"""The runs made so far, and their files."""

import time
from dataclasses import asdict

from flask import Blueprint, Response, abort, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from loadtests.control_room.answers import json_answer, page_answer
from loadtests.control_room.recorded.files import Files
from loadtests.control_room.recorded.runs import (
    FILES,
    MOST,
    Runs,
    is_run_id,
    newest,
    runs_with,
)
from loadtests.control_room.room import Room
from reports.record import HTML_NAME, RECORD_NAME


def add_runs(pages: Blueprint, room: Room) -> None:
    """``/runs``, ``/runs.json``, ``/runs/<id>/<name>`` and ``/newest``."""
    runs, files = Runs(room.runs_dir), Files()

    @pages.get("/runs")
    def run_list() -> Response:
        listed = runs.list(room.going, time.time())
        locust = url_for("locust.index")
        return page_answer("runs.html.j2", runs=listed, most=MOST, locust=locust)

    @pages.get("/runs.json")
    def runs_json() -> Response:
        return json_answer({"runs": [asdict(run) for run in runs.list(room.going, time.time())]})

    @pages.get("/newest")
    def newest_report() -> AnyResponse:
        run_id = newest(room.runs_dir)
        if run_id is None:
            abort(404, "no test has been started yet")
        if run_id not in runs_with(room.runs_dir, HTML_NAME):
            answer = page_answer("no-report.html.j2")
            answer.status_code, answer.headers["Retry-After"] = 503, "2"
            return answer
        return redirect(url_for("aftershock.run_file", run_id=run_id, name=HTML_NAME))

    @pages.get("/runs/<run_id>/<name>")
    def run_file(run_id: str, name: str) -> AnyResponse:
        if not is_run_id(run_id) or name not in FILES:
            abort(404, f"expected a run's id and one of {', '.join(FILES)}")
        return files.answer(room.runs_dir / run_id, name)
