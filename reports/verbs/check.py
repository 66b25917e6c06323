"""`aftershock check`: whether runs keep their limits, for a pipeline to go on or to stop."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from aftershock_units import parse_named
from reports.judging.gate.limits import examples, limited, parse_limit
from reports.judging.gate.rules import Rule, key_of, parse_confidence
from reports.judging.gate.verdict import Outcome, Verdict
from reports.measuring.measure import Measure
from reports.progress import Bar
from reports.rendering import words
from reports.rendering.gate import terminal
from reports.rendering.gate.github import annotations, append_summary, harmless
from reports.rendering.gate.junit import write_junit
from reports.rendering.gate.to_json import to_json
from reports.several.checking import check_runs
from reports.several.paths import runs_of
from reports.several.reading import reports_of
from reports.stopping import stops_like_ctrl_c
from reports.verbs.ending import GOOD, NOT_VALID, WORSE, give_up, stopped, telling
from reports.verbs.runs import RUNS, newest_run

EXIT_CODES = {Outcome.KEPT: GOOD, Outcome.BROKEN: WORSE, Outcome.NOT_VALID: NOT_VALID}


@stops_like_ctrl_c()
def _check(  # noqa: PLR0913 - one for each option
    *,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN...",
            help="A record, a run's folder, or a folder of runs. Default: the newest in runs/.",
            show_default=False,
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Only this lane or policy; again for each. Default: every lane."
        ),
    ] = None,
    confidence: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Of several dips or runs the median has to keep the limit, and that has to be so "
            "sure, as in 95%. Without it every single one has to keep it.",
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the verdict as JUnit XML as well.")
    ] = None,
    github: Annotated[
        bool | None,
        typer.Option(
            "--github/--no-github",
            help="Annotate breaches, and add to the job's summary. Default: on GitHub Actions.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of a line for each rule.")
    ] = False,
    **limits: str | None,
) -> None:
    """Hold runs against limits of recovery: a gate for CI.

    Prints a line for each limit and lane. Limits are options, or stand in the
    table check of the run's scenario; an option takes the place of the limit of
    that name there. Exits 0 when all are kept, 1 on a breach, 3 when a result is
    not valid, which never passes, and 2 when there is nothing to judge.

    Example: aftershock check runs/20261130-101500 --max-settled 3x
    """
    try:
        given = [rule for measure in limited() for rule in _given(measure, limits[key_of(measure)])]
        sure = _sure(confidence)
        found = runs_of(runs or [newest_run(RUNS)])
        with Bar(Console(stderr=True), "runs", len(found)) as bar:
            verdict = check_runs(reports_of(found, bar), given, policy or [], sure)
    except ValueError as error:
        give_up("check", str(error))
    except KeyboardInterrupt:
        stopped("nothing was judged")
    code = EXIT_CODES[verdict.outcome]
    on_github = os.environ.get("GITHUB_ACTIONS") == "true" if github is None else github
    with telling("check"):
        if as_json:
            typer.echo(to_json(verdict, code), nl=False)
        else:
            show(verdict, on_github=on_github)
        if on_github:
            _annotate(verdict, to_errors=as_json)
    if on_github:
        _sum_up(verdict)
    if junit is not None:
        _write(verdict, junit)
    raise typer.Exit(code)


def _given(measure: Measure, text: str | None) -> list[Rule]:
    """The rule that an option says, if it is there."""
    if text is None:
        return []
    option = f"--max-{measure.word}"
    return [Rule(measure, parse_named(option, lambda said: parse_limit(measure, said), text))]


def _sure(text: str | None) -> float | None:
    return None if text is None else parse_named("--confidence", parse_confidence, text)


def show(verdict: Verdict, *, on_github: bool = False) -> None:
    """A line for each rule and lane. On GitHub names are kept from being commands."""
    console = Console()
    if not on_github:
        terminal.render(verdict, console)
        return
    for line in terminal.lines(verdict):
        typer.echo(harmless(line.plain))


def _annotate(verdict: Verdict, *, to_errors: bool) -> None:
    """On standard error where the output is JSON."""
    for line in annotations(verdict):
        typer.echo(line, err=to_errors)


def _write(verdict: Verdict, junit: Path) -> None:
    try:
        write_junit(verdict, junit)
    except OSError as error:
        give_up("check", f"{junit}: {error.strerror or error}")


def _sum_up(verdict: Verdict) -> None:
    """Add to the job's summary, where there is one."""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        return
    try:
        append_summary(verdict, Path(summary))
    except OSError as error:
        said = f"the job's summary cannot be written: {error.strerror or error}"
        typer.echo(f"aftershock check: {words.printable(said)}", err=True)


def _with_limits(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb with an option for each measure that can be limited: Typer reads its signature."""
    signature = inspect.signature(verb)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    options = [
        inspect.Parameter(
            key_of(measure),
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                str | None,
                typer.Option(
                    f"--max-{measure.word}",
                    metavar="LIMIT",
                    help=f"{measure.title}: {examples(measure)}.",
                    rich_help_panel="Limits",
                ),
            ],
        )
        for measure in limited()
    ]
    verb.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    verb.__name__ = "check"
    return verb


check = _with_limits(_check)
