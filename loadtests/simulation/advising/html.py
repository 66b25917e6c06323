"""The advice as one HTML file that needs nothing else: no network, no other file."""

import json

from loadtests.simulation.advising import key, scale, scatter, telling
from loadtests.simulation.advising.advice import Advice, conditions, limit_line, live
from reports.rendering import offline

_PACKAGE = "loadtests.simulation.advising"


def to_html(advice: Advice) -> str:
    """The page. Every text is escaped by the template; no script runs but our own."""
    scenario = advice.scenario.model_dump(mode="json", by_alias=True)
    return offline.page(
        _PACKAGE,
        "advice.html.j2",
        script=(_PACKAGE, "advice.js"),
        css="advice.css",
        advice=advice,
        telling=telling,
        scatter=scatter,
        scale=scale,
        key=key,
        limit=limit_line(advice),
        conditions=conditions(advice),
        live=live(advice),
        figure=offline.data_for_script(scatter.figure_json(advice)),
        scenario=json.dumps(scenario, indent=2, ensure_ascii=False),
    )
