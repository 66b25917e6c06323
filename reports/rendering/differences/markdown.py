"""A comparison in Markdown, to paste into a pull request."""

from collections.abc import Iterator

from reports.judging.differences.comparison import Comparison
from reports.judging.differences.row import Row, Verdict
from reports.rendering.differences import cells, sentences
from reports.rendering.markdown_text import escaped, named, sentence, table

_TITLES = ("lane", "measure", "", "BASE", "NEW", "difference", "95% interval", "p", "would tell")


def to_markdown(found: Comparison) -> str:
    """All of it, with a newline at the end. Every text in it is escaped."""
    blocks = [
        f"**{sentence(sentences.outcome(found))}**",
        "\n".join(_sides(found)),
        "\n".join(f"- {sentence(said)}" for said in sentences.warnings(found)),
        table(_TITLES, _rows(found), left=3),
        "\n".join(f"- {sentence(said)}" for said in sentences.remarks(found)),
        sentence(sentences.method(found)),
    ]
    return "\n\n".join(block.rstrip("\n") for block in blocks if block) + "\n"


def _sides(found: Comparison) -> Iterator[str]:
    for side in (found.base, found.new):
        yield f"- {escaped(sentences.runs(side))}"
        yield from (f"  - {sentence(said)}" for said in sentences.left_out(side))


def _rows(found: Comparison) -> Iterator[list[str]]:
    for lane in found.lanes:
        for row in lane.rows:
            yield [named(lane.lane), *(one for one in _cells(row))]


def _cells(row: Row) -> Iterator[str]:
    yield escaped(row.measure.title)
    verdict = escaped(cells.verdict(row))
    yield f"**{verdict}**" if row.verdict in {Verdict.WORSE, Verdict.BETTER} else verdict
    yield from map(escaped, cells.medians(row))
    told = (cells.shift(row), cells.interval(row), cells.p_value(row), _needed(row))
    yield from map(escaped, told)


def _needed(row: Row) -> str:
    more = cells.more(row)
    return f"{cells.needed(row)} ({more})" if more else cells.needed(row)
