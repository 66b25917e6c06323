"""A study in the terminal, readable at 80 columns and when piped."""

from rich.console import Console, Group, RenderableType
from rich.text import Text

from reports.rendering import spreads, words
from reports.rendering.study import headlines, sentences, tables
from reports.rendering.tables import WIDTH
from reports.rendering.terminal import in_colour
from reports.several.study import Condition, Study


def render(study: Study, console: Console) -> None:
    """Print how many runs there are, what they say in a sentence, and the tables."""
    parts: list[RenderableType] = [Text(words.printable(headlines.made(study)), "dim")]
    if nothing := sentences.without_runs(study):
        parts.append(in_colour(nothing, "bold red"))
    parts.append(in_colour(headlines.headline(study), "bold"))
    if len(study.conditions) > 1 and study.disturbed:
        parts += filter(None, [tables.settled(study)])
    for condition in study.conditions:
        parts += _condition(condition, study)
    parts.append(Text(spreads.METHOD, "dim"))
    parts += [in_colour(remark, "dim") for remark in sentences.remarks(study)]
    if left_out := sentences.left_out(study):
        parts.append(in_colour(left_out, "red"))
    console.print(Group(*parts), width=min(console.width, WIDTH))


def _condition(condition: Condition, study: Study) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if condition.label:
        runs = f"{sentences.noun(condition.counted)}"
        parts.append(Text(words.printable(f"\n{condition.label}: {runs}".strip()), "bold"))
    if differs := sentences.differs(condition):
        parts.append(Text(words.printable(differs), "dim"))
    if not condition.distributions:
        return parts
    found = (
        tables.recovery(condition) if study.disturbed else None,
        tables.cost(condition),
        tables.service(condition),
    )
    return parts + [table for table in found if table is not None]
