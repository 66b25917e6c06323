"""What is drawn over the load of a whole run: every trigger, and when the lane was over it."""

from collections.abc import Sequence

from reports.measuring.recovery import Episode, Recovery
from reports.measuring.repeated import relapses
from reports.reading.series import Floats
from reports.rendering import words
from reports.rendering.marks import WHOLE, Panels, disturbances, end_color, operator_labels, row_y
from reports.rendering.palette import MARKS
from reports.rendering.strokes import Mark, band, label, pen

FOOT_ROW = 2.2
"""The marks of settled end this many rows of labels below the top, where no load is drawn."""
MOST_LABELS = 12
"""As many numbers as stand beside each other on a telephone."""


def shapes(policy: Recovery, panels: Panels) -> list[Mark]:
    """Triggers and relapses as bands; a line where the lane had settled, or was given up."""
    found = disturbances(policy, panels)
    found += [
        {**band(event, MARKS["relapse"]), **WHOLE, "layer": "below"} for event in relapses(policy)
    ]
    for episode in policy.episodes:
        trigger, after = episode.figures.trigger, episode.figures.after
        if trigger is None or after is None or after.too_soon:
            continue
        x = trigger.end_s + after.marked_s
        line = pen(2, end_color(after))
        # Above all load: over an hour a storm is no wider than the line would be.
        ends = {"y0": row_y(FOOT_ROW, panels), "y1": row_y(1, panels)}
        found.append({**WHOLE, **ends, "type": "line", "line": line, "x0": x, "x1": x})
    return found


def labels(policy: Recovery, panels: Panels) -> list[Mark]:
    """The triggers by number, of many every few; those that the lane was not over are marked."""
    every = max(1, -(-len(policy.episodes) // MOST_LABELS))
    shown = policy.episodes[::every]
    found = [mark for one in shown for mark in _numbered(one, panels)]
    found += operator_labels(policy, panels)
    t_s = policy.drawn.t_s
    capacity = label(f"capacity {words.rate(policy.capacity_per_s)}", _last(t_s), 0, "right", 0.65)
    at = {"y": policy.capacity_per_s, "yref": "y", "yanchor": "bottom", "xshift": 0}
    return [*found, {**capacity, **at}]


def _numbered(episode: Episode, panels: Panels) -> Sequence[Mark]:
    trigger, after = episode.figures.trigger, episode.figures.after
    if trigger is None:
        return ()
    middle_s = (trigger.start_s + trigger.end_s) / 2
    mark = {**label(f"{episode.number}", middle_s, row_y(0, panels), "center"), "xshift": 0}
    if after is not None and after.lost:
        mark["font"] = {"weight": 700, "color": MARKS["lost"]}
    return (mark,)


def _last(t_s: Floats) -> float:
    return float(t_s[-1]) if t_s.size else 0.0
