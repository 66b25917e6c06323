"""Can the result be trusted? Each check answers with reasons in words; none means yes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reports.histogram import merge, quantile_bucket
from reports.phases import Phases, between
from reports.record import EARLY_END_S, Health, bucket_of, bucket_upper
from reports.series import LaneSeries, RunRecord
from reports.settling import HOLD_S, WINDOW_S, above, moving_mean, window_ticks

MAX_CPU = 0.95
MAX_HIGH_SHARE = 0.05
MAX_SILENCE_S = 2.5
GENERATOR, TARGET = "generator", "target"
NO_DIP = "no dip found: the record does not say that capacity was ever lowered"


@dataclass(frozen=True)
class Vitals:
    """How the instrument did in the seconds that matter, from the dip's start to the end.

    Lateness is the p99 of the worst second, in ms: of the generator's attempts, and of the target's
    event loop at its ticks. `None` where nothing was recorded.
    """

    generator_late_p99_ms: float | None
    generator_cpu_max: float | None
    target_late_p99_ms: float | None
    target_cpu_max: float | None


def vitals(record: RunRecord, phases: Phases | None) -> Vitals:
    """The health figures of the seconds that matter; of all seconds when there was no dip."""
    lines = _that_matter(record, phases)
    generator, target = _of(lines, GENERATOR), _of(lines, TARGET)
    return Vitals(
        generator_late_p99_ms=_p99_ms(generator),
        generator_cpu_max=max((line.cpu for line in generator), default=None),
        target_late_p99_ms=_p99_ms(target),
        target_cpu_max=max((line.cpu for line in target), default=None),
    )


def reasons(record: RunRecord, phases: Phases | None) -> tuple[str, ...]:
    """Why the result is not valid, each reason a clause; empty when it is."""
    if phases is None:
        return (NO_DIP, *_ticks_missing(record))
    return (
        *_cut_short(record, phases),
        *_ticks_missing(record),
        *_instrument(record, phases),
        *_strangers(record, phases),
        *_no_load(record, phases),
        *_high_before(record, phases),
        *_disturbed(record, phases),
    )


def _that_matter(record: RunRecord, phases: Phases | None) -> list[Health]:
    """Health lines whose second overlaps the time from the dip's start to the end."""
    if phases is None:
        return list(record.health)
    return [
        line
        for line in record.health
        if phases.first_dip_s - 1 < line.t_s < phases.end_s - record.tick_s / 2
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
        buckets, counts = np.array(list(late), np.int64), np.array(list(late.values()), np.int64)
        if (bucket := quantile_bucket(buckets, counts, 0.99)) is not None:
            found[second] = bucket
    return found


def _p99_ms(lines: list[Health]) -> float | None:
    worst = max(_late_p99(lines).values(), default=None)
    return None if worst is None else bucket_upper(worst) / 10


def _cut_short(record: RunRecord, phases: Phases) -> Iterator[str]:
    """The run ended before it was meant to, or too soon to tell."""
    planned = record.header.planned_end_s
    if record.end is None:
        yield f"the record breaks off {phases.end_s:.1f} s into the run: it has no end line"
    elif record.end.reason.startswith("error"):
        yield f"the run ended in an {record.end.reason[:200]}"
    elif planned is not None and record.end.t_s < planned - EARLY_END_S:
        yield f"the run was stopped at {record.end.t_s:.1f} s of {planned:.1f} s"
    needed = HOLD_S + WINDOW_S
    if phases.observed_s < needed - record.tick_s / 2:
        yield (
            f"only {phases.observed_s:.1f} s were observed after the dip; "
            f"to call a lane settled takes at least {needed:.0f} s"
        )


def _ticks_missing(record: RunRecord) -> Iterator[str]:
    """The target's meter has gaps, or never said anything."""
    if not record.t_s.size:
        yield "the record has no ticks: nothing was heard from the target"
        return
    silent = [lane.lane for lane in record.lanes if lane.missing.all()]
    if silent:
        yield f"no tick was recorded for {_names(silent)}"
    gaps = {lane.lane: int(lane.missing.sum()) for lane in record.lanes}
    gaps = {name: count for name, count in gaps.items() if count and name not in silent}
    if gaps:
        yield f"{max(gaps.values())} ticks are missing in {_names(list(gaps))}"
    if record.end is None:
        return  # the whole record stops there, which is said
    planned_s = record.header.planned_end_s
    end_s = record.end.t_s if planned_s is None else min(planned_s, record.end.t_s)
    last_s = float(record.t_s[-1]) + record.tick_s
    if last_s < end_s - 2 * record.tick_s:
        yield f"the ticks stop at {last_s:.1f} s, {end_s - last_s:.1f} s before the load did"


def _strangers(record: RunRecord, phases: Phases) -> Iterator[str]:
    """What the clients sent is not what the target metered: whose storm is it then?

    Others may load the same lane, or attempts may never have arrived. A fiftieth is allowed, or
    twenty: attempts are counted when their request was due, and ticks when they arrived. The
    clients of an opaque lane count none.
    """
    if record.end is None:
        return  # counts reach a record a second after ticks do: the last ones are not there
    found = []
    for lane in record.lanes:
        ticks = between(record.t_s, 0.0, phases.end_s, record.tick_s)
        due = between(lane.bins.t_s, 0.0, phases.end_s, record.tick_s)
        sent, offered = int(lane.bins.attempts[due].sum()), int(lane.offered[ticks].sum())
        if (
            lane.bins.issued.any()
            and not lane.opaque
            and abs(sent - offered) > max(20, 0.02 * offered)
        ):
            found.append(f"{offered:,} instead of {sent:,} in {_names([lane.lane])}")
    if found:
        yield f"the target metered other attempts than the clients sent: {', '.join(found[:3])}"


def _no_load(record: RunRecord, phases: Phases) -> Iterator[str]:
    """A lane that nobody loads recovers from anything."""
    before = between(record.t_s, phases.observe_from_s, phases.first_dip_s, record.tick_s)
    loaded = [lane for lane in record.lanes if lane.offered.any()]
    if record.lanes and not loaded:
        yield "there was no load"
    late = [lane.lane for lane in loaded if not lane.offered[before].any()]
    if late:
        yield f"there was no load before the dip in {_names(late)}"


def _instrument(record: RunRecord, phases: Phases) -> Iterator[str]:
    """Generator and target had the time to do what they were asked. Virtual time always has."""
    if record.header.source == "simulated":
        return
    lines = _that_matter(record, phases)
    for source, what in (
        (GENERATOR, "attempts left late"),
        (TARGET, "the target's event loop was late"),
    ):
        own = _of(lines, source)
        if not own:
            yield f"the {source} recorded no health while it mattered"
            continue
        yield from _silence(own, source, phases)
        yield from _busy(own, source)
        yield from _late(own, what, record.tick_s)


def _silence(lines: list[Health], source: str, phases: Phases) -> Iterator[str]:
    """A worker that says nothing for seconds: nobody knows how it did in them."""
    workers: dict[str, list[float]] = {}
    for line in lines:
        workers.setdefault(line.worker, []).append(line.t_s)
    silence = max(
        float(np.diff([phases.first_dip_s - 1, *sorted(times), phases.end_s]).max())
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
    places = ", ".join(f"{second - phases.dip_end_s:+.0f} s" for second in sorted(worst)[:5])
    more = f" and {len(worst) - 5} more" if len(worst) > 5 else ""
    return (
        f"The load generator or the target stalled, for up to "
        f"{bucket_upper(max(worst.values())) / 10:.0f} ms, at {places}{more} from the dip's end: "
        f"a small wave just then is the stall's and not the dip's."
    )


def _stall_s(record: RunRecord, phases: Phases | None) -> float:
    """How late is late: half a tick, or half of what the tightest lane has spare in a second.

    What is due in a stall comes at its end, and takes that much of the room there is for retries.
    """
    before = slice(None)
    if phases is not None:
        before = between(record.t_s, phases.observe_from_s, phases.first_dip_s, record.tick_s)
    spare = [
        float(lane.capacity[before].mean() / lane.offered[before].mean()) - 1
        for lane in record.lanes
        if lane.offered[before].any()
    ]
    return max(0.001, min([record.tick_s / 2, *(share * WINDOW_S / 2 for share in spare)]))


def _high_before(record: RunRecord, phases: Phases) -> Iterator[str]:
    """Load above capacity before the dip: no steady state that there could be a return to.

    One window in twenty may be: at a utilisation of 80% Poisson arrivals do that.
    """
    before = between(record.t_s, phases.observe_from_s, phases.first_dip_s, record.tick_s)
    width = window_ticks(record.tick_s)
    if before.stop - before.start < width:
        yield "less than 1 s was recorded before the dip: there is nothing to compare with"
        return
    high = []
    for lane in record.lanes:
        load = moving_mean(lane.offered[before], width)
        room = moving_mean(lane.capacity[before], width)
        if float(above(load, room).mean()) > MAX_HIGH_SHARE:
            high.append(lane.lane)
    if high:
        yield f"the load was above capacity before the dip already in {_names(high)}"


def _disturbed(record: RunRecord, phases: Phases) -> Iterator[str]:
    """A lane that was not overloaded itself, and whose admitted attempts were held up all the same.

    What is admitted and not completed is on its way: at most what was on its way before the dip,
    and one tick's capacity more.
    """
    if len(record.lanes) < 2:
        return
    before = between(record.t_s, phases.observe_from_s, phases.first_dip_s, record.tick_s)
    after = between(record.t_s, phases.first_dip_s, phases.end_s, record.tick_s)
    held_up = [lane.lane for lane in record.lanes if _held_up(lane, before, after)]
    if held_up:
        yield f"lanes disturbed each other: admitted attempts were held up in {_names(held_up)}"


def _held_up(lane: LaneSeries, before: slice, after: slice) -> bool:
    under_way = np.cumsum(lane.admitted - lane.completed - lane.abandoned) - lane.queue
    usual = int(under_way[before].max(initial=0))
    behind = under_way[after] > usual + np.ceil(lane.capacity[after])
    idle = ~above(lane.offered[after], lane.capacity[after])
    return bool((behind & idle).any())


def _names(lanes: list[str]) -> str:
    """Lanes by name, in quotes; of many, the first three and how many more."""
    shown = ", ".join(f"`{name[:60]}`" for name in lanes[:3])
    return shown if len(lanes) <= 3 else f"{shown} and {len(lanes) - 3} more"
