"""The series of a record as frames, one a lane, so that only one of them is in memory."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from reports.folding.histogram import upper_quantile_by_bin
from reports.reading.series import Bins, Counts, LaneSeries, RunRecord
from reports.rendering import columns

RETRIES = 3
"""Retries that have a column, whether there were any or not, as in the table of the ticks."""


def ticks(record: RunRecord) -> Iterator[pl.DataFrame]:
    """What the target metered: a row a tick and lane, attempts by their number.

    A tick that is `missing` has no line in the record: nothing is known of it.
    """
    retries = max([RETRIES, *(lane.by_attempt.shape[0] - 2 for lane in record.lanes)])
    for lane in record.lanes:
        yield pl.DataFrame(
            {
                columns.TIME: record.t_s.round(6),
                columns.LANE: _repeated(lane.lane, record.t_s.size),
                columns.CAPACITY: (lane.capacity / record.tick_s).round(6),
                columns.OFFERED: lane.offered,
                **_offered(lane, retries),
                **dict(zip(columns.summed(), _sums(lane), strict=True)),
                columns.QUEUE: lane.queue,
                columns.IN_FLIGHT: lane.in_flight,
                "missing": lane.missing,
            }
        )


def _offered(lane: LaneSeries, retries: int) -> dict[str, Counts]:
    rows, none = lane.by_attempt, np.zeros(lane.by_attempt.shape[1], np.int64)
    return {
        columns.OFFERED_FIRST: rows[1],
        **{
            columns.offered_retry(number): rows[number + 1] if number + 1 < len(rows) else none
            for number in range(1, retries + 1)
        },
        columns.OFFERED_UNKNOWN: rows[0],
    }


def _sums(lane: LaneSeries) -> Iterator[Counts]:
    for name in columns.SUMS:
        yield getattr(lane, name)


def requests(record: RunRecord) -> Iterator[pl.DataFrame]:
    """What became of the requests that were due in each bin, for the clients of each lane."""
    for lane in record.lanes:
        bins = lane.bins
        yield pl.DataFrame(
            {
                columns.TIME: bins.t_s.round(6),
                columns.LANE: _repeated(lane.lane, bins.t_s.size),
                columns.ISSUED: bins.issued,
                columns.SUCCEEDED: bins.succeeded,
                columns.FAILED: sum(bins.failed.values(), np.zeros(bins.t_s.size, np.int64)),
                columns.ATTEMPTS: bins.attempts,
                **{name: _latency_ms(bins, share) for name, share in columns.QUANTILES},
            }
        )


def _latency_ms(bins: Bins, share: float) -> pl.Series:
    """Null for a bin without an answer."""
    found = upper_quantile_by_bin(bins.latency, bins.t_s.size, share)
    return pl.Series(found.round(1), dtype=pl.Float64).fill_nan(None)


def failures(record: RunRecord) -> Iterator[pl.DataFrame]:
    """Why requests failed: a row a bin, lane and reason that occurs."""
    for lane in record.lanes:
        parts = [_failed(lane, reason, counts) for reason, counts in lane.bins.failed.items()]
        none = _failed(lane, "", np.zeros(0, np.int64))
        yield pl.concat([none, *parts]).sort(columns.TIME, maintain_order=True)


def _failed(lane: LaneSeries, reason: str, counts: Counts) -> pl.DataFrame:
    where = np.flatnonzero(counts)
    return pl.DataFrame(
        {
            columns.TIME: lane.bins.t_s[where].round(6),
            columns.LANE: _repeated(lane.lane, where.size),
            "reason": _repeated(reason, where.size),
            columns.FAILED: counts[where],
        }
    )


def layers(record: RunRecord) -> Iterator[pl.DataFrame]:
    """What arrived at each gateway, on the ticks of the target."""
    for layer in record.layers:
        size = record.t_s.size
        yield pl.DataFrame(
            {
                columns.TIME: record.t_s.round(6),
                "layer": _repeated(layer.layer, size),
                columns.LANE: _repeated(layer.lane, size),
                columns.OFFERED: layer.offered,
            }
        )


def _repeated(text: str, size: int) -> pl.Series:
    return pl.repeat(text, size, dtype=pl.String, eager=True)
