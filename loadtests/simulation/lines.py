"""A simulated run as the lines of a record, like that of a live run."""

from collections.abc import Iterator, Sequence

from loadtests.simulation.metered import METERED, PlayedLane, Simulated
from reports.record import LayerTick, Line, Requests, Tick


def lines_of(run: Simulated) -> Iterator[Line]:
    """The lines of its record, in the order of time."""
    yield run.header
    yield from run.faults
    yield from run.actions
    ticks = run.lanes[0].metered.capacity_per_s.size
    rows = [_Rows(lane) for lane in run.lanes]
    for seq in range(ticks):
        t_s = round(seq * run.header.tick_s, 6)
        for row in rows:
            yield row.tick(seq, t_s)
        for row in rows:
            yield from row.layers(seq, t_s)
        for row in rows:
            if (requests := row.requests(seq, t_s)) is not None:
                yield requests
    yield run.end


class _Rows:
    """One lane as plain numbers, tick by tick: numpy's own are slow to take one by one."""

    def __init__(self, played: PlayedLane) -> None:
        metered, clients = played.metered, played.clients
        self.lane = played.lane.lane
        self.counts = {name: getattr(metered, name).T.tolist() for name in METERED}
        self.capacity = metered.capacity_per_s.tolist()
        self.queue, self.in_flight = metered.queue.tolist(), metered.in_flight.tolist()
        self.issued, self.succeeded = clients.issued.tolist(), clients.succeeded.tolist()
        self.attempts = clients.attempts.tolist()
        self.failed = {reason: counts.tolist() for reason, counts in clients.failed.items()}
        self.latency: dict[int, dict[int, int]] = {}
        for tick, bucket, count in clients.latency.tolist():
            self.latency.setdefault(tick, {})[bucket] = count
        self.offered = [(layer.layer, layer.offered.T.tolist()) for layer in played.layers]

    def tick(self, seq: int, t_s: float) -> Tick:
        counts = {name: _cut(by_tick[seq]) for name, by_tick in self.counts.items()}
        return Tick(
            seq=seq,
            t_s=t_s,
            lane=self.lane,
            capacity_per_s=self.capacity[seq],
            queue=self.queue[seq],
            in_flight=self.in_flight[seq],
            **counts,
        )

    def layers(self, seq: int, t_s: float) -> Iterator[LayerTick]:
        for layer, offered in self.offered:
            yield LayerTick(seq, t_s, layer, self.lane, _cut(offered[seq]))

    def requests(self, seq: int, t_s: float) -> Requests | None:
        if not self.issued[seq]:
            return None
        found = Requests(t_s, self.lane, self.issued[seq], self.succeeded[seq])
        found.failed.update({why: by[seq] for why, by in self.failed.items() if by[seq]})
        found.attempts = self.attempts[seq]
        found.latency.update(self.latency.get(seq, {}))
        return found


def _cut(counts: Sequence[int]) -> list[int]:
    """Without the zeros at the end."""
    size = len(counts)
    while size and not counts[size - 1]:
        size -= 1
    return list(counts[:size])
