"""Sweeps and outcomes that tests make up."""

from loadtests.overrides import Flags, Values
from loadtests.simulation.engines import Engine
from loadtests.simulation.sweep.cells import Played
from loadtests.simulation.sweep.checking import plan
from loadtests.simulation.sweep.plan import Sweep

SHORT: Values = {
    "name": "short",
    "warm_up": "2s",
    "observation": "8s",
    "policies": [{"name": "no-retry"}, {"name": "full-jitter"}],
}
"""A scenario of the reject model that is played in a few milliseconds."""


def sweep_of(*axes: str, values: Values = SHORT, runs: int = 3) -> Sweep:
    """A sweep over these axes."""
    return plan(values, axes, Flags(), runs, Engine.AUTO)


def played(recovered: int, runs: int = 3) -> Played:
    """A cell of which so many runs recovered."""
    settled = (1.5,) * recovered + (None,) * (runs - recovered)
    return Played(settled, (0.25,) * runs)
