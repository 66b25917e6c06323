"""The ticks engine: whole ticks at a time, by counts instead of requests."""

from loadtests.simulation.ticks.playing import play_lane, why_not

__all__ = ["play_lane", "why_not"]
