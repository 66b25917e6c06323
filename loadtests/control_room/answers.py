"""Answers as all routes of the control room give them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from flask import Response, request, url_for
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from loadtests.control_room.acting.undone import Undone

PAGE = Path(__file__).parent / "page"
HTML = "text/html"
DATA = frozenset({"live", "act", "runs_json"})
"""The routes whose errors are JSON, for a script reads them."""
AGAIN_S = 2
TITLES = {
    401: "Log in first",
    403: "Not allowed",
    404: "Not found",
    409: "Not now",
    503: "Not just now",
}

# Not Flask's own: that escapes nothing in files with the ending .j2.
_templates = Environment(
    loader=FileSystemLoader(PAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


def page_answer(name: str, **values: object) -> Response:
    """A page of ours, every text in it escaped.

    JSON can hold what is no text, a half of a pair of surrogates: it is shown as a question mark.
    """
    page = _templates.get_template(name).render(**values)
    return Response(page.encode(errors="replace"), mimetype=HTML)


def json_answer(values: object) -> Response:
    """Compact JSON. Raises `ValueError` for a number that JSON has not."""
    text = json.dumps(values, separators=(",", ":"), allow_nan=False)
    return Response(text, mimetype="application/json")


def problem(status: int, sentence: str) -> Response:
    """An error as its reader wants it: JSON for a script, a page for a person."""
    if view() in DATA:
        answer = json_answer(_told("refused" if status < 500 else "failed", sentence))
    else:
        title = TITLES.get(status, "This did not work")
        home = url_for("aftershock.room")
        answer = page_answer("problem.html.j2", title=title, sentence=sentence, home=home)
    answer.status_code = status
    return answer


def _told(kind: Literal["refused", "failed"], sentence: str) -> Mapping[str, object]:
    """In the shape of an act that was not done: a script reads one, whoever refuses it."""
    verb = (request.view_args or {}).get("verb")
    if verb is None:
        return {"kind": kind, "said": sentence, "error": sentence, "field": None}
    return Undone(verb[:32], kind, sentence).reply.body


def not_now(sentence: str) -> Response:
    """What is asked for may be had a little later."""
    answer = problem(503, sentence)
    answer.headers["Retry-After"] = str(AGAIN_S)
    return answer


def view() -> str:
    """The name of the route that is asked."""
    return (request.endpoint or "").rpartition(".")[2]
