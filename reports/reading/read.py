"""Reads `record.ndjson` into a `RunRecord`: lines in, dense arrays out, nothing judged."""

from pathlib import Path
from typing import TypeVar

import polars as pl

from reports.reading.arrays import ByLane, lane_series, layer_series, time_axis
from reports.reading.columns import (
    LAYER_SCHEMA,
    MAX_BUCKET,
    MAX_TIME_S,
    REQUESTS_SCHEMA,
    TICK_SCHEMA,
    check_layers,
    check_requests,
    check_ticks,
)
from reports.reading.lines import Lines, RecordError, decode, decode_each, split_lines
from reports.reading.series import LaneSeries, RunRecord
from reports.record import RECORD_NAME, SCHEMA, Action, End, Fault, Header, Health, Lane
from reports.text import names_of

KINDS = ("header", "tick", "layer", "requests", "fault", "action", "health", "end")
MAX_LANES = 1_000
Span = TypeVar("Span", Fault, Action)


def record_path(path: Path) -> Path:
    """The record file of `path`, which is a run's folder or the file itself."""
    found = path / RECORD_NAME if path.is_dir() else path
    if not found.is_file():
        what = f"no {RECORD_NAME} in it" if path.is_dir() else "no such run"
        if any(path.glob(f"*/{RECORD_NAME}")):
            what += ", but in folders of it: this takes one run"
        raise RecordError(f"{path}: {what}")
    return found


def read_record(path: Path) -> RunRecord:
    """Read the record at `path`, a run's folder or the record itself.

    Raises `RecordError` with one clear line when there is nothing that could be reported on.
    """
    try:
        # Not kept in a name here: 140 MB of an hour, of which no line is needed once it is split.
        return parse_record(record_path(path).read_bytes())
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror or error}") from None


def parse_record(data: bytes) -> RunRecord:
    """`read_record` of bytes. A record cut anywhere after its first line can be read."""
    if not data.strip():
        raise RecordError("the record is empty")
    lines = split_lines(data)
    del data
    header = _header(lines)
    ticks = check_ticks(_frame(lines, "tick", TICK_SCHEMA))
    requests = check_requests(_frame(lines, "requests", REQUESTS_SCHEMA))
    layers = check_layers(_frame(lines, "layer", LAYER_SCHEMA))
    lines = lines.rare()
    if layers.n_unique(["layer", "lane"]) > MAX_LANES:
        raise RecordError(f"the record has more than {MAX_LANES:,} layers and lanes")
    axis = time_axis(ticks, header.tick_s)
    ends = decode_each(lines, "end", End)
    of_ticks, of_requests = ByLane(ticks), ByLane(requests)
    lanes = tuple(
        lane_series(lane, of_ticks, of_requests, axis) for lane in _lanes(header, ticks, requests)
    )
    others = _others(header, lanes)
    left_out = {lane.lane for lane in others}
    return RunRecord(
        header=header,
        t_s=axis.t_s,
        lanes=tuple(lane for lane in lanes if lane.lane not in left_out),
        layers=tuple(one for one in layer_series(layers, axis) if one.lane not in left_out),
        faults=_spans(lines, "fault", Fault),
        actions=_spans(lines, "action", Action),
        health=_health(lines),
        end=ends[-1] if ends else None,
        notes=(
            *_notes(lines, ticks),
            *(_note_on_other(one) for one in others if one.offered.any()),
        ),
    )


def _frame(lines: Lines, kind: str, schema: dict[str, pl.DataType | type]) -> pl.DataFrame:
    return decode(lines.by_kind.get(kind, ()), lines.numbers.get(kind, ()), schema)


def _header(lines: Lines) -> Header:
    """The header: the first line, of a schema this version can read, its numbers sensible."""
    if 1 not in lines.numbers.get("header", ()):
        raise RecordError("not a run record: the first line is not a header")
    peek = _frame(lines, "header", {"schema": pl.Int64})["schema"][0]
    if peek is not None and peek > SCHEMA:
        raise RecordError(
            f"the record has schema {peek}; this version of aftershock reads up to {SCHEMA}"
        )
    header = decode_each(lines, "header", Header)[0]
    if not 0.001 <= header.tick_s <= 60:
        raise RecordError(f"line 1 of the record: tick_s is {header.tick_s}, not 0.001 to 60")
    times = (header.anchor_epoch_s / 1e4, header.observe_from_s, header.planned_end_s or 0.0)
    _check_times("header", *times)
    return header


def _lanes(header: Header, ticks: pl.DataFrame, requests: pl.DataFrame) -> tuple[Lane, ...]:
    """Lanes in the order of the header, then those that appeared later."""
    appeared = (
        *ticks["lane"].unique(maintain_order=True),
        *requests["lane"].unique(maintain_order=True),
    )
    lanes: dict[str, Lane] = {}
    for lane in (*header.lanes, *(Lane(name, name) for name in appeared)):
        lanes.setdefault(lane.lane, lane)
    if len(lanes) > MAX_LANES:
        raise RecordError(f"the record has {len(lanes):,} lanes; {MAX_LANES:,} can be reported")
    return tuple(lanes.values())


def _others(header: Header, lanes: tuple[LaneSeries, ...]) -> tuple[LaneSeries, ...]:
    """Lanes that only somebody else loads: none of the run's own, whose clients tell of requests.

    Where no client of the run tells of any, all are somebody else's, and what is measured.
    """
    own = {lane.lane for lane in header.lanes}
    if not any(lane.told for lane in lanes if lane.lane in own):
        return ()
    return tuple(lane for lane in lanes if lane.lane not in own and not lane.told)


def _note_on_other(lane: LaneSeries) -> str:
    count = int(lane.offered.sum())
    return (
        f"The target also metered {count:,} {'attempt' if count == 1 else 'attempts'} of others in "
        f"{names_of([lane.lane])}, which no client of this run loads: the lane was left out."
    )


def _spans(lines: Lines, kind: str, model: type[Span]) -> tuple[Span, ...]:
    """Faults or actions in the order of their start; of several with one id, the last line."""
    spans = {span.id: span for span in decode_each(lines, kind, model)}
    for span in spans.values():
        _check_times(kind, span.start_s, span.end_s)
    return tuple(sorted(spans.values(), key=lambda span: (span.start_s, span.end_s)))


def _health(lines: Lines) -> tuple[Health, ...]:
    health = decode_each(lines, "health", Health)
    for line in health:
        _check_times("health", line.t_s, line.cpu)
        if any(not 0 <= bucket <= MAX_BUCKET or n < 0 for bucket, n in line.late.items()):
            raise RecordError("a health line of the record holds a bucket that cannot be")
    return tuple(health)


def _check_times(kind: str, *times_s: float) -> None:
    for time_s in times_s:
        if not abs(time_s) <= MAX_TIME_S:
            raise RecordError(f"a {kind} line of the record holds {time_s}: too large to be meant")


def _notes(lines: Lines, ticks: pl.DataFrame) -> tuple[str, ...]:
    """What was left out, in words."""
    notes = []
    if lines.dropped_bytes:
        notes.append(f"The last line was cut off; its {lines.dropped_bytes:,} bytes were left out.")
    unknown = sum(len(lines.by_kind[kind]) for kind in lines.by_kind if kind not in KINDS)
    if unknown:
        notes.append(f"{unknown:,} lines of a kind this version does not know were left out.")
    twice = ticks.height - ticks.n_unique(["seq", "lane"]) if ticks.height else 0
    if twice:
        notes.append(f"{twice:,} ticks came twice; the last of each was taken.")
    return tuple(notes)
