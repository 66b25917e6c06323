"""Pages beside Locust's web UI: the runs made so far and their reports, under `/aftershock`."""

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Protocol, TypeVar

from flask import Blueprint, abort, redirect, send_from_directory, url_for
from locust.env import Environment
from locust.web import WebUI
from werkzeug.wrappers import Response

from loadtests.control_room.tally import ClientTally
from loadtests.settings import Launch
from reports.record import RECORD_NAME

View = TypeVar("View", bound=Callable[..., object])

SERVED = ("report.html", "report.json", RECORD_NAME)
_RUN_ID = re.compile(r"[0-9]{8}-[0-9]{6}(-[0-9]{1,3})?")
_HEAD = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Aftershock</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto }
body { padding: 0 1rem }
td, th { padding: .3rem 1rem .3rem 0; text-align: left }
</style>
"""
_RUNS = """<h1>Runs</h1>
<p>Newest first. A run appears here when its test has been stopped.</p>
<p><a href="{home}">Back to Locust</a></p>
{body}
</html>
"""
_WAIT = """<meta http-equiv="refresh" content="2"><h1>No report yet</h1>
<p>The report is made when the test has been stopped. This page looks again every two seconds.</p>
</html>
"""


class Watched(Protocol):
    """What the pages show, and whom they may act on: the `Swarm` of the environment."""

    tally: ClientTally
    launch: Launch


def install(environment: Environment, swarm: Watched) -> None:  # noqa: ARG001 - to come
    """Add the pages to the environment's web UI, if it has one, and link them from Locust's."""
    web_ui = environment.web_ui
    if web_ui is None or web_ui.app is None:
        return
    options = environment.parsed_options
    base = (getattr(options, "web_base_path", "") or "").rstrip("/")
    runs_dir = Path(getattr(options, "runs_dir", "runs")).resolve()
    web_ui.app.register_blueprint(_pages(web_ui, runs_dir), url_prefix=f"{base}/aftershock")
    web_ui.template_args["extended_csv_files"] = [
        {"href": f"{base}/aftershock/newest", "title": "Recovery report of the newest run"},
        {"href": f"{base}/aftershock/", "title": "All runs and their reports"},
    ]


def _pages(web_ui: WebUI, runs_dir: Path) -> Blueprint:
    pages = Blueprint("aftershock", __name__)
    guarded: Callable[[View], View] = web_ui.auth_required_if_enabled

    @pages.get("/")
    @guarded
    def runs() -> str:
        ids = sorted(_runs_with(runs_dir, "report.html"), reverse=True)
        rows = "".join(_row(run_id) for run_id in ids)
        body = f"<table>{rows}</table>" if rows else "<p>No run has ended yet.</p>"
        return _HEAD + _RUNS.format(body=body, home=escape(url_for("locust.index")))

    @pages.get("/newest")
    @guarded
    def newest() -> Response:
        newest_run = max(_runs_with(runs_dir, RECORD_NAME), default=None)
        if newest_run is None:
            abort(404, "no test has been started yet")
        if not (runs_dir / newest_run / "report.html").exists():
            return Response(_HEAD + _WAIT, 503, {"Retry-After": "2"}, mimetype="text/html")
        return redirect(url_for("aftershock.file", run_id=newest_run, name="report.html"))

    @pages.get("/runs/<run_id>/<name>")
    @guarded
    def file(run_id: str, name: str) -> Response:
        if not _RUN_ID.fullmatch(run_id) or name not in SERVED:
            abort(404, f"expected a run's id and one of {', '.join(SERVED)}")
        return send_from_directory(runs_dir / run_id, name)

    return pages


def _runs_with(runs_dir: Path, name: str) -> set[str]:
    """The ids of the runs that have this file."""
    names = (path.parent.name for path in runs_dir.glob(f"*/{name}"))
    return {run_id for run_id in names if _RUN_ID.fullmatch(run_id)}


def _row(run_id: str) -> str:
    links = " · ".join(f'<a href="runs/{run_id}/{name}">{name}</a>' for name in SERVED)
    return f"<tr><th>{run_id}</th><td>{links}</td></tr>"
