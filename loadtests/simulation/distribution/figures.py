"""The figures of a run of which a distribution is made, and how each is written."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from loadtests.simulation.measured import Measured
from reports.rendering import words


@dataclass(frozen=True, slots=True)
class Figure:
    """One of them: its name in files, its title in tables, how it is had and how written.

    `of` gives infinity for what did not come about while it was watched, and None where there is
    nothing to measure.
    """

    name: str
    title: str
    of: Callable[[Measured], float | None]
    written: Callable[[float], str]


def _time(
    found: Callable[[Measured], float | None],
) -> Callable[[Measured], float | None]:
    """What did not come about took longer than all that did: a quantile must not leave it out."""

    def of(measured: Measured) -> float | None:
        if not measured.observed_s:
            return None  # nothing disturbed this lane
        found_s = found(measured)
        return math.inf if found_s is None else found_s

    return of


TIMES = (
    Figure("first_fit_s", "first fit", _time(lambda run: run.first_fit_s), words.seconds),
    Figure("settled_s", "settled", _time(lambda run: run.back_s), words.seconds),
    Figure("goodput_back_s", "goodput back", _time(lambda run: run.goodput_back_s), words.seconds),
)
"""Seconds after the end of the last disturbance."""


def _count(value: float) -> str:
    """``46,649``, and ``46.6 M`` where nobody reads the digits."""
    return words.count(value) if value < 1e7 else f"{value / 1e6:,.1f} M"


def _rate(per_s: float) -> str:
    """``100/s``, likewise."""
    return words.rate(per_s) if per_s < 1e7 else f"{per_s / 1e6:,.1f} M/s"


COSTS = (
    Figure("peak_per_s", "peak load", lambda run: run.peak_per_s, _rate),
    Figure("attempts", "attempts", lambda run: run.attempts, _count),
    Figure("amplification", "amplification", lambda run: run.amplification, words.factor),
    Figure("failed", "failed", lambda run: run.failed, _count),
    Figure("failed_share", "failed, share", lambda run: run.failed_share, "{:.2%}".format),
    Figure("storm_attempts", "storm", lambda run: run.storm_attempts, _count),
    Figure("relapses", "relapses", lambda run: run.relapses, words.count),
)
UNANSWERED = (
    Figure("unanswered", "unanswered", lambda run: run.unanswered, _count),
    Figure(
        "unanswered_share", "unanswered, share", lambda run: run.unanswered_share, "{:.2%}".format
    ),
)
"""Requests that had neither failed nor succeeded at the end: told only where there are any."""
FIGURES = (*TIMES, *COSTS, *UNANSWERED)
SETTLED = TIMES[1]


def written(figure: Figure, value: float | None, observed_s: float) -> str:
    """A value of the figure as people read it: ``> 30 s`` for what did not come about."""
    if value is None:
        return words.NOT_MEASURED
    return words.beyond(observed_s) if math.isinf(value) else figure.written(value)
