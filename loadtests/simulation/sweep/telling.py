"""What is said of a sweep, in the terminal as on its page."""

from collections.abc import Iterable, Mapping

from aftershock_units import format_number, parse_duration_s
from loadtests.scenario import Scenario
from loadtests.simulation.sweep.panels import Panel
from loadtests.simulation.sweep.plan import Sweep
from loadtests.simulation.sweep.verdict import Judged, Verdict

DEFAULT_S = Scenario().observation_s
MARKS: Mapping[Verdict, str] = {
    Verdict.RECOVERS: ".",
    Verdict.VULNERABLE: "o",
    Verdict.NEVER: "#",
    Verdict.INVALID: "?",
    Verdict.UNKNOWN: " ",
}
"""What stands for each in a map of characters, and in the cells of a picture."""
SPLIT_MARKS: Mapping[Verdict, str] = {
    Verdict.RECOVERS: ":",
    Verdict.VULNERABLE: "c",
    Verdict.NEVER: "+",
}
"""And where the runs of the cell did not agree."""
_FROM_BEST = " .:oc+#?"


def mark_of(panel: Panel, at: tuple[int, int]) -> str:
    """What stands for this cell."""
    verdict = Verdict(int(panel.verdicts[at]))
    return SPLIT_MARKS.get(verdict, MARKS[verdict]) if panel.split[at] else MARKS[verdict]


def worst_of(marks: Iterable[str]) -> str:
    """What stands for several cells."""
    return max(marks, key=_FROM_BEST.index)


def observation(sweep: Sweep) -> str | None:
    """How long each cell is observed; None where that is varied."""
    axis = next((axis for axis in sweep.axes if axis.path == "observation"), None)
    if axis is not None and len(axis.values) > 1:
        return None
    said = axis.values[0] if axis else sweep.values.get("observation")
    return f"{format_number(parse_duration_s(said) if isinstance(said, str) else DEFAULT_S)} s"


def within(sweep: Sweep) -> str:
    """Where the observation ends: nothing is known beyond it."""
    return f"within {observation(sweep) or 'the observation'}"


def meanings(judged: Judged) -> dict[Verdict, str]:
    """What the verdicts mean in this sweep, as clauses."""
    sweep = judged.sweep
    most, half = _most(sweep), _half(sweep)
    because = next((cell.because for cell in judged.played.values() if not cell.valid), None)
    invalid = {} if because is None else {Verdict.INVALID: f"{half} are not, as {because}"}
    return {
        Verdict.RECOVERS: f"{most} recover {within(sweep)}, after the largest trigger too",
        Verdict.VULNERABLE: f"{most} recover, but not after a larger trigger",
        Verdict.NEVER: f"{half} do not recover {within(sweep)}",
        **invalid,
    }


def _most(sweep: Sweep) -> str:
    return f"{sweep.runs // 2 + 1} or more of {sweep.runs} runs" if sweep.runs > 1 else "its run"


def _half(sweep: Sweep) -> str:
    return f"{(sweep.runs + 1) // 2} or more of {sweep.runs} runs" if sweep.runs > 1 else "its run"


def counts(panel: Panel) -> str:
    """How many cells of one map there are of each kind."""
    found = {verdict: int((panel.verdicts == verdict).sum()) for verdict in _DO}
    return ", ".join(f"{number} {_DO[verdict]}" for verdict, number in found.items() if number)


_DO = {
    Verdict.RECOVERS: "recover",
    Verdict.VULNERABLE: "vulnerable",
    Verdict.NEVER: "never come back",
    Verdict.INVALID: "not valid",
    Verdict.UNKNOWN: "not played yet",
}


def headline(judged: Judged) -> str:
    """How many cells there are of each kind."""
    recovers, vulnerable, never = (
        judged.count(verdict) for verdict in (Verdict.RECOVERS, Verdict.VULNERABLE, Verdict.NEVER)
    )
    invalid = judged.count(Verdict.INVALID)
    also = f" {invalid} are not valid." if invalid else ""
    if split := _split(judged):
        also += f" In {split} the runs did not agree."
    return (
        f"Of {judged.sweep.cells} cells {recovers} recover, {vulnerable} are vulnerable and "
        f"{never} do not come back {within(judged.sweep)}.{also}"
    )


def _split(judged: Judged) -> str:
    """How many cells and probes are, if any."""
    found = (int(judged.split.sum()), "cell"), (judged.split_probes, "probe")
    return " and ".join(f"{number} {what}{'s' * (number > 1)}" for number, what in found if number)


def split_meaning(judged: Judged) -> str | None:
    """What the marks mean of cells of which the runs did not agree, if there are any."""
    if not judged.split.any():
        return None
    return (
        "the same, but the runs of the cell did not agree: other seeds may say otherwise, and more "
        "--runs or --find tell more"
    )


def against_order(judged: Judged) -> str | None:
    """That larger was not always worse, where it was not."""
    count = int(judged.against_order.sum())
    if not count:
        return None
    cells = "1 cell does" if count == 1 else f"{count} cells do"
    return (
        f"{cells} not come back though a larger trigger passes: by chance near an edge, or there "
        "is no one edge."
    )


def incomplete(judged: Judged) -> str | None:
    """What is missing, where anything is."""
    if judged.whole:
        return None
    return (
        f"{len(judged.played)} of {judged.sweep.size} cells and probes are played: what recovers "
        "may still turn out to be vulnerable."
    )
