"""Did the load generator and the target have the time to do what they were asked?"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reports.folding.histogram import merge
from reports.folding.phases import Phases, between
from reports.folding.windows import WINDOW_S
from reports.reading.series import RunRecord
from reports.record import SIMULATED, Health, bucket_of, bucket_upper, quantile
from reports.text import listed, noun

MAX_CPU = 0.95
MAX_SILENCE_S = 2.5
GENERATOR, TARGET, GATEWAY = "generator", "target", "gateway"


@dataclass(frozen=True)
class Vitals:
    """How the instrument did in the seconds that matter, from the first disturbance to the end.

    Lateness is the p99 of the worst second, in ms: of the generator's attempts, and of the target's
    event loop at its ticks, and of the gateways'. `None` where nothing was recorded.
    """

    generator_late_p99_ms: float | None
    generator_cpu_max: float | None
    target_late_p99_ms: float | None
    target_cpu_max: float | None
    gateway_late_p99_ms: float | None
    gateway_cpu_max: float | None


def vitals(record: RunRecord, phases: Phases | None) -> Vitals:
    """The health figures of the seconds that matter; of all seconds without a disturbance."""
    lines = _that_matter(record, phases)
    generator, target, gateway = (_of(lines, source) for source in (GENERATOR, TARGET, GATEWAY))
    return Vitals(
        generator_late_p99_ms=_p99_ms(generator),
        generator_cpu_max=max((line.cpu for line in generator), default=None),
        target_late_p99_ms=_p99_ms(target),
        target_cpu_max=max((line.cpu for line in target), default=None),
        gateway_late_p99_ms=_p99_ms(gateway),
        gateway_cpu_max=max((line.cpu for line in gateway), default=None),
    )


def overloaded(record: RunRecord, phases: Phases) -> Iterator[str]:
    """Generator and target had the time to do what they were asked. Virtual time always has."""
    if record.header.source == SIMULATED:
        return
    lines = _that_matter(record, phases)
    for source, what in (
        (GENERATOR, "attempts left late"),
        (TARGET, "the target's event loop was late"),
        (GATEWAY, "a gateway's event loop was late"),
    ):
        own = _of(lines, source)
        if own:
            yield from _silence(own, source, phases)
            yield from _busy(own, source)
            yield from _late(own, what, record.tick_s)
        elif source != GATEWAY:  # most runs have none
            yield f"the {source} recorded no health while it mattered"


def stalls(record: RunRecord, phases: Phases | None) -> str | None:
    """Where the generator or the target was late by enough to matter, in a sentence.

    Too little to make the result invalid, and enough to push what was due in several ticks into
    one: near its capacity a lane then turns some away, whose retries look like a small storm.
    """
    limit = bucket_of(_stall_s(record, phases) * 10_000)
    worst: dict[int, int] = {}
    for line in _that_matter(record, phases):
        latest = max(line.late, default=0)
        if latest > limit:
            second = int(line.t_s)
            worst[second] = max(worst.get(second, 0), latest)
    if not worst or phases is None:
        return None
    seconds = list(dict.fromkeys(f"{second - phases.over_s:+.0f} s" for second in sorted(worst)))
    return (
        f"{_who(record)} stalled, for up to "
        f"{bucket_upper(max(worst.values())) / 10:.0f} ms, at {listed(seconds, 5)} from the end of "
        f"the {noun(phases.trigger.type)}: a small wave just then is the stall's."
    )


def _who(record: RunRecord) -> str:
    if _of(list(record.health), GATEWAY):
        return "The load generator, a gateway or the target"
    return "The load generator or the target"


def _stall_s(record: RunRecord, phases: Phases | None) -> float:
    """How late is late: half a tick, or half of what the tightest lane has spare in a second.

    What is due in a stall comes at its end, and takes that much of the room there is for retries.
    """
    before = slice(None)
    if phases is not None:
        before = between(record.t_s, phases.observe_from_s, phases.first_s, record.tick_s)
    spare = [
        float(lane.capacity[before].mean() / lane.offered[before].mean()) - 1
        for lane in record.lanes
        if lane.offered[before].any()
    ]
    return max(0.001, min([record.tick_s / 2, *(share * WINDOW_S / 2 for share in spare)]))


def _that_matter(record: RunRecord, phases: Phases | None) -> list[Health]:
    """Health lines whose second overlaps the time from the first disturbance to the end."""
    if phases is None:
        return list(record.health)
    return [
        line
        for line in record.health
        if phases.first_s - 1 < line.t_s < phases.end_s - record.tick_s / 2
    ]


def _of(lines: list[Health], source: str) -> list[Health]:
    return [line for line in lines if line.source == source]


def _late_p99(lines: list[Health]) -> dict[int, int]:
    """The p99 of lateness in every second, over all workers, as its bucket."""
    seconds: dict[int, list[Health]] = {}
    for line in lines:
        seconds.setdefault(int(line.t_s), []).append(line)
    found = {}
    for second, own in seconds.items():
        late = merge(line.late for line in own)
        if (bucket := quantile(late, 0.99)) is not None:
            found[second] = bucket
    return found


def _p99_ms(lines: list[Health]) -> float | None:
    worst = max(_late_p99(lines).values(), default=None)
    return None if worst is None else bucket_upper(worst) / 10


def _silence(lines: list[Health], source: str, phases: Phases) -> Iterator[str]:
    """A worker that says nothing for seconds: nobody knows how it did in them."""
    workers: dict[str, list[float]] = {}
    for line in lines:
        workers.setdefault(line.worker, []).append(line.t_s)
    silence = max(
        float(np.diff([phases.first_s - 1, *sorted(times), phases.end_s]).max())
        for times in workers.values()
    )
    if silence > MAX_SILENCE_S:
        yield f"the {source} recorded no health for {silence:.1f} s while it mattered"


def _busy(lines: list[Health], source: str) -> Iterator[str]:
    busiest = max(lines, key=lambda line: line.cpu)
    seconds = len({int(line.t_s) for line in lines if line.cpu > MAX_CPU})
    if seconds:
        yield (
            f"the {source} had no CPU to spare in {seconds} s "
            f"(up to {busiest.cpu:.0%} of a core at {busiest.t_s:.0f} s)"
        )


def _late(lines: list[Health], what: str, tick_s: float) -> Iterator[str]:
    """More than a tick at the p99 of any second.

    Of any one, not over all: a stall of two ticks in a long run is far from its p99, and lets loose
    a burst that is a storm of its own at high utilisation. Compares buckets: exactly one tick late
    is not more than one.
    """
    seconds = _late_p99(lines)
    late = [second for second, bucket in seconds.items() if bucket > bucket_of(tick_s * 10_000)]
    if late:
        worst = max(late, key=lambda second: seconds[second])
        yield (
            f"{what} by more than a tick ({tick_s * 1000:g} ms) at p99 in {len(late)} s "
            f"(by {bucket_upper(seconds[worst]) / 10:.0f} ms at {worst} s)"
        )
