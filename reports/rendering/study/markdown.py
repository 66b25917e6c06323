"""A study as Markdown: to paste into a post-mortem, a ticket or a pull request."""

from collections.abc import Iterable, Iterator

from reports.measuring.catalogue import of_part
from reports.measuring.measure import Part
from reports.rendering import cells, spreads, words
from reports.rendering.definitions import definitions
from reports.rendering.markdown_tables import TITLES, spread, stacked
from reports.rendering.markdown_text import (
    escaped,
    meanings,
    named,
    picture,
    scenario,
    sentence,
    table,
)
from reports.rendering.study import captions, headlines, sentences, tables
from reports.several.study import Condition, StudiedLane, Study

MOST_RUNS = 100
"""Runs that are listed; `distribution.json` has them all."""


def to_markdown(study: Study, pictures: Iterable[tuple[str, str]] = ()) -> str:
    """All that is said of the runs, with a newline at the end. Every text in it is escaped.

    Of its charts it has those `pictures` that lie beside it, each by its title and its file.
    """
    blocks = (
        *_head(study),
        *(picture(title, file) for title, file in pictures),
        *_side_by_side(study),
        *(block for condition in study.conditions for block in _figures(condition, study)),
        *_remarks(study),
        *_made(study),
        *_runs(study),
        "## What the words mean",
        meanings(definitions(study.samples)),
    )
    return "\n\n".join(block.rstrip("\n") for block in blocks) + "\n"


def _head(study: Study) -> Iterator[str]:
    yield f"# {escaped(headlines.made(study))}"
    if against := sentences.without_runs(study):
        yield f"**NOT VALID.** {sentence(against)}"
    yield f"**{sentence(headlines.headline(study))}**"
    if left_out := sentences.left_out(study):
        yield sentence(left_out)


def _side_by_side(study: Study) -> Iterator[str]:
    """What sets the conditions apart, and when each lane settled under each."""
    if len(study.conditions) == 1:
        return
    yield "## Conditions"
    keys = list(study.conditions[0].differs)[: sentences.MOST_KEYS]
    rows = [
        [
            escaped(one.label),
            *(escaped(one.differs[key] or words.NOT_MEASURED) for key in keys),
            f"{one.counted} of {len(one.runs)}" if one.left_out else str(one.counted),
        ]
        for one in study.conditions
    ]
    yield table(["condition", *map(escaped, keys), "runs"], rows)
    if more := sentences.more_keys(study):
        yield more
    if not study.disturbed or not study.shared:
        return
    yield "## Settled, under each"
    settled = [
        [
            named(study.titles[place]),
            *(stacked(tables.settled_lines(one.lanes[place])) for one in study.conditions),
        ]
        for place in study.shared
    ]
    yield table(["lane", *(escaped(one.label) for one in study.conditions)], settled)


def _figures(condition: Condition, study: Study) -> Iterator[str]:
    """The tables of all measures, of those parts that there is anything to say of."""
    if not condition.distributions:
        return
    if condition.label:
        yield f"## {sentence(sentences.capitalized(sentences.under(condition)))}"
    for part in Part:
        if part is Part.RECOVERY and not study.disturbed:
            continue
        if part is Part.SERVICE and not condition.eventful:
            continue
        yield f"{'###' if condition.label else '##'} {TITLES[part]}"
        yield _part(part, condition, study)


def _part(part: Part, condition: Condition, study: Study) -> str:
    counted, measures = part is Part.RECOVERY, of_part(part)
    titles = [
        "lane",
        *(["recovered"] if counted else []),
        *(cells.titled(one, study.samples) for one in measures),
    ]
    return table(titles, (_row(lane, part) for lane in condition.own))


def _row(lane: StudiedLane, part: Part) -> list[str]:
    found, name = lane.distribution, named(lane.title)
    if found is None:
        name = f"{name}<br>{sentences.absent(lane)}"
    counted = [stacked(sentences.recovered_lines(lane))] if part is Part.RECOVERY else []
    figures = (spread(one, found) if found else words.NOT_MEASURED for one in of_part(part))
    return [name, *counted, *figures]


def _remarks(study: Study) -> Iterator[str]:
    yield escaped(spreads.METHOD)
    if said := [*sentences.remarks(study), *study.notes]:
        yield "\n".join(f"- {sentence(one)}" for one in said)


def _made(study: Study) -> Iterator[str]:
    yield "## How the runs were made"
    facts = {
        "runs": headlines.made(study),
        "counted": headlines.samples(study),
        "in brackets": "the 95% interval of the median",
        "aftershock": captions.versions(study),
    }
    yield table(["", ""], [[what, escaped(told)] for what, told in facts.items() if told], left=2)
    lanes = [
        [named(lane.title), captions.disturbed(place, study), escaped(lane.describe)]
        for place, lane in enumerate(study.conditions[0].lanes)
    ]
    yield table(["lane", "measured", "in words"], lanes, left=3)


def _runs(study: Study) -> Iterator[str]:
    several = len(study.conditions) > 1
    yield "## The runs"
    rows = [
        [
            named(run.run.id),
            str(run.run.seed),
            *([escaped(condition.label)] if several else []),
            "yes" if run.counts else f"no: {sentence(sentences.because(run))}",
        ]
        for condition, run in study.listed[:MOST_RUNS]
    ]
    titles = ["run", "seed", *(["condition"] if several else []), "counts"]
    yield table(titles, rows, texts=("condition", "counts"))
    if len(study.runs) > MOST_RUNS:
        yield f"The first {MOST_RUNS} of {sentences.noun(len(study.runs))} are listed."
    for one in study.conditions:
        if several:
            yield f"{escaped(one.label)}:"
        yield scenario(one.runs[0].run.scenario)
