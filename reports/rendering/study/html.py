"""A study as one HTML file that needs nothing else: no network, no other file."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from reports.measuring.catalogue import of_part
from reports.measuring.measure import Part
from reports.rendering import cells, layers, spreads, words
from reports.rendering.definitions import definitions
from reports.rendering.offline import data_for_script, page
from reports.rendering.study import grid, headlines, sentences, settled_within, tables
from reports.several.study import Condition, StudiedLane, Study

HTML_NAME = "distribution.html"
PACKAGE = "reports.rendering.study"
BESIDE = 4
"""Conditions in one row of small charts: as many as fit on paper. Others stand beneath."""
MOST_CHARTS = 160
"""Of a kind: a page with more of them takes long to open, and nobody looks at them."""
MOST_RUNS = 1_000


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of one lane under one condition, where there is something to draw."""

    lane: StudiedLane
    figure: Markup | None


@dataclass(frozen=True, slots=True)
class Band:
    """Conditions that stand beside each other, and the charts of each lane under them."""

    conditions: tuple[Condition, ...]
    rows: tuple[tuple[str, tuple[Chart, ...]], ...]


def to_html(study: Study) -> str:
    """The page. Every text is escaped by the template; no script runs but our own."""
    several = len(study.conditions) > 1
    samples = study.samples
    return page(
        PACKAGE,
        "study.html.j2",
        script=("reports.rendering", "charts.js"),
        css="study.css",
        study=study,
        several=several,
        keys=list(study.conditions[0].differs)[: sentences.MOST_KEYS],
        more_keys=sentences.more_keys(study),
        bands=list(_bands(study)) if several else [],
        legend=layers.legend(one.drawn for one in grid.lanes_of(study) if one.drawn),
        settled=list(_settled(study)),
        most_charts=MOST_CHARTS,
        too_many=len(grid.lanes_of(study)) > MOST_CHARTS,
        parts={
            part.value: [(one, cells.titled(one, samples)) for one in of_part(part)]
            for part in Part
        },
        runs=_runs(study),
        scenarios=[_indented(one) for one in study.conditions],
        headline=headlines.headline(study),
        made=headlines.made(study),
        spreads=spreads,
        words=words,
        grid=grid,
        sentences=sentences,
        tables=tables,
        definitions=definitions(samples),
    )


def _bands(study: Study) -> Iterator[Band]:
    """The small charts of load, as many as there may be."""
    scale = grid.scale_of(study)
    left = MOST_CHARTS

    def chart(lane: StudiedLane) -> Chart:
        nonlocal left
        if scale is None or lane.drawn is None or not lane.disturbed or not left:
            return Chart(lane, None)
        left -= 1
        return Chart(lane, data_for_script(grid.load_json(lane.drawn, scale)))

    for first in range(0, len(study.conditions), BESIDE):
        beside = study.conditions[first : first + BESIDE]
        rows = (
            (title, tuple(chart(condition.lanes[place]) for condition in beside))
            for place, title in enumerate(study.titles)
            if any(condition.lanes[place].present for condition in beside)
        )
        yield Band(beside, tuple(rows))


def _settled(study: Study) -> Iterator[tuple[str, str, Chart]]:
    """Condition, lane and chart of those that were disturbed, as many as there may be."""
    until_s = settled_within.until_s_of(study)
    left = MOST_CHARTS
    for condition in study.conditions:
        for lane in condition.lanes:
            if lane.disturbed and left:
                left -= 1
                figure = settled_within.figure_json(lane, condition.lanes, until_s)
                yield condition.label, lane.title, Chart(lane, data_for_script(figure))


def _runs(study: Study) -> list[tuple[str, str, str, str]]:
    """Condition, id, seed and, where it does not count, why."""
    return [
        (one.label, run.run.id, str(run.run.seed), "" if run.counts else sentences.because(run))
        for one, run in study.listed[:MOST_RUNS]
    ]


def _indented(condition: Condition) -> str:
    return json.dumps(dict(condition.runs[0].run.scenario), indent=2, ensure_ascii=False)
