"""Dense arrays from the `tick` and `requests` lines, and the checks that make them safe."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from reports.lines import RecordError, counts_of
from reports.record import Lane
from reports.series import Bins, Counts, Floats, LaneSeries

MAX_TICKS = 2_000_000
MAX_ATTEMPT = 200
MAX_CELLS = 200_000_000
MAX_BUCKET = 3_000
MAX_COUNT = 2**40
MAX_TIME_S = 1e8

_COUNTS = pl.List(pl.Int64)
_TICK_COUNTS = ("admitted", "completed", "abandoned")
TICK_SCHEMA: dict[str, pl.DataType | type] = {
    "seq": pl.Int64,
    "t_s": pl.Float64,
    "lane": pl.String,
    "capacity_per_s": pl.Float64,
    "offered": _COUNTS,
    "admitted": _COUNTS,
    "completed": _COUNTS,
    "abandoned": _COUNTS,
    "queue": pl.Int64,
}
REQUESTS_SCHEMA: dict[str, pl.DataType | type] = {
    "t_s": pl.Float64,
    "lane": pl.String,
    "issued": pl.Int64,
    "succeeded": pl.Int64,
    "attempts": pl.Int64,
    "failed": pl.String,
    "latency": pl.String,
}


@dataclass(frozen=True)
class Axis:
    """The ticks of a record: `t_s[i]` is the beginning of the tick with seq `origin + i`."""

    origin: int
    t_s: Floats
    tick_s: float


def check_ticks(ticks: pl.DataFrame) -> pl.DataFrame:
    """Refuse tick lines with a field missing or a number that cannot be."""
    _require(ticks, "tick", "seq", "t_s", "lane", "capacity_per_s", "offered")
    _within(ticks, "tick", "seq", 0, 2**53)
    _within(ticks, "tick", "t_s", -MAX_TIME_S, MAX_TIME_S)
    _within(ticks, "tick", "capacity_per_s", 0, MAX_COUNT)
    _within(ticks, "tick", "queue", 0, MAX_COUNT)
    for name in ("offered", *_TICK_COUNTS):
        if (longest := _longest(ticks[name])) > MAX_ATTEMPT:
            raise RecordError(f"a tick line counts attempt {longest - 1}; {MAX_ATTEMPT} is most")
        _within(ticks.select(pl.col(name).explode()), "tick", name, 0, MAX_COUNT)
    return ticks


def check_requests(requests: pl.DataFrame) -> pl.DataFrame:
    """Refuse requests lines with a field missing or a number that cannot be."""
    _require(requests, "requests", "t_s", "lane", "issued", "succeeded")
    _within(requests, "requests", "t_s", -MAX_TIME_S, MAX_TIME_S)
    for name in ("issued", "succeeded", "attempts"):
        _within(requests, "requests", name, 0, MAX_COUNT)
    return requests


def _require(frame: pl.DataFrame, kind: str, *names: str) -> None:
    for name in names:
        if frame[name].null_count():
            raise RecordError(f"a {kind} line of the record has no {name}")


def _within(frame: pl.DataFrame, kind: str, name: str, low: float, high: float) -> None:
    """Refuse values outside ``[low, high]``; a missing value is somebody else's business."""
    bad = frame.filter(~pl.col(name).is_between(low, high) & pl.col(name).is_not_null())
    if bad.height:
        raise RecordError(f"a {kind} line of the record holds {name} {bad[name][0]}")


def time_axis(ticks: pl.DataFrame, tick_s: float) -> Axis:
    """The common axis of all lanes: one place a seq, gaps filled in by their neighbours."""
    if ticks.is_empty():
        return Axis(0, np.zeros(0), tick_s)
    seen = ticks.unique("seq", keep="last").sort("seq").select("seq", "t_s").to_numpy()
    seq = seen[:, 0].astype(np.int64)
    span = int(seq[-1] - seq[0]) + 1
    if span > MAX_TICKS:
        raise RecordError(f"the ticks of the record span {span:,}; {MAX_TICKS:,} is most")
    if np.any(np.diff(seen[:, 1]) <= 0):
        raise RecordError("the ticks of the record do not follow each other in time")
    places = np.arange(span, dtype=np.float64)
    return Axis(int(seq[0]), np.interp(places, seq - seq[0], seen[:, 1]), tick_s)


