"""The control room's page and the files that it loads."""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from flask import Blueprint, abort, request, send_file, url_for
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from werkzeug.wrappers import Response

from reports.palette import variables

PAGE = Path(__file__).parent / "page"
PLOTLY = "plotly.min.js"
HTML = "text/html"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_FOR_EVER = "private, max-age=31536000, immutable"

# Not Flask's own: that escapes nothing in files with the ending .j2.
_templates = Environment(
    loader=FileSystemLoader(PAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


def add_page(pages: Blueprint) -> None:
    """``/`` and ``/assets/<name>``."""
    assets = _assets()
    stamp = _stamp(assets)

    @pages.get("/")
    def room() -> Response:
        page = render(
            "room.html.j2",
            base=url_for("aftershock.room").rstrip("/"),
            locust=url_for("locust.index"),
            version=version("aftershock"),
            stamp=stamp,
        )
        return Response(page, mimetype=HTML)

    @pages.get("/assets/palette.css")
    def palette() -> Response:
        return Response(variables(), mimetype="text/css")

    @pages.get("/assets/<name>")
    def asset(name: str) -> Response:
        if name == "palette.css":
            return Response(variables(), mimetype="text/css")
        path = assets.get(name)
        if path is None:
            abort(404, f"there is no file {name[:64]!r} here")
        answer = send_file(path, mimetype=_TYPES[path.suffix])
        # Under the stamp of this version it never changes; under another it may.
        fixed = request.args.get("v") == stamp
        answer.headers["Cache-Control"] = _FOR_EVER if fixed else "no-cache"
        return answer


def render(name: str, **values: object) -> str:
    """A page of ours, every text in it escaped."""
    return _templates.get_template(name).render(**values)


def _assets() -> dict[str, Path]:
    """All that is served, by name: nothing that a request says becomes part of a path."""
    ours = {path.name: path for path in PAGE.iterdir() if path.suffix in _TYPES}
    plotly = find_spec("plotly")
    if plotly is None or plotly.origin is None:
        raise ImportError("plotly is not installed")
    return {**ours, PLOTLY: Path(plotly.origin).parent / "package_data" / PLOTLY}


def _stamp(assets: dict[str, Path]) -> str:
    """A text that changes whenever one of the files does."""
    newest_s = max(path.stat().st_mtime for path in assets.values())
    return f"{version('aftershock')}-{int(newest_s):x}"
