"""The verb `aftershock compare`: flags and wiring only."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reports.judging.differences.comparison import Comparison, compare_sides
from reports.judging.differences.least import least_of
from reports.judging.differences.measures import COMPARED, USUAL, measures_of
from reports.judging.differences.sides import Side, side_of
from reports.measuring.sampling import SampledRun
from reports.progress import Bar
from reports.reading.read import record_path
from reports.rendering import words
from reports.rendering.differences import sentences
from reports.rendering.differences.markdown import to_markdown
from reports.rendering.differences.terminal import render
from reports.rendering.differences.to_json import to_json
from reports.several.paths import runs_of_sides
from reports.several.reading import reports_of, sampled_run
from reports.stopping import stops_like_ctrl_c
from reports.verbs.ending import BAD_INPUT, GOOD, INTERRUPTED, NOT_VALID, WORSE, give_up, telling

_MEASURES = (
    f"What to compare, again for each: {', '.join(one.word for one in COMPARED)}. "
    f"Default: {', '.join(one.word for one in USUAL)}."
)


@stops_like_ctrl_c()
def compare(  # noqa: PLR0913, PLR0917 - one for each option
    base: Annotated[
        Path, typer.Argument(help="A record, a run's folder, or a folder of runs.", metavar="BASE")
    ],
    new: Annotated[Path, typer.Argument(help="What is held against it.", metavar="NEW")],
    measure: Annotated[list[str] | None, typer.Option(help=_MEASURES, metavar="NAME")] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(help="Only this lane or policy; again for each.", metavar="NAME"),
    ] = None,
    least: Annotated[
        list[str] | None,
        typer.Option(
            help='Medians that differ by less make no difference: a share of BASE\'s, as in "10%", '
            'or a duration for what is measured in seconds, as in "500ms"; both can be given.',
            metavar="AMOUNT",
        ),
    ] = None,
    each_dip: Annotated[
        bool,
        typer.Option(
            "--each-dip",
            help="Every dip of a run is a sample, and not the run: what is shown then holds for "
            "these very runs.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON instead of tables.")
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print it as Markdown, for a pull request.")
    ] = False,
) -> None:
    """Say whether NEW recovers better or worse than BASE, or that so few runs cannot tell.

    Lane by lane and measure by measure. Every run is a sample; of one that
    had several dips it is their median. Where no difference is shown, it says
    how many runs would tell. Exits 1 when anything is worse, else 0; 3 when a
    side has no valid run, 2 when there is nothing to compare.

    Example: aftershock compare runs/before runs/after --least 10%
    """
    errors = Console(stderr=True)
    try:
        if as_json and as_markdown:
            raise ValueError("--json and --markdown: one of them at most")
        measures = measures_of(measure or ())
        matters = least_of(least or ())
        sides = _read(base, new, errors, each_dip=each_dip)
        _check_valid(*sides)
        found = compare_sides(*sides, measures, policies=policy or (), least=matters)
        if not found.measured:
            raise ValueError("nothing was measured on both sides: was anything disturbed?")
    except ValueError as error:
        give_up("compare", str(error), BAD_INPUT)
    except KeyboardInterrupt:
        give_up("compare", "stopped", INTERRUPTED)
    with telling("compare"):
        _show(found, as_json=as_json, as_markdown=as_markdown)
    raise typer.Exit(WORSE if found.worse else GOOD)


def _read(base: Path, new: Path, errors: Console, *, each_dip: bool) -> tuple[Side, Side]:
    before, after = runs_of_sides(base, new)
    with Bar(errors, "runs", len(before) + len(after)) as bar:
        return (
            side_of("BASE", str(base), _each(before, bar), each_dip=each_dip),
            side_of("NEW", str(new), _each(after, bar), each_dip=each_dip),
        )


def _each(runs: list[Path], bar: Bar) -> Iterator[SampledRun]:
    """They are called as their folders are."""
    for run, report in reports_of(runs, bar):
        yield sampled_run(record_path(run).resolve().parent.name, report)


def _check_valid(*sides: Side) -> None:
    """Leave with 3 when a side has no run that counts."""
    empty = [side for side in sides if not side.runs]
    for side in empty:
        for said in sentences.left_out(side):
            typer.echo(f"aftershock compare: {words.printable(said)}", err=True)
    if empty:
        names = " and ".join(side.title for side in empty)
        give_up("compare", f"no valid run is left in {names}", NOT_VALID)


def _show(found: Comparison, *, as_json: bool, as_markdown: bool) -> None:
    if as_json:
        typer.echo(to_json(found), nl=False)
    elif as_markdown:
        typer.echo(to_markdown(found), nl=False)
    else:
        render(found, Console())