def lane_series(lane: Lane, ticks: pl.DataFrame, requests: pl.DataFrame, axis: Axis) -> LaneSeries:
    """The arrays of one lane. A tick without a line counts nothing and is marked missing."""
    own = ticks.filter(pl.col("lane") == lane.lane).unique("seq", keep="last", maintain_order=True)
    place = own["seq"].to_numpy() - axis.origin
    size = axis.t_s.size
    queue = np.zeros(size, np.int64)
    queue[place] = own["queue"].fill_null(0).to_numpy()
    bins = _bins(requests.filter(pl.col("lane") == lane.lane), axis.tick_s)
    totals = {name: _by_attempt(own, name, place, size).sum(axis=0) for name in _TICK_COUNTS}
    return LaneSeries(
        lane=lane.lane,
        policy=lane.policy,
        describe=lane.describe,
        capacity=_capacity(own, place, axis),
        by_attempt=_by_attempt(own, "offered", place, size),
        queue=queue,
        missing=_missing(place, size),
        bins=bins,
        opaque=lane.opaque,
        issued=_by_tick(bins.issued, bins.t_s, axis),
        **totals,
    )


def _by_tick(counts: Counts, t_s: Floats, axis: Axis) -> Counts:
    """Counts of bins, placed on the ticks that the bins' middles fall in."""
    ticks = np.zeros(axis.t_s.size, np.int64)
    if ticks.size:
        place = np.floor((t_s + axis.tick_s / 2 - axis.t_s[0]) / axis.tick_s).astype(np.int64)
        inside = (place >= 0) & (place < ticks.size)
        np.add.at(ticks, place[inside], counts[inside])
    return ticks


def _longest(lists: pl.Series) -> int:
    """Length of the longest list; 0 when there is none."""
    return int(lists.list.len().fill_null(0).to_numpy().max(initial=0))


def _by_attempt(own: pl.DataFrame, name: str, place: Counts, size: int) -> Counts:
    """Counts by attempt number and tick; at least rows 0 (unknown) and 1 (first attempts)."""
    depth = max(2, _longest(own[name]))
    if depth * size > MAX_CELLS:
        raise RecordError("the record has too many ticks and attempt numbers to be read at once")
    counts = np.zeros((depth, size), np.int64)
    for number in range(depth):
        column = own[name].list.get(number, null_on_oob=True).fill_null(0)
        counts[number, place] = column.to_numpy()
    return counts


def _capacity(own: pl.DataFrame, place: Counts, axis: Axis) -> Floats:
    """Attempts per tick. A tick without a line has the capacity of its nearest neighbour before."""
    if own.is_empty():
        return np.zeros(axis.t_s.size)
    known = np.full(axis.t_s.size, np.nan)
    known[place] = own["capacity_per_s"].to_numpy() * axis.tick_s
    filled = pl.Series(known).fill_nan(None).fill_null(strategy="forward")
    return filled.fill_null(strategy="backward").to_numpy()


def _missing(place: Counts, size: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Ticks without a line. A lane that appeared late is not missing before it appeared."""
    missing = np.ones(size, np.bool_)
    missing[place] = False
    if place.size:
        missing[: place.min()] = False
    return missing


def _bins(own: pl.DataFrame, tick_s: float) -> Bins:
    """Sum the increments of every bin onto a dense axis."""
    if own.is_empty():
        none = np.zeros(0, np.int64)
        return Bins(np.zeros(0), none, none, none, {}, np.zeros((0, 3), np.int64))
    number = np.round(own["t_s"].to_numpy() / tick_s).astype(np.int64)
    first = int(number.min())
    place, size = number - first, int(number.max()) - first + 1
    if size > MAX_TICKS:
        raise RecordError(f"the requests of the record span {size:,} bins; {MAX_TICKS:,} is most")
    sums = {
        name: np.bincount(place, own[name].fill_null(0).to_numpy(), size).astype(np.int64)
        for name in ("issued", "succeeded", "attempts")
    }
    return Bins(
        t_s=np.arange(first, first + size, dtype=np.float64) * tick_s,
        failed=_failed(own["failed"], place, size),
        latency=_latency(own["latency"], place),
        **sums,
    )


def _failed(texts: pl.Series, place: Counts, size: int) -> dict[str, Counts]:
    """Failed requests by reason and bin, reasons in the order of the alphabet."""
    found: dict[str, Counts] = {}
    for where, text in zip(place, texts, strict=True):
        for reason, count in counts_of(text, "failed in a requests line").items():
            found.setdefault(reason, np.zeros(size, np.int64))[where] += count
            if len(found) > 100:
                raise RecordError("the record names more than 100 reasons of failure")
    return dict(sorted(found.items()))


def _latency(texts: pl.Series, place: Counts) -> Counts:
    """Rows (bin, bucket, count) of the latency histograms."""
    rows: list[tuple[int, int, int]] = []
    for where, text in zip(place.tolist(), texts, strict=True):
        for name, count in counts_of(text, "latency in a requests line").items():
            if not (name.isdecimal() and int(name[:9]) <= MAX_BUCKET):
                raise RecordError(f"latency in a requests line has the bucket {name[:40]!r}")
            rows.append((where, int(name), count))
    return np.array(rows, np.int64).reshape(-1, 3)
