"""The report as a table in the terminal, readable at 80 columns and when piped."""

from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reports import words
from reports.recovery import Recovery
from reports.summary import Report

WIDTH = 80
TITLES = (
    "first fit",
    "settled",
    "÷ dip",
    "peak/s",
    "attempts",
    "ampl.",
    "failed",
    "storm",
)


def render(report: Report, console: Console) -> None:
    """Print the sentence, the table, and whether the result can be trusted."""
    parts: list[Text | Table | Padding] = [] if report.valid else [Text("NOT VALID:", "bold red")]
    parts += [
        _named(sentence, "bold")
        for sentence in (words.headline(report), words.runner_up(report))
        if sentence
    ]
    parts += [_table(report), *_remarks(report), *_verdict(report)]
    console.print(Group(*parts), width=min(console.width, WIDTH))


def _named(sentence: str, style: str = "") -> Text:
    """A sentence, with what stands between backticks in colour and the backticks gone."""
    text = Text(style=style)
    for place, part in enumerate(sentence.split("`")):
        text.append(words.printable(part), style="cyan" if place % 2 else "")
    return text


def _table(report: Report) -> Table:
    """Only the first column may wrap: a figure that is cut short is worse than none."""
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("policy", overflow="fold", vertical="bottom")
    for title in TITLES:
        table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
    for policy in report.policies:
        table.add_row(*_row(policy, report))
    return table


def _row(policy: Recovery, report: Report) -> tuple[Text | str, ...]:
    after = policy.after
    lost = after is not None and not after.recovered
    settled = Text(
        f">{report.observed_s:.0f} s" if lost else words.settled(policy, report),
        "bold red" if lost else "bold",
    )
    return (
        Text(words.printable(words.name(policy)), "cyan"),
        words.first_fit(policy),
        settled,
        words.times(after.times_dip if after else None),
        words.count(policy.peak_per_s),
        words.count(policy.attempts),
        words.factor(policy.amplification),
        words.count(policy.failed),
        words.count(after.storm_attempts) if after else words.NOT_MEASURED,
    )


def _remarks(report: Report) -> list[Text]:
    """What the table has no room for."""
    return [_named(remark, "dim") for remark in (*words.remarks(report), *report.notes)]


def _verdict(report: Report) -> list[Text]:
    if report.valid:
        return [Text("\nThis result is valid.", "green")]
    lines = [Text("\nThis result is NOT VALID, because", "bold red")]
    return lines + [_named(f"  - {reason}", "red") for reason in report.invalid_because]
