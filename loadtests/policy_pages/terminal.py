"""Policies on the terminal: the list by family, and one in full."""

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from loadtests.imports import Imported, printable
from loadtests.opaque.base import OpaqueSource
from loadtests.policies.catalogue import Family, Preset
from loadtests.policies.catalogue.parameters import short_name
from loadtests.policy_pages import words
from loadtests.policy_pages.facts import LIBRARIES, REQUESTS_IN_OUTAGE, PolicyFacts

INDENT = (0, 0, 0, 2)


def render_list(
    presets: Iterable[type[Preset]], libraries: Iterable[type[OpaqueSource]], console: Console
) -> None:
    """Every preset with one line under its family's name, and the real libraries."""
    by_family: dict[str, list[tuple[str, str]]] = {family.value: [] for family in Family}
    for preset in presets:
        by_family[preset.family.value].append((preset.name, preset.summary))
    by_family[LIBRARIES] = [(library.name, library.summary) for library in libraries]
    width = max(len(name) for members in by_family.values() for name, _ in members)
    for family, members in by_family.items():
        if not members:
            continue
        console.print(f"\n[bold]{escape(family)}[/bold]")
        grid = _grid(width)
        for name, summary in members:
            grid.add_row(Text(name, style="cyan"), Text(summary))
        console.print(Padding(grid, INDENT))
    console.print(
        "\n`aftershock policies NAME` shows one in full; "
        "`aftershock run --policy NAME` loads a target with it.",
        highlight=False,
    )


def render_one(facts: PolicyFacts, console: Console) -> None:
    """The rule, the parameters, the waits and what an outage comes to."""
    headline = Text(facts.name, style="bold cyan")
    changed = [item.short for item in facts.parameters if item.changed]
    if changed:
        headline = Text.assemble(headline, " with its own ", ", ".join(changed))
    elif facts.summary:
        headline = Text.assemble(headline, ": ", facts.summary)
    console.print(headline)
    grid = _grid(16)
    for name, text in facts.rule.items():
        grid.add_row(Text(name), Text(text))
    for label, text in (("source", facts.source), ("compared with", facts.compared_with)):
        if text:
            grid.add_row(Text(label, style="dim"), Text(text, style="dim"))
    console.print(Padding(grid, INDENT))
    _render_parameters(facts, console)
    _render_delays(facts, console)
    _render_outages(facts, console)
    for fault in facts.faults:
        console.print()
        console.print(Text(f"Fault: {fault.text}. Sound: {fault.sound}.", style="yellow"))
    for note in facts.notes:
        console.print()
        console.print(Text(note))


def _render_outages(facts: PolicyFacts, console: Console) -> None:
    if not facts.outages:
        return
    console.print(f"\n[bold]Attempts that {REQUESTS_IN_OUTAGE:,} requests make in an outage[/bold]")
    grid = _grid(0)
    for label, outage in facts.outages:
        grid.add_row(Text(words.attempts(outage), justify="right"), Text(label))
    console.print(Padding(grid, INDENT))


def render_import(imported: Imported, console: Console) -> None:
    """What a file was read as, what was left out and why, and how to use it."""
    changed = imported.preset().changed
    console.print(Text(f"{printable(imported.name)}, {imported.format}", style="bold"))
    for note in imported.notes:
        console.print(Padding(Text(f"note: {note}", style="yellow"), INDENT))
    if imported.ignored:
        console.print("\n[bold]Ignored[/bold]")
        for ignored in imported.ignored:
            console.print(Padding(Text(ignored.path, style="yellow", overflow="fold"), INDENT))
            console.print(Padding(Text(ignored.why), (0, 0, 0, 4)))
    console.print("\n[bold]As a policy of a scenario[/bold]")
    lines = ["[[policies]]", f'name = "{imported.preset_name}"']
    lines += [f"{short_name(name)} = {words.toml(name, value)}" for name, value in changed.items()]
    for line in lines:  # to be copied: never wrapped, never cut
        console.print(Text(line), soft_wrap=True)
    console.print()


def _grid(first_width: int) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=first_width, no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _render_parameters(facts: PolicyFacts, console: Console) -> None:
    if not facts.parameters:
        return
    console.print("\n[bold]Parameters[/bold]")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold", max_width=24)
    grid.add_column(overflow="fold")
    for item in facts.parameters:
        value = Text(words.value(item.parameter.name, item.value))
        value.stylize("bold" if item.changed else "")
        meaning = f"{item.parameter.meaning}: {item.parameter.kind}"
        grid.add_row(Text(item.short, style="cyan"), value, Text(meaning))
    console.print(Padding(grid, INDENT))


def _render_delays(facts: PolicyFacts, console: Console) -> None:
    if not facts.delays:
        return
    more = " (and so on)" if facts.delays_go_on else ""
    console.print(f"\n[bold]Wait before each retry, by percentile{more}[/bold]")
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    for _ in facts.delays[0].at:
        table.add_column(justify="right", no_wrap=True)
    table.add_row("retry", *(Text(f"p{percent}", style="dim") for percent in facts.delays[0].at))
    for delays in facts.delays:
        table.add_row(str(delays.retry), *(words.delay(seconds) for seconds in delays.at.values()))
    console.print(Padding(table, INDENT))
