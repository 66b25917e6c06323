"""What page and pictures have alike: layers of offered load, by attempt number, and how high."""

from collections.abc import Iterable, Sequence

from reports.measuring.recovery import Drawn, Recovery
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


def legend(lanes: Iterable[Recovery]) -> Sequence[tuple[str, str]]:
    """Name and title of every layer that occurs in any of them, from the bottom up."""
    used = {name for lane in lanes for name in layers_of(lane.drawn)}
    return [(name, label) for name, label in zip(LAYERS, LAYER_NAMES, strict=True) if name in used]


def highest_per_s(report: Report) -> float:
    """The highest load or capacity of any lane: all charts of a run have one scale."""
    return max([1.0, *(max(one.peak_per_s, one.capacity_per_s) for one in report.policies)])


def longest_queue(report: Report) -> int:
    """The longest queue of any lane, for the queue's axis in all charts."""
    return max((one.service.longest_queue for one in report.policies), default=0)
