"""The distribution as one HTML file that needs nothing else: no network, no other file."""

import json

from loadtests.simulation.distribution import sentences
from loadtests.simulation.distribution.chart import figure_json
from loadtests.simulation.distribution.figures import COSTS, TIMES
from loadtests.simulation.distribution.summary import Distribution
from reports.rendering.fitting import BREAKS
from reports.rendering.offline import data_for_script, page

HTML_NAME = "distribution.html"
PACKAGE = "loadtests.simulation.distribution"


def to_html(found: Distribution) -> str:
    """The page. Every text is escaped by the template; no script runs but our own."""
    disturbed = [lane for lane in found.lanes if lane.observed_s]
    return page(
        PACKAGE,
        "distribution.html.j2",
        script=("reports.rendering", "charts.js"),
        found=found,
        disturbed=disturbed,
        figures=[data_for_script(figure_json(lane, found)) for lane in disturbed],
        times=TIMES,
        costs=COSTS,
        sentences=sentences,
        name_parts=BREAKS.split,
        scenario=json.dumps(found.scenario, indent=2, ensure_ascii=False),
    )
