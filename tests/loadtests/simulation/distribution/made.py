"""Runs with figures that are made up."""

from collections.abc import Iterable

from loadtests.simulation.distribution import Distribution, Run, summarise
from loadtests.simulation.engines import Chosen, Engine
from loadtests.simulation.measured import Measured

CHOSEN = Chosen(Engine.EVENTS, "as asked")


def lane(
    settled_s: float | None = 1.0, name: str = "a", observed_s: float = 30.0, unanswered: int = 0
) -> Measured:
    """A lane that settled then, or not."""
    return Measured(
        lane=name,
        policy="full-jitter",
        peak_per_s=120.0,
        attempts=1100,
        requests=1000,
        failed=50,
        unanswered=unanswered,
        first_fit_s=settled_s if observed_s else None,
        settled_s=settled_s if observed_s else None,
        recovered=settled_s is not None,
        goodput_back_s=settled_s if observed_s else None,
        storm_attempts=10.0,
        relapses=0,
        observed_s=observed_s,
    )


def distribution(runs: Iterable[Run], planned: int | None = None) -> Distribution:
    """Of these runs."""
    listed = list(runs)
    return summarise("made", {"name": "made"}, CHOSEN, planned or len(listed), listed)


def settled(*times_s: float | None) -> Distribution:
    """Of runs that settled then."""
    return distribution(Run(seed, (lane(time_s),)) for seed, time_s in enumerate(times_s))
