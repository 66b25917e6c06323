"""An audit on the terminal: sentences first, then a table, readable at 80 columns and piped."""

from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from loadtests.audit import words
from loadtests.audit.answer import End
from loadtests.audit.course import Audit, Course, Verdict
from loadtests.audit.finding import Finding, Kind
from loadtests.audit.findings import findings

WIDTH = 80
_STYLES = {
    Kind.DISTURBED: "bold yellow",
    Kind.RETRIES: "bold",
    Kind.COPIES: "bold",
    Kind.NONE: "bold green",
    Kind.LOST: "bold yellow",
    Kind.DANGER: "bold red",
    Kind.LIMITS: "yellow",
}


def render(audit: Audit, console: Console) -> None:
    """Print what was found and the table it comes from."""
    found = findings(audit)
    parts: list[Text | Table | Padding] = []
    if audit.verdict is Verdict.UNKNOWN:
        why = ", because the audit was stopped" if audit.stopped else ""
        parts.append(Text(f"It cannot be told whether something retries{why}.", "bold yellow"))
    parts += [_line(finding) for finding in found if finding.kind in _STYLES]
    if audit.requests:
        parts.append(_table(audit))
    parts += [_line(finding) for finding in found if finding.kind not in _STYLES]
    console.print(Group(*parts), width=min(console.width, WIDTH))


def _line(finding: Finding) -> Text:
    return Text(words.printable(finding.text, 1000), _STYLES.get(finding.kind, "dim"))


def _table(audit: Audit) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("refused with", no_wrap=True)
    table.add_column("method", no_wrap=True)
    table.add_column("attempts", justify="right", no_wrap=True)
    table.add_column("retried after", overflow="fold")
    table.add_column("you got", no_wrap=True)
    table.add_column("in", justify="right", no_wrap=True)
    above = ""
    for course in audit.requests:
        refused_with = _refused_with(course)
        # Said once for all of its methods, so that the eye finds where the next begins.
        table.add_row("" if refused_with == above else refused_with, *_row(course))
        above = refused_with
    return table


def _refused_with(course: Course) -> str:
    refusal = course.probe.refusal
    if refusal is None:
        return "nothing"
    return refusal.name if refusal.retry_after_s is None else f"{refusal.name}, Retry-After"


def _row(course: Course) -> tuple[Text | str, ...]:
    doubtful = course.disturbances or not course.total
    style = "yellow" if doubtful else "bold red" if course.retries else ""
    return (
        course.probe.method,
        Text(f"{course.total:,}", style),
        words.intervals(course.intervals_s),
        _got(course),
        words.duration(course.answer.elapsed_s),
    )


def _got(course: Course) -> str:
    answer = course.answer
    if answer.status is None:
        return answer.end.value
    return f"{answer.status}" if answer.end is End.ANSWERED else f"{answer.status} {answer.end}"
