"""The flags of a search for a tipping point, which `aftershock sweep` does in place of a map."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

from aftershock_units import parse_named, parse_share
from loadtests.scenario import ScenarioError
from loadtests.simulation.sweep.given import Given

TIPPING_POINT = "tipping-point"
CONFIDENCE = "95%"


@dataclass(frozen=True, slots=True)
class SearchFlags:
    """As they were said; None: not at all. The last two are those of a map, too."""

    find: str | None
    along: str | None
    confidence: str | None
    vary: Sequence[str]
    runs: int | None

    def wanted(self) -> bool:
        """Whether a search is. Raises `ScenarioError` for what none can do, nor a map."""
        if self.find is None:
            if self.along is not None or self.confidence is not None:
                flag = "--confidence" if self.along is None else "--along"
                raise ScenarioError(f"{flag} is for --find {TIPPING_POINT}: expected both or none")
            return False
        if self.find != TIPPING_POINT:
            raise ScenarioError(f"--find: {self.find!r} is none: expected {TIPPING_POINT}")
        if self.along is None or self.vary:
            raise ScenarioError(
                f"--find {TIPPING_POINT} needs --along PATH, as in dip.for, and goes without --vary"
            )
        return True


def search(given: Given, flags: SearchFlags, errors: Console, *, as_json: bool) -> int:
    """Search as is wanted, and print what was found; returns the exit code."""
    # Here and not above: a map needs nothing of it.
    from loadtests.simulation.tipping.find import MOST_RUNS, run_find  # noqa: PLC0415

    return run_find(
        given,
        along=flags.along or "",
        confidence=parse_named("--confidence", parse_share, flags.confidence or CONFIDENCE),
        most_runs=MOST_RUNS if flags.runs is None else flags.runs,
        console=Console(),
        errors=errors,
        as_json=as_json,
    )
