"""What a page needs that needs nothing else: no network, no other file."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from reports import palette

FOLDER = "page"
"""Where a package keeps the templates, scripts and styles of its pages."""


@cache
def asset(package: str, name: str) -> str:
    """The text of a file in the package's folder of pages."""
    return (files(package) / FOLDER / name).read_text(encoding="utf-8")


@cache
def template(package: str, name: str) -> Template:
    """A template that escapes every text, and refuses a name that it is not given."""
    environment = Environment(
        loader=FunctionLoader(lambda wanted: asset(package, wanted)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def style() -> Markup:
    """The style sheet of the report, for light and dark paper."""
    return Markup(asset("reports", "style.css") + palette.css())  # noqa: S704 - our own file


def scripts(package: str, *names: str) -> tuple[Markup, ...]:
    """Plotly and these scripts of the package, to stand in script elements."""
    own = [asset(package, name) for name in names]
    return tuple(Markup(script) for script in (get_plotlyjs(), *own))  # noqa: S704 - our own files


def csp_hash(script: str) -> str:
    """The source expression that lets this script run and no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def data_for_script(text: str) -> Markup:
    """JSON for a script element of data: no character in it can end the element."""
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - nothing that HTML would read is left in it
