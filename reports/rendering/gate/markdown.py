"""The verdict as Markdown: a table for a job's summary, or to paste into a pull request."""

from reports.judging.gate.finding import Finding
from reports.judging.gate.verdict import Outcome, Verdict
from reports.measuring.sampling import SampledRun
from reports.rendering.gate.sentences import lane_title, said, summed_up, why_not_valid
from reports.rendering.markdown_text import escaped, table

_TITLES = ("verdict", "lane", "measured")
_HEADINGS = {
    Outcome.KEPT: "✅ Recovery is within its limits",
    Outcome.BROKEN: "❌ Recovery is not within its limits",
    Outcome.NOT_VALID: "⚠️ Recovery was not judged: the result is not valid",
}


def to_markdown(verdict: Verdict, max_bytes: int) -> str:
    """A heading, and a row for each finding; breaches first, and as many as there is room for.

    At most `max_bytes` of UTF-8, and nothing where even the heading has no room.
    """
    head = f"### {_HEADINGS[verdict.outcome]}\n\n{escaped(summed_up(verdict))}\n\n"
    if verdict.outcome is Outcome.NOT_VALID:
        return _fitting(head, [_not_valid(run) for run in verdict.not_valid], "runs", max_bytes)
    head += table(_TITLES, (), left=len(_TITLES))
    ordered = sorted(verdict.findings, key=lambda found: found.kept)
    return _fitting(head, [_row(found) for found in ordered], "rules", max_bytes)


def _row(found: Finding) -> str:
    """As the line in a terminal."""
    verdict = "✅ pass" if found.kept else "❌ FAIL"
    return f"| {verdict} | {escaped(lane_title(found))} | {escaped(said(found))} |\n"


def _not_valid(run: SampledRun) -> str:
    return f"- not valid: {escaped(run.name)}: {escaped(why_not_valid(run))}\n"


def _fitting(head: str, rows: list[str], what: str, max_bytes: int) -> str:
    """As many of the rows as fit, and how many more there are."""
    last = f"\nand {len(rows)} more {what}, which had no room here.\n"
    room = max_bytes - len(head.encode()) - len(last.encode())
    if room < 0:
        return ""
    fitting = 0
    for row in rows:
        room -= len(row.encode())
        if room < 0:
            break
        fitting += 1
    left = len(rows) - fitting
    more = f"\nand {left} more {what}, which had no room here.\n" if left else "\n"
    return head + "".join(rows[:fitting]) + more
