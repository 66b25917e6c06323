"""The answer in the terminal: a sentence and a table a lane, at 80 columns."""

import textwrap

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from loadtests.simulation.tipping.answer import Answers, LaneAnswer
from loadtests.simulation.tipping.finding import Point
from loadtests.simulation.tipping.remarks import remarks
from loadtests.simulation.tipping.search import Answer
from loadtests.simulation.tipping.sentences import MEANING, NOT_SURE, sentence, title
from reports.rendering import words

WIDTH = 80
MOST_FIELD = 12
"""Letters, for which there is room beside the other columns at their widest."""
_STYLES = {Answer.RECOVERS: "green", Answer.FAILS: "red", Answer.CHANCE: "yellow"}


def render(answers: Answers, console: Console) -> None:
    """Each lane in turn, and what the words mean."""
    for answer in answers.lanes:
        _tell(console, f"{title(answer, answers)}: {sentence(answer, answers)}.", "bold")
        if answer.finding.points:
            console.print(points_table(answer, answers))
        for remark in remarks(answer, answers):
            _tell(console, f"note: {remark}")
        console.print()
    _tell(console, MEANING, "dim")


def _tell(console: Console, text: str, style: str = "") -> None:
    for line in textwrap.wrap(words.printable(text), WIDTH, break_on_hyphens=False):
        console.print(Text(line, style), soft_wrap=True)


def points_table(answer: LaneAnswer, answers: Answers) -> Table:
    """Each value that was tried, from the lowest up.

    The name of the field is broken only where it has no room on one line.
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    field = answer.range.path
    if len(field) > MOST_FIELD:
        field = field.replace(".", ".\n")
    table.add_column(field, justify="right", no_wrap=True, vertical="bottom")
    for heading in ("recovered", "share", f"{answers.sure} interval", "latest", ""):
        table.add_column(
            heading, justify="right" if heading else "left", no_wrap=True, vertical="bottom"
        )
    for point in answer.finding.points:
        table.add_row(*_row(point, answer))
    return table


def _row(point: Point, answer: LaneAnswer) -> tuple[Text, ...]:
    tally = point.tally
    latest_s = answer.watched[point.place].latest_s
    cells = (
        answer.shown(point.place),
        f"{tally.recovered} of {tally.runs}",
        words.whole_percent(tally.recovered / tally.runs),
        f"{words.whole_percent(point.share.low)} to {words.whole_percent(point.share.high)}",
        words.span(latest_s) if tally.recovered else words.NOT_MEASURED,
    )
    said = Text(point.answer or NOT_SURE, _STYLES[point.answer] if point.answer else "dim")
    return (*map(Text, cells), said)
