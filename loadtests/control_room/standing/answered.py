"""Whether requests are answered again after a trigger, by the rule of the report.

What the clients counted reaches us a second or two after what the target metered, so all of this is
of the requests that they have told of.
"""

import numpy as np

from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.standing.judgement import Memory
from reports.folding.phases import Phases, between
from reports.measuring.goodput import goodput_back
from reports.reading.series import Bins, Counts

NO_LATENCY = np.zeros((0, 3), np.int64)
"""It is not asked for."""


def bins_of(tally: ClientTally, lane: str) -> Bins | None:
    """What the clients of a lane saw in the newest run, as its record has it; None: nothing."""
    due = tally.due
    issued, succeeded, failed = due.kept(lane)
    if not any(issued):
        return None
    counts = np.array(issued, np.int64)
    return Bins(
        t_s=np.arange(due.oldest, due.newest + 1, dtype=np.float64) * due.width_s,
        issued=counts,
        succeeded=np.array(succeeded, np.int64),
        attempts=np.zeros_like(counts),
        failed={reason: np.array(number, np.int64) for reason, number in failed.items()},
        latency=NO_LATENCY,
    )


def bins_before(bins: Bins, phases: Phases, tick_s: float) -> Bins:
    """Those before the first disturbance."""
    return _cut(bins, between(bins.t_s, phases.observe_from_s, phases.first_s, tick_s))


def goodput_after(
    bins: Bins | None, known: Memory, phases: Phases, tick_s: float, *, ended: bool
) -> tuple[bool, bool]:
    """Whether goodput was back and stayed, and whether it is missing, as far as was told.

    `known` has what was before, and whether it was back when older bins were still kept.
    """
    if bins is None or known.bins is None:
        return False, False
    if known.goodput_back and float(bins.t_s[0]) > phases.over_s + tick_s:
        return True, False
    after = _cut(bins, between(bins.t_s, phases.over_s, phases.end_s, tick_s))
    if not (after.t_s.size or ended):
        return False, False  # nobody has told of it yet
    middle = known.bins.t_s.size
    both = _joined(known.bins, after)
    found = goodput_back(both, slice(0, middle), slice(middle, both.t_s.size), tick_s)
    if found is None:
        return False, False
    return found.back is not None, found.back is None and found.good_from is None


def _cut(bins: Bins, part: slice) -> Bins:
    return Bins(
        bins.t_s[part],
        bins.issued[part],
        bins.succeeded[part],
        bins.attempts[part],
        {reason: counts[part] for reason, counts in bins.failed.items()},
        NO_LATENCY,
    )


def _joined(one: Bins, other: Bins) -> Bins:
    def of(bins: Bins, reason: str) -> Counts:
        return bins.failed.get(reason, np.zeros(bins.t_s.size, np.int64))

    return Bins(
        np.concatenate((one.t_s, other.t_s)),
        np.concatenate((one.issued, other.issued)),
        np.concatenate((one.succeeded, other.succeeded)),
        np.concatenate((one.attempts, other.attempts)),
        {
            reason: np.concatenate((of(one, reason), of(other, reason)))
            for reason in {**one.failed, **other.failed}
        },
        NO_LATENCY,
    )
