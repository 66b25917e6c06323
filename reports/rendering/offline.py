"""What a page needs that needs nothing else: no network, no other file."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from reports.rendering import palette
from reports.rendering.fitting import BREAKS

PACKAGE = "reports.rendering"
"""Whose style sheet, and templates that begin with an underscore, all pages have."""
FOLDER = "page"
"""Where a package keeps the templates, scripts and styles of its pages."""
# A figure and its unit stay on one line.
FIGURE = re.compile(r"(\d[\d.,]* m?s)\b")


@cache
def asset(package: str, name: str) -> str:
    """The text of a file in the package's folder of pages."""
    return (files(package) / FOLDER / name).read_text(encoding="utf-8")


def page(
    package: str, name: str, *, script: tuple[str, str], css: str = "", **values: object
) -> str:
    """A page of the package with these values, each text escaped, and with plotly and its style.

    `script` is the package and the name of what draws the charts, `css` the name of a style sheet
    of its own. No other script runs than these two, which the page knows by their hashes.
    """
    scripts = _scripts(*script)
    own_style = asset(package, css) if css else ""
    return _template(package, name).render(
        style=_style(own_style),
        scripts=scripts,
        script_hashes=" ".join(map(csp_hash, scripts)),
        **values,
    )


@cache
def _template(package: str, name: str) -> Template:
    """A template that escapes every text, and refuses a name that it is not given."""
    environment = Environment(
        loader=FunctionLoader(
            lambda wanted: asset(PACKAGE if wanted[0] == "_" else package, wanted)
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"figures_in": FIGURE.split, "name_parts": BREAKS.split}
    return environment.get_template(name)


def _style(own: str) -> Markup:
    """The style sheet of the report, for light and dark paper, and after it the page's own."""
    text = asset(PACKAGE, "style.css") + palette.css() + own
    return Markup(text)  # noqa: S704 - our own files


def _scripts(package: str, name: str) -> tuple[Markup, ...]:
    """Plotly and this script of the package, to stand in script elements."""
    texts = (get_plotlyjs(), asset(package, name))
    return tuple(Markup(text) for text in texts)  # noqa: S704 - our own files


def csp_hash(script: str) -> str:
    """The source expression that lets this script run and no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def data_for_script(text: str) -> Markup:
    """JSON for a script element of data: no character in it can end the element."""
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - nothing that HTML would read is left in it
