"""The layers of a chart of offered load, by attempt number: for page and pictures alike."""

from collections.abc import Sequence

from reports.measuring.recovery import Drawn
from reports.reading.series import Floats
from reports.rendering.palette import LIGHT
from reports.summary import Report

LAYERS = tuple(LIGHT)
LAYER_NAMES = (
    "attempts of unknown number",
    "first attempts",
    "1st retries",
    "2nd retries",
    "3rd retries",
    "later retries",
)


def layers_of(drawn: Drawn) -> dict[str, Floats]:
    """The layers that hold any attempt, from the bottom up, in attempts per second."""
    rows = drawn.by_attempt_per_s
    last = len(LAYERS) - 1
    stacked = [*rows[:last], rows[last:].sum(axis=0)]
    return {name: row for name, row in zip(LAYERS, stacked, strict=False) if row.any()}


def legend(report: Report) -> Sequence[tuple[str, str]]:
    """Name and title of every layer that occurs in any chart, from the bottom up."""
    used = {name for policy in report.policies for name in layers_of(policy.drawn)}
    return [(name, label) for name, label in zip(LAYERS, LAYER_NAMES, strict=True) if name in used]
