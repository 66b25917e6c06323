"""The report as Markdown: to paste into a post-mortem, a ticket or a pull request."""

from collections.abc import Iterable, Iterator

from reports.rendering import captions, sentences, triggers, words
from reports.rendering import markdown_tables as tables
from reports.rendering.definitions import definitions
from reports.rendering.markdown_text import (
    escaped,
    meanings,
    named,
    picture,
    scenario,
    sentence,
    table,
)
from reports.summary import Report


def markdown(report: Report, pictures: Iterable[tuple[str, str]] = ()) -> str:
    """The whole report, with a newline at the end. Every text in it is escaped.

    Of its charts it has those `pictures` that lie beside it, each by its title and its file.
    """
    blocks = (
        *_head(report),
        *(picture(title, file) for title, file in pictures),
        *tables.distribution(report),
        *tables.over_run(report),
        *tables.layers(report),
        *_remarks(report),
        *_made(report),
        *_again(report),
        *_definitions(report),
    )
    return "\n\n".join(block.rstrip("\n") for block in blocks) + "\n"


def _head(report: Report) -> Iterator[str]:
    yield f"# {escaped(report.run.name)}: recovery{' so far' if report.going_on else ''}"
    if not report.valid:
        yield "**NOT VALID.** Do not draw conclusions from this result, because"
        yield "\n".join(f"- {sentence(reason)}" for reason in report.invalid_because)
    if going_on := sentences.so_far(report):
        yield f"{escaped(going_on.capitalize())}:"
    yield f"**{sentence(sentences.headline(report))}**"
    said = (sentences.runner_up(report), sentences.unanswered(report))
    yield from (sentence(one) for one in said if one)
    if report.valid:
        yield f"This result is valid{' so far' if report.going_on else ''}."
    if simulated := sentences.simulated(report):
        yield sentence(simulated)


def _remarks(report: Report) -> Iterator[str]:
    said = (*sentences.remarks(report), *report.notes)
    if said:
        yield "\n".join(f"- {sentence(one)}" for one in said)


def _made(report: Report) -> Iterator[str]:
    yield "## How the run was made"
    yield table(["", ""], [[what, told] for what, told in _facts(report)], left=2)
    titles = ["lane", "capacity", "load before", "trigger", "in words"]
    yield table(titles, _lanes(report), texts=("trigger", "in words"))
    if report.happened:
        yield "### What happened, in seconds from the run's begin"
        rows = []
        for span in report.happened:
            kind, detail, lanes = triggers.happening(span)
            moments = (words.seconds(span.start_s), words.seconds(span.end_s))
            rows.append([escaped(kind), escaped(detail), *moments, escaped(lanes)])
        yield table(["what", "in detail", "from", "to", "lanes"], rows, 2, texts=("lanes",))


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    run, trigger = report.run, report.trigger
    yield "record" if run.simulated else "run", named(run.id)
    yield "scenario", f"{escaped(run.name)}, {escaped(run.source)}"
    yield "made", escaped(words.made(run))
    yield "seed", str(run.seed)
    yield "tick", words.millis(run.tick_s * 1000)
    if trigger:
        when = f"from {words.seconds(trigger.start_s)} to {words.seconds(trigger.end_s)}"
        yield "trigger", f"{escaped(triggers.set_off(report))}, {when}"
        yield "observed", f"{words.seconds(report.observed_s)} after it"
    if report.distributions:
        yield "in brackets", "the 95% interval of the median, of this run alone"
    for reason in report.invalid_because:
        yield "not valid", sentence(reason)
    yield from health(report)
    for name, version in run.versions.items():
        yield escaped(name), escaped(version)


def health(report: Report) -> Iterator[tuple[str, str]]:
    """How the instrument did; nothing of a run that was played in virtual time."""
    if report.run.simulated:
        return
    found = report.vitals
    each = (
        ("generator", found.generator_late_p99_ms, found.generator_cpu_max),
        ("target", found.target_late_p99_ms, found.target_cpu_max),
        ("gateways", found.gateway_late_p99_ms, found.gateway_cpu_max),
    )
    for name, late_ms, cpu in each:
        if late_ms is not None or cpu is not None:
            yield (
                f"{name}, worst second",
                f"{words.millis(late_ms)} late at p99, {words.whole_percent(cpu)} of a core",
            )


def _lanes(report: Report) -> Iterator[list[str]]:
    for policy in report.policies:
        yield [
            named(words.name(policy)),
            words.rate(policy.capacity_per_s),
            words.rate(policy.offered_before_per_s),
            escaped(captions.disturbed_by(policy)),
            escaped(policy.describe),
        ]


def _again(report: Report) -> Iterator[str]:
    yield "## To see it again"
    place = "DIR" if report.run.simulated else f"runs/{words.printable(report.run.id)}"
    seed = f"seed {report.run.seed}"
    yield (
        f"The record holds the scenario and the {seed}. `aftershock report` tells it again, and "
        f"`aftershock simulate --like` plays both in virtual time; `aftershock run SCENARIO.toml "
        f"--seed {report.run.seed}` loads a service with it."
    )
    yield f"    aftershock report {place}\n    aftershock simulate --like {place}"
    yield scenario(report.run.scenario)


def _definitions(report: Report) -> Iterator[str]:
    yield "## What the words mean"
    yield meanings(definitions(report.policies))
