"""The verdict in a terminal: a line for each rule and lane."""

from rich.console import Console
from rich.text import Text

from reports.judging.gate.verdict import Outcome, Verdict
from reports.rendering import words
from reports.rendering.gate.sentences import lane_title, said, summed_up, why_not_valid
from reports.text import clipped


def render(verdict: Verdict, console: Console) -> None:
    """Print it. A line is not wrapped, so that it can be searched for."""
    for line in lines(verdict):
        console.print(line, soft_wrap=True)


def render_after_report(verdict: Verdict, console: Console) -> None:
    """Print it beneath a run's report, which has said already why a result is not valid."""
    found = lines(verdict)
    console.print()
    for line in found[-1:] if verdict.not_valid else found:
        console.print(line, soft_wrap=True)


def lines(verdict: Verdict) -> list[Text]:
    """Of a result that is not valid only the reasons: what it says of rules is worth nothing."""
    if verdict.outcome is Outcome.NOT_VALID:
        found = [
            Text("  ").join(
                (
                    Text("NOT VALID", "bold red"),
                    Text(f"{words.printable(run.name)}: {why_not_valid(run)}"),
                )
            )
            for run in verdict.not_valid
        ]
        return [*found, Text(summed_up(verdict))]
    titles = [clipped(lane_title(finding)) for finding in verdict.findings]
    width = max(map(len, titles), default=0)
    found = [
        Text("  ").join(
            (
                Text("pass", "green") if finding.kept else Text("FAIL", "bold red"),
                Text(title.ljust(width), "cyan"),
                Text(said(finding)),
            )
        )
        for title, finding in zip(titles, verdict.findings, strict=True)
    ]
    return [*found, Text(summed_up(verdict), "" if verdict.outcome is Outcome.KEPT else "bold")]
