"""Do the counts of clients, gateways and target agree with each other?"""

from collections.abc import Iterator

import numpy as np

from reports.folding.phases import Phases, between, concerns
from reports.folding.windows import window_ticks
from reports.measuring.settling import above
from reports.reading.series import Bins, Counts, LaneSeries, RunRecord
from reports.text import names_of

HOLDING = frozenset({"hang", "latency"})
"""Faults that hold up admitted attempts: that is what they are for."""


def adds_up(record: RunRecord) -> Iterator[str]:
    """The target's own counts: what was offered was turned away or admitted, and so on.

    In every tick offered = turned away + admitted, and what is in flight grows by admitted -
    completed - abandoned. Records that do not say what is in flight are not asked.
    """
    wrong = {lane.lane: _wrong_ticks(lane) for lane in record.lanes if lane.accounted}
    wrong = {name: count for name, count in wrong.items() if count}
    if wrong:
        yield (
            f"the target's counts do not add up in {max(wrong.values())} ticks "
            f"of {names_of(list(wrong))}"
        )


def _wrong_ticks(lane: LaneSeries) -> int:
    wrong = lane.offered != lane.turned_away + lane.admitted
    wrong |= (lane.blocked > lane.turned_away) | (lane.shed + lane.failed > lane.completed)
    flow = lane.admitted - lane.completed - lane.abandoned
    # After a gap, and in a lane's first tick, it is not known what was in flight before.
    known = ~lane.missing[1:] & ~lane.missing[:-1] & (np.cumsum(lane.offered)[:-1] > 0)
    wrong[1:] |= known & (np.diff(lane.in_flight) != flow[1:])
    return int(wrong.sum())


def clients_add_up(record: RunRecord) -> Iterator[str]:
    """The clients' own counts: of the requests due in a bin no more ended than there were."""
    wrong = [lane.lane for lane in record.lanes if _more_ended(lane.bins)]
    if wrong:
        yield (
            f"the clients' counts do not add up: more requests ended than were due "
            f"in {names_of(wrong)}"
        )


def _more_ended(bins: Bins) -> bool:
    return bool((sum(bins.failed.values(), bins.succeeded) > bins.issued).any())


def strangers(record: RunRecord, phases: Phases) -> Iterator[str]:
    """What the clients sent is not what arrived: whose storm is it then?

    It arrives at the target, or at the first gateway before it. Others may load the same lane, or
    attempts may never have arrived. A fiftieth is allowed, or twenty: attempts are counted when
    their request was due, and ticks when they arrived. The clients of an opaque lane count none.
    """
    if record.end is None:
        return  # counts reach a record a second after ticks do: the last ones are not there
    found = {"the target": "", "the first gateway": ""}
    ticks = between(record.t_s, 0.0, phases.end_s, record.tick_s)
    for lane in record.lanes:
        where, arrived = _first_stop(record, lane)
        due = between(lane.bins.t_s, 0.0, phases.end_s, record.tick_s)
        sent, offered = int(lane.bins.attempts[due].sum()), int(arrived[ticks].sum())
        asked = lane.bins.issued.any() and not lane.opaque
        if asked and abs(sent - offered) > max(20, 0.02 * offered):
            comma = ", " if found[where] else ""
            found[where] += f"{comma}{offered:,} instead of {sent:,} in {names_of([lane.lane])}"
    for where, what in found.items():
        if what:
            yield f"{where} metered other attempts than the clients sent: {what}"


def _first_stop(record: RunRecord, lane: LaneSeries) -> tuple[str, Counts]:
    """Where the clients' attempts arrive, and how many in each tick."""
    layers = record.layers_of(lane.lane)
    return ("the first gateway", layers[0].offered) if layers else ("the target", lane.offered)


def disturbed(record: RunRecord, phases: Phases) -> Iterator[str]:
    """A lane that was not overloaded itself, and whose admitted attempts were held up all the same.

    What is admitted and neither completed nor waiting is being worked on: at most what was before,
    and one tick's capacity more. A lane whose queue was not empty within a second is busy by
    itself, and after a fault that holds answers back no lane is asked.
    """
    if len(record.lanes) < 2:
        return
    before = between(record.t_s, phases.observe_from_s, phases.first_s, record.tick_s)
    held_up = [lane.lane for lane in record.lanes if _held_up(record, phases, lane, before)]
    if held_up:
        yield f"lanes disturbed each other: admitted attempts were held up in {names_of(held_up)}"


def _held_up(record: RunRecord, phases: Phases, lane: LaneSeries, before: slice) -> bool:
    held_s = [
        fault.start_s
        for fault in phases.disturbances
        if fault.type in HOLDING and concerns(fault, lane.lane)
    ]
    until_s = min([phases.end_s, *held_s])
    after = between(record.t_s, phases.first_s, until_s, record.tick_s)
    if lane.accounted:
        under_way = lane.in_flight - lane.queue
    else:
        under_way = np.cumsum(lane.admitted - lane.completed - lane.abandoned) - lane.queue
    usual = int(under_way[before].max(initial=0))
    behind = under_way > usual + np.ceil(lane.capacity)
    idle = ~above(lane.offered, lane.capacity) & ~_lately(lane.queue > 0, record.tick_s)
    return bool((behind & idle)[after].any())


def _lately(what: "np.typing.NDArray[np.bool_]", tick_s: float) -> "np.typing.NDArray[np.bool_]":
    """Where `what` was true within the last second."""
    width = window_ticks(tick_s) + 1
    return np.convolve(what, np.ones(width))[: what.size] > 0
