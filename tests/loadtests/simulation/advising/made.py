"""Standings with figures made by hand."""

import math

from loadtests.scenario import choose_policy
from loadtests.simulation.advising.candidates import Candidate, Kind
from loadtests.simulation.advising.figures import Spread, Standing
from loadtests.simulation.advising.findings import Findings
from loadtests.simulation.advising.ranking import limit_of, rank

NEVER = math.inf


def candidate(text: str, kind: Kind, change: str = "", of: str = "") -> Candidate:
    """A policy by the text that `--policy` takes."""
    return Candidate(text, kind, choose_policy(text), change, of)


def stands(
    who: str | Candidate,
    settled: float | tuple[float, float, float],
    failed: float | tuple[float, float, float],
    *,
    kind: Kind = Kind.CATALOGUE,
    amplification: float = 1.1,
    goodput_s: float = 0.0,
) -> Standing:
    """A candidate with its median figures, or with (low, median, high)."""
    spread = _spread(settled)
    return Standing(
        candidate=candidate(who, kind) if isinstance(who, str) else who,
        engine="events",
        runs=20,
        recovered=0 if math.isinf(spread.median) else 20,
        settled=spread,
        unserved=_spread(failed),
        peak_per_s=100.0,
        amplification=amplification,
        goodput=_spread(goodput_s),
        observed_s=30.0,
        requests=5700,
    )


def _spread(value: float | tuple[float, float, float]) -> Spread:
    low, middle, high = value if isinstance(value, tuple) else (value, value, value)
    return Spread(middle, low, high)


NO_RETRY = stands("no-retry", 0.0, 0.04, kind=Kind.REFERENCE, amplification=1.0)


def have(
    text: str,
    settled: float | tuple[float, float, float],
    failed: float | tuple[float, float, float],
    **more: float,
) -> Standing:
    """What the scenario has."""
    return stands(text, settled, failed, kind=Kind.HAVE, **more)


def findings(
    *standings: Standing, failed: float | None = None, service: tuple[Standing, ...] = ()
) -> Findings:
    """The ranking of these, with no more asked than a limit."""
    limit = limit_of(standings, failed)
    return Findings(rank(standings, limit), service, limit, "the dip")
