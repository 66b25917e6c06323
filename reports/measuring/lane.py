"""Puts the result of one lane of a run together."""

from dataclasses import fields

from reports.folding.phases import find_phases
from reports.folding.view import View
from reports.measuring.drawing import drawn_of
from reports.measuring.episodes import episodes_of
from reports.measuring.figures import figures_of
from reports.measuring.recovery import Figures, Recovery
from reports.measuring.stack import Stacks, stack_of
from reports.reading.series import LaneSeries, RunRecord
from reports.text import clipped


def view_of(record: RunRecord, lane: LaneSeries, *, going_on: bool = False) -> View:
    """The lane, and where in the record its phases lie."""
    return View(record, lane, find_phases(record, lane.lane), going_on=going_on)


def recovery_of(record: RunRecord, lane: LaneSeries, *, going_on: bool = False) -> Recovery:
    """Measure one lane: as a whole, each of its triggers, and what is drawn.

    `going_on`: the run is not over.
    """
    view = view_of(record, lane, going_on=going_on)
    phases = view.phases
    figures = figures_of(view)
    return Recovery(
        **{field.name: getattr(figures, field.name) for field in fields(Figures)},
        title=title_of(record, lane),
        describe=lane.describe,
        stacks=_stacks(view),
        drawn=drawn_of(view, phases.over_s if phases else record.header.observe_from_s),
        episodes=episodes_of(view, figures),
    )


def title_of(record: RunRecord, lane: LaneSeries) -> str:
    """The policy, and the lane where that has another name; or the lane alone if all are alike.

    A lane's name may begin with that of its policy. What nobody would read to its end is clipped.
    """
    alike = len(record.lanes) > 1 and len({one.policy for one in record.lanes}) == 1
    if alike or lane.lane == lane.policy or lane.lane.startswith(f"{lane.policy}:"):
        return clipped(lane.lane)
    return f"{clipped(lane.policy)} ({clipped(lane.lane)})"


def _stacks(view: View) -> Stacks | None:
    """`None` for a lane that passes no gateway."""
    layers = view.record.layers_of(view.lane.lane)
    if not layers:
        return None
    phases = view.phases
    inside = None
    if phases:
        # The first half is left to the layers, to get all their retries under way.
        middle_s = phases.start_s + phases.length_s / 2
        inside = view.ticks(middle_s, min(phases.over_s, phases.end_s))
    return Stacks(
        in_trigger=stack_of(view.lane, layers, inside) if inside else None,
        over_run=stack_of(view.lane, layers, view.run),
    )
