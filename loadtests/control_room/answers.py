"""Answers as all routes of the control room give them."""

import json
from pathlib import Path

from flask import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

PAGE = Path(__file__).parent / "page"
HTML = "text/html"

# Not Flask's own: that escapes nothing in files with the ending .j2.
_templates = Environment(
    loader=FileSystemLoader(PAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


def page_answer(name: str, **values: object) -> Response:
    """A page of ours, every text in it escaped."""
    return Response(_templates.get_template(name).render(**values), mimetype=HTML)


def json_answer(values: object) -> Response:
    """Compact JSON. Raises `ValueError` for a number that JSON has not."""
    text = json.dumps(values, separators=(",", ":"), allow_nan=False)
    return Response(text, mimetype="application/json")
