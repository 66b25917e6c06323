"""A sweep as one HTML file that needs nothing else: a heat map for each policy."""

import json
from collections.abc import Mapping
from itertools import islice

from aftershock_units import format_number
from loadtests.simulation.sweep import telling
from loadtests.simulation.sweep.alone import LEAST_OUTAGE_S, OUTAGE_TIMES
from loadtests.simulation.sweep.panels import Panel, panels_of
from loadtests.simulation.sweep.picture import figure_json
from loadtests.simulation.sweep.plan import Sweep
from loadtests.simulation.sweep.terminal import panel_text
from loadtests.simulation.sweep.verdict import Judged, Verdict
from reports.rendering.offline import data_for_script, page

PACKAGE = __package__ or ""
MOST_MAPS = 100
_CLASSES: Mapping[Verdict, str] = {
    Verdict.RECOVERS: "recovers",
    Verdict.VULNERABLE: "vulnerable",
    Verdict.NEVER: "never",
    Verdict.INVALID: "invalid",
}


def to_html(judged: Judged) -> str:
    """The page. Every text is escaped by the template; no script runs but our own."""
    sweep = judged.sweep
    all_maps = panels_of(judged)
    maps = [_map(panel, sweep.runs) for panel in islice(all_maps, MOST_MAPS)]
    return page(
        PACKAGE,
        "sweep.html.j2",
        script=(PACKAGE, "maps.js"),
        css="maps.css",
        sweep=sweep,
        headline=telling.headline(judged),
        incomplete=telling.incomplete(judged),
        meanings=telling.meanings(judged),
        marks=telling.MARKS,
        split=telling.split_meaning(judged),
        split_marks=telling.SPLIT_MARKS,
        against_order=telling.against_order(judged),
        classes=_CLASSES,
        maps=maps,
        left_out=sum(1 for _ in all_maps),
        facts=_facts(sweep),
        scenario=json.dumps(sweep.values, indent=2, ensure_ascii=False),
        definitions=_definitions(sweep),
    )


def _map(panel: Panel, runs: int) -> dict[str, object]:
    return {
        "title": panel.title,
        "counts": telling.counts(panel),
        "figure": data_for_script(figure_json(panel, runs)),
        "marks": panel_text(panel, runs),
    }


def _facts(sweep: Sweep) -> list[tuple[str, str]]:
    seed = int(str(sweep.values.get("seed", 0)))
    axes = [
        (axis.path, f"{axis.values[0]} to {axis.values[-1]}, {len(axis.values)} values")
        if len(axis.values) > 1
        else (axis.path, axis.values[0])
        for axis in sweep.axes
    ]
    return [
        ("scenario", sweep.name),
        *axes,
        ("policies", ", ".join(sweep.lanes)),
        ("runs a cell", f"{sweep.runs}, seeds {seed} to {seed + sweep.runs - 1}"),
        ("observed", telling.observation(sweep) or "varied"),
        ("engine", sweep.engine.value),
        ("aftershock", sweep.version),
    ]


def _definitions(sweep: Sweep) -> list[tuple[str, str]]:
    return [
        (
            "trigger",
            "What goes wrong in the scenario: the dip, or another fault, or a spike of load. It is "
            "over when the observation begins.",
        ),
        (
            "recovers",
            f"In more than half of the runs of a cell the load went under capacity and stayed "
            f"there, and requests were answered again, {telling.within(sweep)}.",
        ),
        (
            "vulnerable",
            "It recovers, and with a larger trigger it does not: a larger value of the trigger in "
            f"this sweep, or an outage of {format_number(OUTAGE_TIMES)} times its length and at "
            f"least {format_number(LEAST_OUTAGE_S)} s.",
        ),
        (
            "never comes back",
            f"Half of the runs or more do not recover {telling.within(sweep)}. What would be "
            "later is not known.",
        ),
        (
            "not valid",
            "Half of the runs or more are not, by the checks of a run's report: where the load was "
            "above capacity before the trigger already there is no steady state to return to.",
        ),
        (
            "the runs did not agree",
            "Some runs of the cell recovered and some did not. Its verdict is what most of them "
            "did: near an edge, where the outcome is chance, other seeds may say otherwise.",
        ),
        (
            "metastable",
            "A failure that goes on after what set it off is over: Bronson et al., HotOS 2021; "
            "Huang et al., OSDI 2022, from whom vulnerable is taken, too.",
        ),
    ]
