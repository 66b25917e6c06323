"""The runs made so far and their files."""

import time
from dataclasses import asdict

from flask import Blueprint, Response, abort, jsonify, redirect, send_from_directory, url_for
from werkzeug.wrappers import Response as AnyResponse

from loadtests.control_room.headers import REPORT_POLICY
from loadtests.control_room.page_routes import HTML, render
from loadtests.control_room.room import Room
from loadtests.control_room.runs import FILES, TABLES, Runs, is_run_id, newest, runs_with


def add_runs(pages: Blueprint, room: Room) -> None:
    """``/runs``, ``/runs.json``, ``/runs/<id>/<name>`` and ``/newest``."""
    runs = Runs(room.runs_dir)

    @pages.get("/runs")
    def run_list() -> Response:
        listed = runs.list(room.going, time.time())
        return Response(
            render("runs.html.j2", runs=listed, locust=url_for("locust.index")), mimetype=HTML
        )

    @pages.get("/runs.json")
    def runs_json() -> Response:
        answer: Response = jsonify(
            {"runs": [asdict(run) for run in runs.list(room.going, time.time())]}
        )
        return answer

    @pages.get("/newest")
    def newest_report() -> AnyResponse:
        run_id = newest(room.runs_dir)
        if run_id is None:
            abort(404, "no test has been started yet")
        if run_id not in runs_with(room.runs_dir, "report.html"):
            page = render("no-report.html.j2")
            return Response(page, 503, {"Retry-After": "2"}, mimetype=HTML)
        return redirect(url_for("aftershock.run_file", run_id=run_id, name="report.html"))

    @pages.get("/runs/<run_id>/<name>")
    def run_file(run_id: str, name: str) -> AnyResponse:
        if not is_run_id(run_id) or name not in FILES or name in TABLES:
            abort(404, f"expected a run's id and one of {', '.join(FILES)}")
        answer = send_from_directory(room.runs_dir / run_id, name)
        if name == "report.html":
            answer.headers["Content-Security-Policy"] = REPORT_POLICY
        return answer
