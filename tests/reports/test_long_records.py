"""What is read and drawn of a long record is what is read and drawn of a short one."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.measuring.downsampling import thinned
from reports.measuring.recovery import Drawn
from reports.reading.arrays import _latency
from reports.reading.lines import RecordError, split_lines
from reports.reading.read import parse_record
from reports.record import encode
from reports.rendering.layers import layers_of
from reports.rendering.needles import needles
from reports.rendering.plotting import short
from tests.reports.big import PEAK, TICK_S, big_record, lines_of

HISTOGRAMS = st.dictionaries(st.integers(0, 3_000).map(str), st.integers(0, 10**9), max_size=4)


def test_what_is_written_of_arrays_is_read_as_them() -> None:
    """The generator of long records and the reader agree in every number."""
    made = big_record(lanes=3, dips=2, length_s=60)
    read = parse_record("".join(encode(line) + "\n" for line in lines_of(made)).encode())
    assert (read.header, read.faults, read.end) == (made.header, made.faults, made.end)
    assert np.allclose(read.t_s, made.t_s)
    for one, other in zip(read.lanes, made.lanes, strict=True):
        for name in ("capacity", "by_attempt", "admitted", "turned_away", "completed", "queue"):
            assert (getattr(one, name) == getattr(other, name)).all(), name
        for name in ("issued", "succeeded", "attempts", "latency"):
            assert (getattr(one.bins, name) == getattr(other.bins, name)).all(), name
        assert (one.bins.failed["turned away"] == other.bins.failed["turned away"]).all()
        assert one.offered.max() == PEAK


@given(st.lists(HISTOGRAMS, max_size=20), st.booleans())
def test_histograms_are_read_as_json_reads_them(
    histograms: list[dict[str, int]], spaced: bool
) -> None:
    """Spaced or not, in whatever order the bins come, rows are in that of the bins."""
    separators = (", ", ": ") if spaced else (",", ":")
    texts = [json.dumps(one, separators=separators) for one in histograms]
    place = np.random.default_rng(len(texts)).permutation(len(texts)).astype(np.int64)
    rows = _latency(pl.Series(texts, dtype=pl.String), place)
    expected = sorted(
        (int(where), int(bucket), count)
        for where, one in zip(place, histograms, strict=True)
        for bucket, count in one.items()
    )
    assert sorted(map(tuple, rows.tolist())) == expected
    assert (np.diff(rows[:, 0]) >= 0).all()


def test_a_histogram_that_is_written_otherwise_is_read_too() -> None:
    """By whoever writes records by hand; and none is one without a latency."""
    texts = ['{ "5" :2}', None, "{}", '{"7":1}']
    rows = _latency(pl.Series(texts), np.arange(4))
    assert rows.tolist() == [[0, 5, 2], [3, 7, 1]]


@pytest.mark.parametrize("text", ['{"3001":1}', '{"999999":1}', '{"x":1}', '{"1":-1}', "[1]", "{"])
def test_a_histogram_that_cannot_be_is_refused(text: str) -> None:
    """However it is read."""
    with pytest.raises(RecordError, match="latency in a requests line"):
        _latency(pl.Series(['{"1":1}', text]), np.arange(2))


@pytest.mark.parametrize(
    "line",
    [b'{"kind": "tick"}', b'{"seq":1,"kind":"tick"}', b'{"kind":"tick"}', b' {"kind":"tick"}'],
)
def test_a_kind_is_found_wherever_it_stands(line: bytes) -> None:
    """The writer's own lines are told by their beginning, others by reading them."""
    lines = split_lines(b'{"kind":"header"}\n' + line + b'\n{"kind":"ticks"}\n')
    assert lines.by_kind["tick"] == [line]
    assert lines.numbers == {"header": [1], "tick": [2], "ticks": [3]}
    assert set(lines.rare().by_kind) == {"header", "ticks"}


def test_a_peak_narrower_than_a_pixel_is_a_line_of_its_layers() -> None:
    """One tick of an hour: each layer from where the one beneath it ends."""
    size = 36_000
    rows = np.zeros((4, size))
    rows[1] = 60
    rows[2:, 9_999] = 400, 300
    drawn = Drawn(
        t_s=np.arange(size) / 10,
        by_attempt_per_s=rows,
        capacity_per_s=np.full(size, 100.0),
        let_through_per_s=np.full(size, np.nan),
        queue=np.zeros(size),
        seconds=(),
        faults=(),
        actions=(),
    )
    # With ticks around it that have to be drawn too, it takes no room of its own.
    drawn.capacity_per_s[10_000:10_002] = 99
    few = thinned(drawn)
    found = {name: (x, y) for name, x, y in needles(few, layers_of(few), TICK_S)}
    assert {name: y[:2].tolist() for name, (_, y) in found.items()} == {
        "first": [0, 60], "retry1": [60, 460], "retry2": [460, 760],
    }  # fmt: skip
    assert all(x[:2].tolist() == pytest.approx([999.95, 999.95]) for x, _ in found.values())


@given(st.lists(st.floats(-1e9, 1e9) | st.integers(-(2**30), 2**30), max_size=9))
def test_short_numbers_are_the_numbers(values: list[float]) -> None:
    """Whole ones exactly, others to seven digits."""
    found = short(np.array(values, dtype=np.float64))
    assert found.dtype in (np.int16, np.int32, np.float32)
    assert np.allclose(found.astype(np.float64), values, rtol=1e-6)
    if all(float(value).is_integer() for value in values):
        assert found.tolist() == values


def test_a_gap_stays_a_gap() -> None:
    assert np.isnan(short([1.0, np.nan])[1])
