"""A long record from a seed: many lanes, a dip every few minutes, and a storm after each.

Its arrays are made at once, because a test has no time to read 150 MB; `lines_of` writes them for
who has. Lane i takes 1 + i / 2 s to settle, give or take; the tenth does not after dips 4 and 8.
"""

from collections.abc import Iterator

import numpy as np

from reports.reading.series import Bins, Counts, LaneSeries, RunRecord
from reports.record import End, Fault, Header, Health, Lane, Line, Requests, Tick, bucket_of

TICK_S = 0.1
CAPACITY = 10
"""Attempts a tick."""
DIP_CAPACITY = 2
DIP_S = 4.0
FIRST_DIP_S = 30.0
RETRIES = (6, 4, 3, 2)
"""Attempts a tick in a storm, by number from the second on."""
PEAK = 80
"""The most attempts of a tick: one in each lane, somewhere after the fifth dip."""
QUICK_MS, SLOW_MS = 20, 400


def big_record(lanes: int = 10, dips: int = 10, length_s: int = 3600, seed: int = 1) -> RunRecord:
    """A run with so many lanes and dips, every other lane with a queue."""
    ticks = round(length_s / TICK_S)
    every_s = (length_s - FIRST_DIP_S) / dips
    faults = tuple(
        Fault("dip", f"dip-{n + 1}", begin_s, begin_s + DIP_S, f"{DIP_CAPACITY / TICK_S:g}/s")
        for n in range(dips)
        for begin_s in [round(FIRST_DIP_S + n * every_s, 1)]
    )
    noise = np.random.default_rng(seed)
    names = [f"policy-{n}: 5 attempts" for n in range(lanes)]
    return RunRecord(
        header=Header(
            id="20261130-101500",
            name="an-hour",
            source="live",
            anchor_epoch_s=1796033700.0,
            tick_s=TICK_S,
            seed=seed,
            lanes=tuple(Lane(name, name, "up to 5 attempts, 1 s apart") for name in names),
            scenario={"name": "an-hour"},
            versions={"aftershock": "0.1.0"},
            planned_end_s=float(length_s),
        ),
        t_s=np.arange(ticks) / (1 / TICK_S),
        lanes=tuple(_lane(n, name, ticks, faults, noise) for n, name in enumerate(names)),
        layers=(),
        faults=faults,
        actions=(),
        health=tuple(_health(length_s)),
        end=End(float(length_s)),
        notes=(),
    )


def lines_of(record: RunRecord) -> Iterator[Line]:
    """The record as a run would have written it."""
    yield record.header
    yield from record.faults
    for tick in range(record.t_s.size):
        for lane in record.lanes:
            yield _tick(record, lane, tick)
            yield _requests(lane, tick)
    yield from record.health
    if record.end:
        yield record.end


def _lane(
    number: int, name: str, ticks: int, faults: tuple[Fault, ...], noise: np.random.Generator
) -> LaneSeries:
    capacity = np.full(ticks, CAPACITY)
    storming = np.zeros(ticks, np.bool_)
    for place, fault in enumerate(faults):
        begin, over = round(fault.start_s / TICK_S), round(fault.end_s / TICK_S)
        capacity[begin:over] = DIP_CAPACITY
        until = over + round((1 + number / 2) * noise.uniform(0.8, 1.2) / TICK_S)
        if number == 9 and place % 4 == 3 and place + 1 < len(faults):
            until = round(faults[place + 1].start_s / TICK_S)
        storming[begin:until] = True
    first = noise.poisson(6, ticks)
    retries = [noise.poisson(mean, ticks) * storming for mean in RETRIES]
    by_attempt = np.array([np.zeros(ticks, np.int64), first, *retries])
    highest = round(faults[min(4, len(faults) - 1)].end_s / TICK_S) + 3
    by_attempt[2, highest] += PEAK - by_attempt[:, highest].sum()
    offered = by_attempt.sum(axis=0)
    admitted, completed, queue = _served(offered, capacity, room=40 if number % 2 else 0)
    none = np.zeros(ticks, np.int64)
    return LaneSeries(
        lane=name,
        policy=name,
        describe="up to 5 attempts, 1 s apart",
        capacity=capacity.astype(np.float64),
        by_attempt=by_attempt,
        admitted=admitted,
        turned_away=offered - admitted,
        blocked=none,
        completed=completed,
        shed=none,
        failed=none,
        first_failed=none,
        abandoned=none,
        first_abandoned=none,
        queue=queue,
        in_flight=queue,
        accounted=True,
        missing=np.zeros(ticks, np.bool_),
        bins=_bins(first, offered, storming),
        opaque=False,
        issued=first,
    )


def _served(offered: Counts, capacity: Counts, room: int) -> tuple[Counts, Counts, Counts]:
    """What a queue with so much room admits, completes and holds at the end of each tick."""
    admitted, completed, held = (np.zeros(offered.size, np.int64) for _ in range(3))
    waiting = 0
    for tick, (came, able) in enumerate(zip(offered.tolist(), capacity.tolist(), strict=True)):
        admitted[tick] = min(came, able + room - waiting)
        completed[tick] = min(able, waiting + admitted[tick])
        waiting += int(admitted[tick] - completed[tick])
        held[tick] = waiting
    return admitted, completed, held


def _bins(first: Counts, offered: Counts, storming: "np.typing.NDArray[np.bool_]") -> Bins:
    """A third of what is due in a storm fails, and what does not is slow."""
    failed = np.where(storming, first // 3, 0)
    succeeded = first - failed
    places = np.flatnonzero(succeeded)
    buckets = np.where(storming[places], bucket_of(SLOW_MS), bucket_of(QUICK_MS))
    counts = succeeded[places]
    # Half of them a little later, where there are several.
    later = counts // 2
    rows = [
        (places, buckets, counts - later),
        (places[later > 0], buckets[later > 0] + 9, later[later > 0]),
    ]
    latency = np.concatenate([np.stack(columns, axis=1) for columns in rows])
    return Bins(
        t_s=np.arange(first.size) / (1 / TICK_S),
        issued=first,
        succeeded=succeeded,
        attempts=offered,
        failed={"turned away": failed},
        latency=latency[np.argsort(latency[:, 0], kind="stable")],
    )


def _health(length_s: int) -> Iterator[Health]:
    for second in range(length_s):
        for source in ("generator", "target"):
            line = Health(float(second), source, source, 0.4)
            line.late[bucket_of(10)] = 50
            yield line


def _tick(record: RunRecord, lane: LaneSeries, tick: int) -> Tick:
    def first(counts: Counts) -> list[int]:
        return [0, int(counts[tick])]

    return Tick(
        tick,
        float(record.t_s[tick]),
        lane.lane,
        float(lane.capacity[tick]) / TICK_S,
        lane.by_attempt[:, tick].tolist(),
        first(lane.admitted),
        first(lane.turned_away),
        first(lane.completed),
        [],
        int(lane.queue[tick]),
        in_flight=int(lane.in_flight[tick]),
    )


def _requests(lane: LaneSeries, tick: int) -> Requests:
    bins = lane.bins
    line = Requests(
        float(bins.t_s[tick]),
        lane.lane,
        int(bins.issued[tick]),
        int(bins.succeeded[tick]),
        attempts=int(bins.attempts[tick]),
    )
    if failed := int(bins.failed["turned away"][tick]):
        line.failed["turned away"] = failed
    first, last = np.searchsorted(bins.latency[:, 0], [tick, tick + 1])
    for _, bucket, count in bins.latency[first:last].tolist():
        line.latency[bucket] += count
    return line
