"""The advice in the terminal, readable at 80 columns and when piped."""

from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from loadtests.simulation.advising.advice import Advice, conditions, limit_line, live
from loadtests.simulation.advising.candidates import NO_RETRY, Kind
from loadtests.simulation.advising.figures import Standing
from loadtests.simulation.advising.ranking import Ranked
from loadtests.simulation.advising.telling import (
    percent,
    percents,
    settled,
    settled_between,
)
from reports.rendering.fitting import BREAKS
from reports.rendering.terminal import in_colour
from reports.rendering.words import printable

WIDTH = 80
MOST_ROWS = 10
PLACE_WIDTH = 2
TITLES = ("settled", "95%", "unserved", "95%", "peak/s", "ampl.")
_WANTED = frozenset({Kind.HAVE, Kind.REFERENCE, Kind.ASKED})
HAVE_MARK = " ←"
"""After the names of what there is."""


def render(advice: Advice, console: Console) -> None:
    """Print what to change, the table, and what it stands on."""
    parts: list[Text | Table] = []
    if advice.interrupted:
        parts.append(Text("Interrupted: advice from the runs that were done.\n", "yellow"))
    parts += [in_colour(sentence, "bold" if not place else "") for place, sentence in
              enumerate(advice.sentences)]  # fmt: skip
    parts += [_table(advice), Text(limit_line(advice), "dim"), Text(conditions(advice), "dim")]
    if advice.left_out:
        parts.append(Text(f"Left out: {printable(', '.join(advice.left_out))}.", "dim"))
    console.print(Group(*parts), width=min(console.width, WIDTH))
    console.print(live(advice), markup=False, highlight=False)
    for command in advice.commands:
        console.print(f"  {printable(command)}", markup=False, highlight=False, soft_wrap=True)


def shown(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The first ten, what there is, and the one without retries, in their order.

    Of those that never retried, and so did as that one does, it stands for all.
    """
    unlike = [
        one
        for one in ranked
        if one.standing.candidate.kind in _WANTED or not did_nothing(one.standing, ranked)
    ]
    first = unlike[:MOST_ROWS]
    return [one for one in unlike if one in first or _stays(one)]


def _stays(one: Ranked) -> bool:
    candidate = one.standing.candidate
    return candidate.kind is Kind.HAVE or candidate.choice.name == NO_RETRY


def did_nothing(one: Standing, ranked: Sequence[Ranked]) -> bool:
    """Whether it made one attempt a request, and left as many unserved as without retries."""
    reference = next(
        (r.standing for r in ranked if r.standing.candidate.choice.name == NO_RETRY), None
    )
    if reference is None or reference is one:
        return False
    return one.amplification == 1.0 and one.unserved == reference.unserved


def _table(advice: Advice) -> Table:
    rows = shown(advice.ranked)
    cells = [_cells(one) for one in rows]
    widths = [max(map(len, column)) for column in zip(TITLES, *cells, strict=True)]
    room = WIDTH - sum(widths) - len(widths) - PLACE_WIDTH - 3
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("policy")
    for title in TITLES:
        table.add_column(title, justify="right", no_wrap=True)
    for number, (one, row) in enumerate(zip(rows, cells, strict=True)):
        if number and rows[number - 1].within and not one.within:
            table.add_section()
        table.add_row(
            f"{one.place:{PLACE_WIDTH}}", _name(one, room), *map(_styled(one), row, TITLES)
        )
    return table


def _cells(one: Ranked) -> list[str]:
    standing = one.standing
    return [
        settled(standing),
        settled_between(standing).removesuffix(" s"),
        percent(standing.unserved.median),
        percents(standing.unserved).removesuffix("%"),
        f"{standing.peak_per_s:,.0f}",
        f"{standing.amplification:.2f}×",
    ]


def _styled(one: Ranked) -> Callable[[str, str], Text]:
    """What did not recover, and what is above the limit, in red."""
    styles = {
        "settled": "bold" if one.standing.back else "bold red",
        "unserved": "" if one.within else "red",
    }
    return lambda cell, title: Text(cell, styles.get(title, ""))


def _name(one: Ranked, room: int) -> Text:
    have = one.standing.candidate.kind is Kind.HAVE
    written = printable(one.standing.name) + (HAVE_MARK if have else "")
    return Text(broken(written, room), "bold cyan" if have else "cyan", overflow="fold")


def broken(name: str, width: int) -> str:
    """A name with line breaks where its parts end; what is longer by itself breaks anywhere."""
    lines = [""]
    for part in BREAKS.split(name):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)
