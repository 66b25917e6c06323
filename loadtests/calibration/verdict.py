"""What a calibration found. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class Finding(StrEnum):
    """How it ended."""

    SATURATED = "saturated"
    """Goodput stopped growing and stayed there."""
    COLLAPSES = "collapses"
    """Goodput falls when more is offered: the capacity is where that begins."""
    SLOWS = "slows"
    """Latency breaks its bound before goodput stops growing."""
    AT_LEAST = "at-least"
    """The target kept up with the ceiling."""
    GENERATOR = "generator"
    """The generator was the limit, not the target."""
    FAILING = "failing"
    """The target fails at the lightest load."""
    NOT_RECOVERED = "not-recovered"
    """The target did not come back after a step, so it was not loaded further."""
    UNSTABLE = "unstable"
    """Measurements contradict each other."""
    OUT_OF_TIME = "out-of-time"
    INTERRUPTED = "interrupted"


TRUSTED = (Finding.SATURATED, Finding.COLLAPSES, Finding.SLOWS, Finding.AT_LEAST)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, or why there is none; all rates per second.

    `capacity_per_s` lies between `low_per_s` and `high_per_s` with 95% confidence; `give_per_s` is
    what to give as ``--capacity``: the target was seen to keep up with it, within the latency
    bound. `kept_up_per_s` is the highest rate up to which it kept up with every one,
    most of the times that it was offered.
    """

    finding: Finding
    reason: str
    kept_up_per_s: float | None = None
    capacity_per_s: float | None = None
    low_per_s: float | None = None
    high_per_s: float | None = None
    give_per_s: float | None = None

    @property
    def trusted(self) -> bool:
        """There is an answer."""
        return self.finding in TRUSTED
