"""The report as one HTML file that needs nothing else: no network, no other file."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from reports import charts, comparison, palette, sentences, words
from reports.definitions import DEFINITIONS
from reports.stack import layer_names
from reports.summary import Report

CHART_SCRIPT = "charts.js"
# A figure and its unit stay on one line.
FIGURE = re.compile(r"(\d[\d.,]* m?s)\b")
# A long name may wrap after these.
SEPARATOR = re.compile(r"(?<=[,:/#+])")


def to_html(report: Report) -> str:
    """The page. Every text is escaped by the template; scripts run only if their hash is known."""
    stacked = [policy for policy in report.policies if policy.stacks]
    scripts = (get_plotlyjs(), _asset(CHART_SCRIPT))
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            words=words,
            sentences=sentences,
            charts=charts,
            comparison=comparison,
            policies=report.policies,
            stacked=stacked,
            layer_names=layer_names(policy.stacks for policy in stacked),
            figures=[
                data_for_script(charts.figure_json(policy, report)) for policy in report.policies
            ],
            scenario=json.dumps(report.run.scenario, indent=2, ensure_ascii=False),
            definitions=DEFINITIONS,
            figures_in=FIGURE.split,
            name_parts=SEPARATOR.split,
            style=Markup(_asset("style.css") + palette.css()),  # noqa: S704 - our own file
            scripts=[Markup(script) for script in scripts],  # noqa: S704 - plotly's and our own file
            script_hashes=" ".join(_csp_hash(script) for script in scripts),
        )
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    return (files("reports") / "page" / name).read_text(encoding="utf-8")


def _csp_hash(script: str) -> str:
    """The source expression that lets this script run and no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def data_for_script(text: str) -> Markup:
    """JSON for a script element of data: no character in it can end the element."""
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - nothing that HTML would read is left in it
