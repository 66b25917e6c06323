"""The columns that are read of the record's frequent lines, and the checks that make them safe."""

import polars as pl

from reports.reading.lines import RecordError

MAX_ATTEMPT = 200
MAX_BUCKET = 3_000
MAX_COUNT = 2**40
MAX_TIME_S = 1e8

_COUNTS = pl.List(pl.Int64)
TICK_COUNTS = ("admitted", "turned_away", "blocked", "completed", "shed", "failed", "abandoned")
TICK_SCHEMA: dict[str, pl.DataType | type] = {
    "seq": pl.Int64,
    "t_s": pl.Float64,
    "lane": pl.String,
    "capacity_per_s": pl.Float64,
    "offered": _COUNTS,
    **dict.fromkeys(TICK_COUNTS, _COUNTS),
    "queue": pl.Int64,
    "in_flight": pl.Int64,
}
LAYER_SCHEMA: dict[str, pl.DataType | type] = {
    "seq": pl.Int64,
    "t_s": pl.Float64,
    "layer": pl.String,
    "lane": pl.String,
    "offered": _COUNTS,
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


def check_ticks(ticks: pl.DataFrame) -> pl.DataFrame:
    """Refuse tick lines with a field missing or a number that cannot be."""
    _require(ticks, "tick", "seq", "t_s", "lane", "capacity_per_s", "offered")
    _within(ticks, "tick", "seq", 0, 2**53)
    _within(ticks, "tick", "t_s", -MAX_TIME_S, MAX_TIME_S)
    _within(ticks, "tick", "capacity_per_s", 0, MAX_COUNT)
    for name in ("queue", "in_flight"):
        _within(ticks, "tick", name, 0, MAX_COUNT)
    _check_counts(ticks, "tick", "offered", *TICK_COUNTS)
    return ticks


def check_layers(layers: pl.DataFrame) -> pl.DataFrame:
    """Refuse layer lines with a field missing or a number that cannot be."""
    _require(layers, "layer", "seq", "t_s", "layer", "lane", "offered")
    _within(layers, "layer", "seq", 0, 2**53)
    _within(layers, "layer", "t_s", -MAX_TIME_S, MAX_TIME_S)
    _check_counts(layers, "layer", "offered")
    return layers


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


def _check_counts(frame: pl.DataFrame, kind: str, *names: str) -> None:
    """Refuse lists that count too many attempts, or hold what is no count."""
    lists = [pl.col(name).list for name in names]
    for name, places, least, most in zip(
        names,
        frame.select(of.len().max() for of in lists).row(0),
        frame.select(of.min().min() for of in lists).row(0),
        frame.select(of.max().max() for of in lists).row(0),
        strict=True,
    ):
        if (places or 0) > MAX_ATTEMPT:
            raise RecordError(f"a {kind} line counts attempt {places - 1}; {MAX_ATTEMPT} is most")
        for count in (least or 0, most or 0):
            if not 0 <= count <= MAX_COUNT:
                raise RecordError(f"a {kind} line of the record holds {name} {count}")


def longest(lists: pl.Series) -> int:
    """Length of the longest list; 0 when there is none."""
    return int(lists.list.len().fill_null(0).to_numpy().max(initial=0))
