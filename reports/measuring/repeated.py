"""What is shown of a lane whose trigger was repeated: the whole run, and one upon the other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reports.folding.trigger import Event
from reports.measuring.catalogue import MEASURES
from reports.measuring.downsampling import drawn_ticks
from reports.measuring.measure import Measure, Part
from reports.measuring.recovery import Drawn, Episode, Recovery
from reports.reading.series import Floats

MOST_ALIGNED = 150
"""Ticks drawn of each trigger where all stand in one chart."""
ROOM = 1.25
CALM_S = 3.0


@dataclass(frozen=True)
class Aligned:
    """The load around one trigger of several, in seconds after its end."""

    episode: Episode
    t_s: Floats
    offered_per_s: Floats
    capacity_per_s: Floats


def counted_over_run(lanes: Iterable[Recovery]) -> tuple[Measure, ...]:
    """The measures that need no trigger: of a lane as a whole they are counted over the run.

    Those of the service only where it did anything but turn away and complete.
    """
    lanes = tuple(lanes)
    eventful = any(lane.service.eventful for lane in lanes)
    bare = [replace(lane, trigger=None, after=None, cost=None) for lane in lanes]
    return tuple(
        one
        for one in MEASURES
        if any(one.of(lane) is not None for lane in bare)
        and (eventful or one.part is not Part.SERVICE)
    )


def in_run_time(lane: Recovery) -> Drawn:
    """What is drawn of a lane, by seconds of the run instead of seconds after its last trigger.

    Of what was measured after that trigger nothing may be drawn over it.
    """
    drawn = lane.drawn
    origin_s = drawn.origin_s

    def moved(events: Sequence[Event]) -> tuple[Event, ...]:
        return tuple(
            replace(one, start_s=one.start_s + origin_s, end_s=one.end_s + origin_s)
            for one in events
        )

    return replace(
        drawn,
        t_s=drawn.t_s + origin_s,
        faults=moved(drawn.faults),
        actions=moved(drawn.actions),
        origin_s=0.0,
    )


def relapses(lane: Recovery) -> tuple[Event, ...]:
    """Those after any of its triggers, by seconds of the run."""
    return tuple(
        Event("relapse", "", trigger.end_s + wave.start_s, trigger.end_s + wave.end_s)
        for episode in lane.episodes
        if (trigger := episode.figures.trigger) and (after := episode.figures.after)
        for wave in after.relapses
    )


def window_s(lanes: Iterable[Recovery]) -> tuple[float, float]:
    """What all triggers of all lanes are shown in: from before them until all have settled.

    Of one that did not recover all is shown only where none did: else it would hide the others.
    """
    figures = [one.figures for lane in lanes for one in lane.episodes]
    lengths_s = [one.trigger.length_s for one in figures if one.trigger]
    afters = [one.after for one in figures if one.after]
    settled_s = [one.settled_s for one in afters if one.recovered and one.settled_s is not None]
    longest_s = max((one.observed_s for one in afters), default=CALM_S)
    until_s = ROOM * max(settled_s) + CALM_S if settled_s else longest_s
    return -max(lengths_s, default=0.0) - CALM_S, min(until_s, longest_s)


def aligned(lane: Recovery, window: tuple[float, float]) -> tuple[Aligned, ...]:
    """The load of a lane around each of its triggers, few ticks of it and all its peaks."""
    drawn, found = in_run_time(lane), []
    offered = drawn.by_attempt_per_s.sum(axis=0)
    for episode in lane.episodes:
        trigger, after = episode.figures.trigger, episode.figures.after
        if trigger is None or after is None:
            continue
        ends_s = (window[0], min(window[1], after.observed_s))
        first, last = np.searchsorted(drawn.t_s, [trigger.end_s + end for end in ends_s])
        own = slice(int(first), int(last))
        kept = drawn_ticks(
            [offered[own]], [offered[own]], [drawn.capacity_per_s[own]], MOST_ALIGNED
        )
        found.append(
            Aligned(
                episode,
                drawn.t_s[own][kept] - trigger.end_s,
                offered[own][kept],
                drawn.capacity_per_s[own][kept],
            )
        )
    return tuple(found)
