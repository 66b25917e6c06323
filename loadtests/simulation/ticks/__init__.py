"""The ticks engine: whole ticks at a time, by counts instead of requests."""

from loadtests.simulation.ticks.plan import IN_ORDER, why_not
from loadtests.simulation.ticks.playing import play_lane

__all__ = ["IN_ORDER", "play_lane", "why_not"]
