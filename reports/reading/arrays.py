"""Dense arrays from the `tick`, `layer` and `requests` lines."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from reports.reading.columns import MAX_BUCKET, TICK_COUNTS, longest
from reports.reading.lines import RecordError, counts_of
from reports.reading.series import Bins, Counts, Floats, LaneSeries, LayerSeries
from reports.record import Lane

MAX_TICKS = 2_000_000
MAX_CELLS = 200_000_000
MAX_WIDTH_ERROR = 0.1
_PAIR = r'"(\d{1,6})": ?(\d{1,15})'
_PLAIN = rf"^\{{(?:{_PAIR}(?:, ?{_PAIR})*)?\}}$"
"""A histogram as it is written: buckets and counts, of so many digits as fit."""


@dataclass(frozen=True)
class Axis:
    """The ticks of a record: `t_s[i]` is the beginning of the tick with seq `origin + i`."""

    origin: int
    t_s: Floats
    tick_s: float


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
    _check_width(seq, seen[:, 1], tick_s)
    places = np.arange(span, dtype=np.float64)
    return Axis(int(seq[0]), np.interp(places, seq - seq[0], seen[:, 1]), tick_s)


def _check_width(seq: Counts, t_s: Floats, tick_s: float) -> None:
    """Refuse a width that the ticks contradict: all rates are counts divided by it."""
    if seq.size < 2:
        return
    apart_s = float(np.median(np.diff(t_s) / np.diff(seq)))
    if abs(apart_s - tick_s) > MAX_WIDTH_ERROR * tick_s:
        raise RecordError(
            f"the ticks of the record are {apart_s:g} s apart, and tick_s is {tick_s:g}"
        )


class ByLane:
    """The lines of each lane, found in one pass: looking for each of many takes long."""

    def __init__(self, lines: pl.DataFrame) -> None:
        """Put them apart."""
        self._none = lines.clear()
        self._parts = lines.partition_by("lane", as_dict=True, maintain_order=True)

    def of(self, lane: str) -> pl.DataFrame:
        """Those of this one, in their order."""
        return self._parts.get((lane,), self._none)


def lane_series(lane: Lane, ticks: ByLane, requests: ByLane, axis: Axis) -> LaneSeries:
    """The arrays of one lane. A tick without a line counts nothing and is marked missing."""
    own = ticks.of(lane.lane).unique("seq", keep="last", maintain_order=True)
    place = own["seq"].to_numpy() - axis.origin
    size = axis.t_s.size
    bins = _bins(requests.of(lane.lane), axis.tick_s)
    totals = own.select(pl.col(*TICK_COUNTS).list.sum().fill_null(0))
    gauges = own.select(pl.col("queue", "in_flight").fill_null(0))
    first = own.select(pl.col("failed", "abandoned").list.get(1, null_on_oob=True).fill_null(0))
    return LaneSeries(
        lane=lane.lane,
        policy=lane.policy,
        describe=lane.describe,
        capacity=_capacity(own, place, axis),
        by_attempt=_by_attempt(own, "offered", place, size),
        first_failed=_placed(first["failed"], place, size),
        first_abandoned=_placed(first["abandoned"], place, size),
        queue=_placed(gauges["queue"], place, size),
        in_flight=_placed(gauges["in_flight"], place, size),
        accounted=not (own["turned_away"].has_nulls() or own["in_flight"].has_nulls()),
        missing=_missing(place, size),
        bins=bins,
        opaque=lane.opaque,
        issued=_by_tick(bins.issued, bins.t_s, axis),
        begins=int(place.min()) if place.size else size,
        **{name: _placed(totals[name], place, size) for name in TICK_COUNTS},
    )


def layer_series(layers: pl.DataFrame, axis: Axis) -> tuple[LayerSeries, ...]:
    """The arrays of every layer and lane that has lines, from the outermost inward.

    A gateway has ticks of its own, which begin between those of the target: they are placed where
    their middles fall.
    """
    found = []
    for (name, lane), lines in layers.group_by("layer", "lane", maintain_order=True):
        own = lines.unique("seq", keep="last")
        offered = own["offered"].list.sum().fill_null(0).to_numpy()
        seq = own["seq"].to_numpy()
        found.append(
            LayerSeries(
                layer=str(name),
                lane=str(lane),
                offered=_by_tick(offered, own["t_s"].to_numpy(), axis),
                gaps=int(seq.max() - seq.min()) + 1 - seq.size,
            )
        )
    return tuple(sorted(found, key=lambda layer: _number_last(layer.layer)))


def _number_last(name: str) -> tuple[str, int]:
    """Orders ``gateway 2`` before ``gateway 10``."""
    word, _, number = name.rpartition(" ")
    return (word, int(number)) if number.isdecimal() and len(number) < 10 else (name, 0)


def _by_tick(counts: Counts, t_s: Floats, axis: Axis) -> Counts:
    """Counts of bins, placed on the ticks that the bins' middles fall in."""
    ticks = np.zeros(axis.t_s.size, np.int64)
    if ticks.size:
        place = np.floor((t_s + axis.tick_s / 2 - axis.t_s[0]) / axis.tick_s).astype(np.int64)
        inside = (place >= 0) & (place < ticks.size)
        np.add.at(ticks, place[inside], counts[inside])
    return ticks


