"""The control room's page and the files that it loads."""

from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from flask import Blueprint, abort, request, send_file, url_for
from werkzeug.wrappers import Response

from loadtests.control_room.answers import PAGE, page_answer
from reports.rendering.palette import variables

PLOTLY = "plotly.min.js"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_FOR_EVER = "private, max-age=31536000, immutable"


def add_page(pages: Blueprint) -> None:
    """``/`` and ``/assets/<name>``."""
    assets = _assets()
    stamp = _stamp(assets)

    @pages.get("/")
    def room() -> Response:
        return page_answer(
            "room.html.j2",
            locust=url_for("locust.index"),
            version=version("aftershock"),
            stamp=stamp,
        )

    @pages.get("/assets/palette.css")
    def palette() -> Response:
        return _cached(Response(variables(), mimetype="text/css"), stamp)

    @pages.get("/assets/<name>")
    def asset(name: str) -> Response:
        path = assets.get(name)
        if path is None:
            abort(404, f"there is no file {name[:64]!r} here")
        return _cached(send_file(path, mimetype=_TYPES[path.suffix]), stamp)


def _cached(answer: Response, stamp: str) -> Response:
    """Under the stamp that the page gives it never changes; under another, or none, it may."""
    fixed = request.args.get("v") == stamp
    answer.headers["Cache-Control"] = _FOR_EVER if fixed else "no-cache"
    return answer


def _assets() -> dict[str, Path]:
    """All that is served, by name: nothing that a request says becomes part of a path."""
    ours = {path.name: path for path in PAGE.iterdir() if path.suffix in _TYPES}
    plotly = find_spec("plotly")
    if plotly is None or plotly.origin is None:
        raise ImportError("plotly is not installed")
    return {**ours, PLOTLY: Path(plotly.origin).parent / "package_data" / PLOTLY}


def _stamp(assets: dict[str, Path]) -> str:
    """A text that changes whenever what is served does."""
    seen = sha256(variables().encode())
    for _, path in sorted(assets.items()):
        seen.update(path.read_bytes())
    return seen.hexdigest()[:16]
