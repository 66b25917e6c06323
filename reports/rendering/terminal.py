"""The report in the terminal, readable at 80 columns and when piped."""

from rich.console import Console, Group
from rich.text import Text

from reports.rendering import beside_prediction, sentences, spreads, tables, words
from reports.rendering.fitting import Fitting
from reports.rendering.repeated import tables as repeated
from reports.summary import Report


def render(report: Report, console: Console) -> None:
    """Print the sentence, the tables, and whether the result can be trusted."""
    parts: list[Text | Fitting] = []
    if going_on := sentences.so_far(report):
        parts.append(Text(f"{going_on.capitalize()}:", "bold"))
    if not report.valid:
        parts.append(Text("NOT VALID:", "bold red"))
    parts += [
        in_colour(sentence, "bold")
        for sentence in (
            sentences.headline(report),
            sentences.runner_up(report),
            sentences.unanswered(report),
        )
        if sentence
    ]
    parts += _repeated(report) if report.distributions else _once(report)
    parts += [*_predicted(report), *_remarks(report), *_verdict(report)]
    console.print(Group(*parts), width=min(console.width, tables.WIDTH))


def _once(report: Report) -> list[Text | Fitting]:
    found = (tables.recovery(report), tables.layers(report), tables.service(report))
    return [table for table in found if table is not None]


def _repeated(report: Report) -> list[Text | Fitting]:
    """Where a trigger was repeated: its distribution first, then the whole run, then each."""
    parts: list[Text | Fitting] = [
        *repeated.distributions(report),
        Text(spreads.METHOD_OF_RUN, "dim"),
    ]
    parts.append(repeated.over_run(report))
    parts += [table for table in (tables.layers(report),) if table is not None]
    each = repeated.one_by_one(report)
    if each is None:
        parts.append(Text("Each by itself stands in report.html and report.json.", "dim"))
        return parts
    marked = repeated.unsteady(report)
    return [*parts, each, *([Text(marked, "dim")] if marked else [])]


def in_colour(sentence: str, style: str = "") -> Text:
    """A sentence, with what stands between backticks in colour and the backticks gone."""
    text = Text(style=style)
    for place, part in enumerate(sentence.split("`")):
        text.append(words.printable(part), style="cyan" if place % 2 else "")
    return text


def _predicted(report: Report) -> list[Text | Fitting]:
    """Measured beside predicted, where that was asked for."""
    prediction = report.prediction
    if prediction is None:
        return []
    said = (beside_prediction.meaning(prediction), *prediction.notes)
    return [
        tables.predicted(report, prediction),
        in_colour(beside_prediction.verdict(report, prediction), "bold"),
        *(in_colour(sentence, "dim") for sentence in said),
    ]


def _remarks(report: Report) -> list[Text]:
    """What the table has no room for."""
    said = (sentences.simulated(report), *sentences.remarks(report), *report.notes)
    return [in_colour(remark, "dim") for remark in said if remark]


def _verdict(report: Report) -> list[Text]:
    if report.valid:
        so_far = " so far" if report.going_on else ""
        return [Text(f"\nThis result is valid{so_far}.", "green")]
    lines = [Text("\nThis result is NOT VALID, because", "bold red")]
    return lines + [in_colour(f"  - {reason}", "red") for reason in report.invalid_because]
