"""The report as one HTML file that needs nothing else: no network, no other file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from reports.measuring.catalogue import of_part
from reports.measuring.distribution import Distribution
from reports.measuring.downsampling import MOST
from reports.measuring.measure import Measure, Part
from reports.measuring.recovery import Recovery
from reports.measuring.repeated import counted_over_run, window_s
from reports.measuring.stack import layer_names, places
from reports.rendering import (
    beside_prediction,
    cells,
    charts,
    legend,
    sentences,
    spreads,
    triggers,
    words,
)
from reports.rendering.definitions import definitions
from reports.rendering.offline import data_for_script, page
from reports.rendering.repeated import aligned_chart
from reports.rendering.repeated import sentences as repeated
from reports.rendering.repeated.tables import singly
from reports.summary import Report
from reports.text import noun

PACKAGE = "reports.rendering"


def to_html(report: Report) -> str:
    """The page. Every text is escaped by the template; no script runs but our own."""
    stacked = [policy for policy in report.policies if policy.stacks]
    window = window_s(report.policies)
    top_per_s = charts.top_per_s(report)
    return page(
        PACKAGE,
        "report.html.j2",
        script=(PACKAGE, "charts.js"),
        report=report,
        words=words,
        triggers=triggers,
        noun=noun,
        cells=cells,
        parts={part.value: _titled(of_part(part), report) for part in Part},
        sentences=sentences,
        charts=charts,
        legend=list(legend.entries(report, report.policies)),
        beside_prediction=beside_prediction,
        policies=report.policies,
        stacked=stacked,
        layer_places=places(layer_names(policy.stacks for policy in stacked)),
        figures=[data_for_script(charts.figure_json(policy, report)) for policy in report.policies],
        thinned=any(policy.drawn.t_s.size > MOST for policy in report.policies),
        repeated=repeated,
        repeated_lanes=[_repeated(found, report) for found in report.distributions],
        spreads=spreads,
        over_run=[_titled(each, report) for each in _in_two(counted_over_run(report.policies))],
        singly=_titled(singly(), report),
        aligned={
            found.lane: (
                found,
                data_for_script(
                    aligned_chart.figure_json(
                        repeated.lane_of(found, report), found, window, top_per_s
                    )
                ),
            )
            for found in report.distributions
        },
        aligned_height=aligned_chart.HEIGHT_PX,
        scenario=json.dumps(report.run.scenario, indent=2, ensure_ascii=False),
        definitions=definitions(report.policies),
    )


@dataclass(frozen=True, slots=True)
class RepeatedLane:
    """A lane of a run that repeated a trigger, and how often it recovered, in words."""

    lane: Recovery
    distribution: Distribution
    recovered: str
    left_out: str


def _repeated(found: Distribution, report: Report) -> RepeatedLane:
    return RepeatedLane(
        lane=repeated.lane_of(found, report),
        distribution=found,
        recovered=f"{found.recovered} of {len(found.samples)}",
        left_out=f"{found.left_out} more began unsettled" if found.left_out else "",
    )


def _titled(measures: Sequence[Measure], report: Report) -> list[tuple[Measure, str]]:
    return [(one, cells.title(one, report)) for one in measures]


def _in_two(measures: Sequence[Measure]) -> tuple[Sequence[Measure], Sequence[Measure]]:
    """What users had, and what the service did: together they are too wide for paper."""
    service = [one for one in measures if one.part is Part.SERVICE]
    return [one for one in measures if one.part is not Part.SERVICE], service
