"""One scenario with many seeds: how every figure is distributed, and how sure that is."""

from loadtests.simulation.distribution.figures import FIGURES, Figure
from loadtests.simulation.distribution.summary import (
    Distribution,
    LaneDistribution,
    Run,
    Spread,
    summarise,
)

__all__ = [
    "FIGURES",
    "Distribution",
    "Figure",
    "LaneDistribution",
    "Run",
    "Spread",
    "summarise",
]
