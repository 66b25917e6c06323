"""What is said of a sweep, in the terminal as on its page."""

from collections.abc import Mapping

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
    return (
        f"Of {judged.sweep.cells} cells {recovers} recover, {vulnerable} are vulnerable and "
        f"{never} do not come back {within(judged.sweep)}.{also}"
    )


def incomplete(judged: Judged) -> str | None:
    """What is missing, where anything is."""
    if judged.whole:
        return None
    return (
        f"{len(judged.played)} of {judged.sweep.size} cells and probes are played: what recovers "
        "may still turn out to be vulnerable."
    )
