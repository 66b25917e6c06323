"""The report's tables for the terminal: rows of text, each fitting in 80 columns."""

from collections.abc import Sequence

from rich.text import Text

from reports.measuring.recovery import Recovery
from reports.measuring.stack import Stack, layer_names
from reports.prediction import Prediction
from reports.rendering import words
from reports.rendering.beside_prediction import Compared, compare
from reports.rendering.fitting import Cell, Fitting
from reports.summary import Report

WIDTH = 80


def recovery(report: Report) -> Fitting:
    """When each lane was over its trigger, and what its load was."""
    titles = ["first fit", "settled", words.per(report), "peak/s"]
    titles += ["attempts", "ampl.", "failed", "storm"]
    rows = [(_named(policy, report), _recovery(policy)) for policy in report.policies]
    return Fitting(words.column(report), titles, rows)


def service(report: Report) -> Fitting | None:
    """What the service did besides answering; `None` where it did nothing else.

    It is there too where goodput did not come back.
    """
    starved = any(policy.after and policy.after.starved for policy in report.policies)
    if not starved and not any(policy.service.eventful for policy in report.policies):
        return None
    titles = ["goodput back", "queue", "abandoned", "shed", "blocked", "failed by it"]
    rows = [(Text(words.name(policy), "cyan"), _service(policy)) for policy in report.policies]
    return Fitting("service", titles, rows)


def layers(report: Report) -> Fitting | None:
    """Attempts per layer, in the second half of the trigger; `None` where there are no layers."""
    stacked = [(p, p.stacks) for p in report.policies if p.stacks]
    if not stacked:
        return None
    names = layer_names(stacks for _, stacks in stacked)
    titles = ["requests", *map(words.printable, names), "at target", "over run"]
    rows = [
        (
            Text(words.name(policy), "cyan"),
            _layers(stacks.in_trigger or stacks.over_run, stacks.over_run, len(names)),
        )
        for policy, stacks in stacked
    ]
    during = "" if report.trigger is None else f"\n2nd half of {words.what(report)}"
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


def _recovery(policy: Recovery) -> list[Cell]:
    after = policy.after
    lost = after is not None and after.lost and after.settled_s is None
    return [
        words.first_fit(policy),
        Text(_settled(policy), "bold red" if lost else "bold"),
        words.times(after.times_trigger if after else None),
        words.count(policy.peak_per_s),
        words.count(policy.attempts),
        words.factor(policy.amplification),
        words.count(policy.failed),
        words.count(after.storm_attempts) if after else words.NOT_MEASURED,
    ]


def _settled(policy: Recovery) -> str:
    """As `words.settled`, in few letters."""
    after = policy.after
    if after is None or after.settled_s is not None:
        return words.settled(policy)
    return "not yet" if after.too_soon else words.beyond(after.observed_s)


def _service(policy: Recovery) -> list[Cell]:
    did, after = policy.service, policy.after
    counts = (did.longest_queue, did.abandoned, did.shed, did.blocked, did.failed)
    starved = after is not None and after.starved
    back = words.beyond(after.observed_s) if after and starved else words.goodput_back(policy)
    return [
        Text(back, "bold red" if starved else ""), *(words.count(number) for number in counts)
    ]  # fmt: skip


def _layers(stack: Stack, over_run: Stack, depth: int) -> list[Cell]:
    factors = [words.counted(stack, level.factor) for level in stack.levels]
    missing = [words.NOT_MEASURED] * (depth - len(factors))
    product = Text(words.counted(stack, stack.product), "bold")
    return [
        words.count(stack.requests), *factors, *missing, product, words.times(over_run.product)
    ]  # fmt: skip


def _named(policy: Recovery, report: Report) -> Text:
    """The lane's name, and beneath it what disturbed it where that differs and goes unsaid."""
    name = Text(words.name(policy), "cyan")
    if report.alike or words.named_after(policy):
        return name
    what = words.disturbed_by(policy)
    return Text("\n").join((name, Text(what, "dim")))
