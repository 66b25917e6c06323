"""One scenario with many seeds: how every figure is distributed, and how sure that is."""

from loadtests.simulation.distribution.summary import Distribution, Run, summarise

__all__ = ["Distribution", "Run", "summarise"]