def _by_attempt(own: pl.DataFrame, name: str, place: Counts, size: int) -> Counts:
    """Counts by attempt number and tick; at least rows 0 (unknown) and 1 (first attempts)."""
    depth = max(2, longest(own[name]))
    if depth * size > MAX_CELLS:
        raise RecordError("the record has too many ticks and attempt numbers to be read at once")
    counts = np.zeros((depth, size), np.int64)
    for number in range(depth):
        column = own[name].list.get(number, null_on_oob=True).fill_null(0)
        counts[number, place] = column.to_numpy()
    return counts


def _placed(read: pl.Series, place: Counts, size: int) -> Counts:
    """One number a tick; 0 in a tick without a line."""
    placed = np.zeros(size, np.int64)
    placed[place] = read.to_numpy()
    return placed


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
    read: dict[str | None, dict[str, int]] = {}
    for where, text in zip(place.tolist(), texts, strict=True):
        if text not in read:
            read[text] = counts_of(text, "failed in a requests line")
        for reason, count in read[text].items():
            found.setdefault(reason, np.zeros(size, np.int64))[where] += count
            if len(found) > 100:
                raise RecordError("the record names more than 100 reasons of failure")
    return dict(sorted(found.items()))


def _latency(texts: pl.Series, place: Counts) -> Counts:
    """Rows (bin, bucket, count) of the latency histograms, in the order of the bins."""
    lines = pl.DataFrame({"bin": place, "text": texts})
    plain = pl.col("text").str.contains(_PLAIN).fill_null(value=False)
    rows = np.concatenate([_plain_rows(lines.filter(plain)), _other_rows(lines.filter(~plain))])
    return np.asfortranarray(rows[np.argsort(rows[:, 0], kind="stable")])


def _plain_rows(lines: pl.DataFrame) -> Counts:
    """Of histograms as they are written, all at once."""
    pairs = lines.select("bin", pl.col("text").str.extract_all(_PAIR)).explode("text").drop_nulls()
    numbers = pairs.select(
        pl.col("bin").cast(pl.Int64),
        pl.col("text").str.extract(_PAIR, 1).cast(pl.Int64).alias("bucket"),
        pl.col("text").str.extract(_PAIR, 2).cast(pl.Int64).alias("count"),
    )
    high = numbers.filter(pl.col("bucket") > MAX_BUCKET)
    if high.height:
        raise RecordError(f"latency in a requests line has the bucket '{high['bucket'][0]}'")
    return numbers.to_numpy().reshape(-1, 3)


def _other_rows(lines: pl.DataFrame) -> Counts:
    """Of whatever else stands there: one by one, and most of it is refused."""
    rows: list[tuple[int, int, int]] = []
    for where, text in lines.iter_rows():
        for name, count in counts_of(text, "latency in a requests line").items():
            if not (name.isdecimal() and int(name[:9]) <= MAX_BUCKET):
                raise RecordError(f"latency in a requests line has the bucket {name[:40]!r}")
            rows.append((where, int(name), count))
    return np.array(rows, np.int64).reshape(-1, 3)
