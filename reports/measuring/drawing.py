"""What is drawn of a lane, and the same second by second."""

from dataclasses import replace

import numpy as np

from reports.folding.phases import between, concerns
from reports.folding.trigger import event_of
from reports.folding.view import View
from reports.measuring.recovery import Drawn, Second

SECONDS_BEFORE = 5
SECONDS_AFTER = 60
NO_TIME_S = 1e-6


def drawn_of(view: View, origin_s: float) -> Drawn:
    """The series and marks of one lane, in seconds after `origin_s`."""
    lane, ticks, tick_s = view.lane, view.run, view.tick_s
    record = view.record
    actions = [a for a in record.actions if concerns(a, lane.lane) and a.end_s > a.start_s]
    acted = np.zeros(record.t_s.size, np.bool_)
    for action in actions:
        acted[view.ticks(action.start_s, action.end_s)] = True
    through = np.where(acted, lane.offered - lane.blocked, np.nan)
    return Drawn(
        t_s=record.t_s[ticks] - origin_s,
        by_attempt_per_s=lane.by_attempt[:, ticks] / tick_s,
        capacity_per_s=lane.capacity[ticks] / tick_s,
        let_through_per_s=through[ticks] / tick_s,
        queue=lane.queue[ticks].astype(np.float64),
        seconds=_each_second(view, origin_s),
        faults=tuple(
            event_of(fault, origin_s) for fault in (view.phases.disturbances if view.phases else ())
        ),
        actions=tuple(event_of(action, origin_s) for action in actions),
        origin_s=origin_s,
    )


def around(drawn: Drawn, from_s: float, until_s: float) -> Drawn:
    """What is drawn from one time to another, and nothing else kept; no seconds, which are words'.

    A tick that is under way at `from_s` is in it.
    """
    first = max(0, int(np.searchsorted(drawn.t_s, from_s + NO_TIME_S, side="right")) - 1)
    ticks = slice(first, int(np.searchsorted(drawn.t_s, until_s - NO_TIME_S)))
    return replace(
        drawn,
        t_s=drawn.t_s[ticks].copy(),
        by_attempt_per_s=drawn.by_attempt_per_s[:, ticks].copy(),
        capacity_per_s=drawn.capacity_per_s[ticks].copy(),
        let_through_per_s=drawn.let_through_per_s[ticks].copy(),
        queue=drawn.queue[ticks].copy(),
        seconds=(),
    )


def _each_second(view: View, origin_s: float) -> tuple[Second, ...]:
    """Whole seconds counted from the origin: a few before it, and up to a minute after."""
    lane, ticks, tick_s = view.lane, view.run, view.tick_s
    found = []
    for second in range(-SECONDS_BEFORE, SECONDS_AFTER):
        start_s = origin_s + second
        own = between(view.record.t_s[ticks], start_s, start_s + 1, tick_s)
        # Of ticks longer than two seconds none may have its middle in this one.
        if own.stop == own.start or (own.stop - own.start) * tick_s < 1 - tick_s / 2:
            continue
        place = slice(ticks.start + own.start, ticks.start + own.stop)
        offered = float(lane.offered[place].mean()) / tick_s
        first = float(lane.first_attempts[place].mean()) / tick_s
        capacity = float(lane.capacity[place].mean()) / tick_s
        queue = int(lane.queue[place][-1])
        found.append(Second(float(second), first, offered - first, offered, capacity, queue))
    return tuple(found)
