"""The report's tables for the terminal: rows of text, each fitting in 80 columns."""

from collections.abc import Sequence

from rich.text import Text

from reports.measuring.catalogue import SETTLED, brief_of
from reports.measuring.measure import Measure, Part, Unit
from reports.measuring.recovery import Recovery
from reports.measuring.stack import Stack, layer_names, places
from reports.prediction import Prediction
from reports.rendering import cells, outcomes, triggers, words
from reports.rendering.beside_prediction import Compared, compare
from reports.rendering.fitting import Cell, Fitting, Row
from reports.summary import Report

WIDTH = 80


def recovery(report: Report) -> Fitting:
    """When each lane was over its trigger, and what its load was."""
    measures = brief_of(Part.RECOVERY, Part.COST)
    titles = [cells.title(one, report, brief=True) for one in measures]
    alike = report.alike
    rows = [
        (_named(policy, alike=alike), [_cell(one, policy) for one in measures])
        for policy in report.policies
    ]
    return Fitting(words.column(report), titles, rows)


def service(report: Report) -> Fitting | None:
    """What the service did besides answering; `None` where it did nothing else.

    It is there too where goodput did not come back.
    """
    starved = any(policy.after and policy.after.starved for policy in report.policies)
    if not starved and not any(policy.service.eventful for policy in report.policies):
        return None
    measures = brief_of(Part.SERVICE)
    titles = ["goodput back", *(one.brief for one in measures)]
    rows: list[Row] = [
        (
            Text(words.name(policy), "cyan"),
            [_goodput_back(policy), *(cells.cell(one, policy) for one in measures)],
        )
        for policy in report.policies
    ]
    return Fitting("service", titles, rows)


def layers(report: Report) -> Fitting | None:
    """How many attempts of a request arrive at each layer, in the second half of the trigger.

    `None` where there are no layers.
    """
    stacked = [(p, p.stacks) for p in report.policies if p.stacks]
    if not stacked:
        return None
    names = layer_names(stacks for _, stacks in stacked)
    at = [f"at {words.printable(place)}" for place in places(names)]
    titles = ["requests", *at, "over run"]
    rows = [
        (
            Text(words.name(policy), "cyan"),
            _layers(stacks.in_trigger or stacks.over_run, stacks.over_run, len(names)),
        )
        for policy, stacks in stacked
    ]
    during = "" if report.trigger is None else f"\n2nd half of {triggers.what(report)}"
    return Fitting(f"attempts per layer{during}", titles, rows)


def predicted(report: Report, prediction: Prediction) -> Fitting:
    """A line a figure: measured, predicted, the range, and whether it is within it."""
    rows = [
        (Text(words.name(policy), "cyan"), _predicted(compare(policy, prediction.of(policy.lane))))
        for policy in report.policies
    ]
    titles = ["", "measured", "predicted", "range", "within"]
    return Fitting("measured beside predicted", titles, rows, vertical="top", again=1)


def _predicted(figures: Sequence[Compared]) -> list[Cell]:
    within = {True: ("yes", "green"), False: ("no", "bold red"), None: (words.NOT_MEASURED, "")}
    columns = (
        [Text(figure.title, "dim") for figure in figures],
        [Text(figure.measured, "bold") for figure in figures],
        [Text(figure.predicted) for figure in figures],
        [Text(figure.range) for figure in figures],
        [Text(*within[figure.within]) for figure in figures],
    )
    return [Text("\n").join(cells) for cells in columns]


def _cell(measure: Measure, policy: Recovery) -> Cell:
    if measure is SETTLED:
        lost = cells.is_lost(measure, policy)
        return Text(_settled(policy), "bold red" if lost else "bold")
    if measure.unit is Unit.RATE:  # the column says what it is per
        return words.count(measure.plain(policy) or 0.0)
    return cells.cell(measure, policy)


def _settled(policy: Recovery) -> str:
    """As `outcomes.settled`, in few letters."""
    after = policy.after
    if after is None or after.settled_s is not None:
        return outcomes.settled(policy)
    if after.unwatched:
        return words.NOT_MEASURED
    return "not yet" if after.too_soon else words.beyond(after.observed_s)


def _goodput_back(policy: Recovery) -> Cell:
    """As `outcomes.goodput_back`, in few letters."""
    after = policy.after
    starved = after is not None and after.starved
    back = words.beyond(after.observed_s) if after and starved else outcomes.goodput_back(policy)
    return Text(back, "bold red" if starved else "")


def _layers(stack: Stack, over_run: Stack, depth: int) -> list[Cell]:
    arrived = [words.counted(stack, stack.per_request(level)) for level in stack.levels[:-1]]
    passed = [words.NOT_MEASURED] * (depth - 1 - len(arrived))
    product = Text(words.counted(stack, stack.product), "bold")
    return [
        words.count(stack.requests), *arrived, *passed, product, words.times(over_run.product)
    ]  # fmt: skip


def _named(policy: Recovery, *, alike: bool) -> Text:
    """The lane's name, and beneath it what disturbed it where that differs and goes unsaid."""
    name = Text(words.name(policy), "cyan")
    if alike or triggers.named_after(policy):
        return name
    what = triggers.disturbed_by(policy)
    return Text("\n").join((name, Text(what, "dim")))
