"""The tables of the report in Markdown: of all measures, whatever they are."""

from collections.abc import Iterable, Iterator, Sequence

from reports.measuring.catalogue import brief_of, of_part
from reports.measuring.distribution import Distribution
from reports.measuring.measure import Measure, Part
from reports.measuring.recovery import Episode, Recovery
from reports.measuring.repeated import counted_over_run
from reports.measuring.stack import layer_names, places
from reports.rendering import cells, spreads, triggers, words
from reports.rendering.markdown_text import escaped, named, table
from reports.summary import Report

TITLES = {Part.RECOVERY: "Recovery", Part.COST: "Cost", Part.SERVICE: "The service"}


def parts(report: Report) -> Iterator[tuple[str, tuple[Measure, ...]]]:
    """The tables by their headings; that of the service where it did more than answer."""
    for part in Part:
        if part is not Part.SERVICE or any(one.service.eventful for one in report.policies):
            yield TITLES[part], of_part(part)


def distribution(report: Report) -> Iterator[str]:
    """Where a trigger was repeated: how each measure is distributed, and each by itself."""
    if not report.distributions:
        return
    samples = max(len(found.samples) for found in report.distributions)
    yield f"## Over {samples} repetitions"
    yield escaped(spreads.METHOD_OF_RUN)
    if few := spreads.too_few(report.distributions):
        yield escaped(few)
    for heading, measures in parts(report):
        yield f"### {heading}, of each"
        counted = measures == of_part(Part.RECOVERY)
        rows = [
            [
                named(found.title),
                *([f"{found.recovered} of {len(found.samples)}"] if counted else []),
                *(spread(one, found) for one in measures),
            ]
            for found in report.distributions
        ]
        titles = [
            escaped(words.column(report)),
            *(["recovered"] if counted else []),
            *(cells.title(one, report) for one in measures),
        ]
        yield table(titles, rows)
    yield f"<details><summary>Each {triggers.what(report)} by itself</summary>"
    yield _episodes(report)
    yield "</details>"


def spread(measure: Measure, found: Distribution) -> str:
    """The median, its interval, the range, and in how many it had not come about."""
    return stacked(
        (
            spreads.median(measure, found),
            spreads.interval(measure, found),
            spreads.spread(measure, found),
            spreads.late(measure, found),
        )
    )


def stacked(lines: Iterable[str]) -> str:
    """Lines of a cell, beneath each other; those that are empty are left out."""
    return "<br>".join(escaped(one) for one in lines if one)


def _episodes(report: Report) -> str:
    measures = brief_of(Part.RECOVERY, Part.COST)
    titles = [
        *(escaped(words.column(report)), "number", "from", "to"),
        *(cells.title(one, report) for one in measures),
        "remark",
    ]
    rows = [
        _episode(policy, episode, measures)
        for policy in report.policies
        for episode in policy.episodes
    ]
    return table(titles, rows, texts=("remark",))


def _episode(policy: Recovery, episode: Episode, measures: Sequence[Measure]) -> list[str]:
    trigger = episode.figures.trigger
    times = (trigger.start_s, trigger.end_s) if trigger else (None, None)
    return [
        named(words.name(policy)),
        str(episode.number),
        *(words.seconds(moment_s) for moment_s in times),
        *(escaped(cells.cell(one, episode.figures)) for one in measures),
        "began before the one before was over" if episode.began_unsettled else "",
    ]


def whole_run(report: Report) -> Iterator[tuple[str, Sequence[Measure]]]:
    """The tables of the whole run by their headings, as on the page.

    Where a trigger was repeated, of what is counted over the run: the rest is told of each.
    """
    if not report.distributions:
        yield from parts(report)
    elif counted := counted_over_run(report.policies):
        yield "Over the whole run", counted


def over_run(report: Report) -> Iterator[str]:
    """All measures of a run; where a trigger was repeated, those that are counted over it."""
    for heading, measures in whole_run(report):
        yield f"## {heading}"
        by = [] if report.alike or report.distributions else ["disturbed by"]
        rows = [
            [
                named(words.name(policy)),
                *([escaped(triggers.disturbed_by(policy))] if by else []),
                *(_cell(one, policy) for one in measures),
            ]
            for policy in report.policies
        ]
        titles = [
            escaped(words.column(report)),
            *by,
            *(cells.title(one, report) for one in measures),
        ]
        yield table(titles, rows, left=1 + len(by))


def _cell(measure: Measure, policy: Recovery) -> str:
    told = escaped(cells.cell(measure, policy))
    return f"**{told}**" if cells.is_lost(measure, policy) else told


def layers(report: Report) -> Iterator[str]:
    stacked = [(policy, policy.stacks) for policy in report.policies if policy.stacks]
    if not stacked:
        return
    names = layer_names(stacks for _, stacks in stacked)
    rows = []
    for policy, stacks in stacked:
        stack = stacks.in_trigger or stacks.over_run
        made = [
            f"{words.counted(stack, stack.per_request(level))}<br>{words.by_layer(stack, level)}"
            for level in stack.levels
        ]
        made[-1:-1] = [words.NOT_MEASURED] * (len(names) - len(made))
        rows.append(
            [
                named(words.name(policy)),
                words.count(stack.requests),
                *made,
                words.times(stacks.over_run.product),
            ]
        )
    during = f", in the second half of the {triggers.what(report)}" if report.trigger else ""
    yield f"## Attempts per layer{during}"
    at = [f"at {'the target' if place == 'target' else named(place)}" for place in places(names)]
    yield table([escaped(words.column(report)), "requests", *at, "over the run"], rows)
