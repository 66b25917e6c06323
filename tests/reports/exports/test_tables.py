"""CSV and Parquet: read back by polars and by the csv module, they are what the record holds."""

import csv
import io
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from reports.folding.histogram import quantile_by_bin
from reports.measuring.catalogue import MEASURES
from reports.reading.read import parse_record
from reports.reading.series import RunRecord
from reports.record import Requests, quantile
from reports.rendering import columns, spreadsheet
from reports.rendering.exports.tables import of_run
from reports.rendering.exports.writing import Table, write_csv, write_parquet
from reports.rendering.to_json import to_json
from reports.summary import Report, fold
from tests.reports.repeated import ten_dips
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_rendering import LAYERS
from tests.reports.test_validity import QUEUED

FORMULA = "=cmd|' /C calc'!A0"
ANSWERS = (
    Requests(9.7, FORMULA, 10, 2, Counter({"budget": 3, "@x": 5}), 34, Counter({231: 2, 40: 7})),
    Requests(9.7, FORMULA, 1, 1, Counter(), 1, Counter({9: 1})),
    Requests(12.3, FORMULA, 4, 0, Counter({"budget": 4}), 9, Counter()),
)
NAMED = Made(
    [
        Shape(FORMULA, [[1, 9, 4, 2, 1, 1, 3]] * 420, describe="-1", requests=ANSWERS),
        Shape('two\r\nlines, "quoted"', plain(storm(9))),
    ]
)
RUNS: dict[str, Made] = {"named": NAMED, "queue": QUEUED, "layers": LAYERS, "ten dips": ten_dips()}


@cache
def read(name: str) -> tuple[RunRecord, Report]:
    record = parse_record(RUNS[name].encoded())
    return record, fold(record)


def frame(table: Table) -> pl.DataFrame:
    return pl.concat(table.frames())


def tables(name: str) -> Mapping[str, Table]:
    return {table.name: table for table in of_run(*read(name))}


@pytest.mark.parametrize("name", RUNS)
def test_what_is_read_back_is_what_was_there(name: str, tmp_path: Path) -> None:
    for table in tables(name).values():
        there = frame(table)
        write_parquet(table, tmp_path / "x.parquet")
        assert_frame_equal(pl.read_parquet(tmp_path / "x.parquet"), there)
        write_csv(table, tmp_path / "x.csv")
        again = pl.read_csv(tmp_path / "x.csv", schema=there.schema)
        safe = there.with_columns(
            pl.col(pl.String).map_elements(columns.unformulated, return_dtype=pl.String)
        )
        assert_frame_equal(again, safe)
        with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == there.columns
        assert len(rows) == 1 + there.height
        assert {len(row) for row in rows} == {there.width}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv", "x.parquet"]


@pytest.mark.parametrize("name", RUNS)
def test_ticks_are_the_arrays_of_the_record(name: str) -> None:
    record, _ = read(name)
    ticks = frame(tables(name)["ticks"])
    for lane in record.lanes:
        own = ticks.filter(pl.col("lane") == lane.lane)
        assert own["time_s"].to_numpy() == pytest.approx(record.t_s)
        assert own["capacity_attempts_per_s"].to_numpy() == pytest.approx(lane.capacity * 10)
        numbered = [
            "offered_unknown_number_attempts",
            "offered_first_attempts",
            *(column for column in own.columns if column.startswith("offered_retry_")),
        ]
        counted = own.select(numbered).to_numpy().T
        assert (counted[: len(lane.by_attempt)] == lane.by_attempt).all()
        assert not counted[len(lane.by_attempt) :].any()
        assert (own["offered_attempts"].to_numpy() == counted.sum(axis=0)).all()
        for field in (*columns.SUMS, "queue", "in_flight"):
            assert (own[f"{field}_attempts"].to_numpy() == getattr(lane, field)).all()


@pytest.mark.parametrize("name", RUNS)
def test_sums_are_those_of_the_json(name: str) -> None:
    _, report = read(name)
    ticks, requests = (frame(tables(name)[table]) for table in ("ticks", "requests"))
    failures = frame(tables(name)["failures"])
    for policy in json.loads(to_json(report))["policies"]:
        own = ticks.filter(pl.col("lane") == policy["lane"])
        assert own["offered_attempts"].to_numpy().max() * 10 == pytest.approx(policy["peak_per_s"])
        assert own["blocked_attempts"].sum() == policy["blocked"]
        assert own["queue_attempts"].max() == policy["longest_queue"]
        answers = requests.filter(pl.col("lane") == policy["lane"])
        if answers.height:
            assert answers["failed_requests"].sum() == policy["failed"]
            assert answers["issued_requests"].sum() == policy["requests"]
        why = failures.filter(pl.col("lane") == policy["lane"]).group_by("reason")
        counted = why.agg(pl.col("failed_requests").sum())
        assert dict(counted.iter_rows()) == policy["failed_by_reason"]


@pytest.mark.parametrize("name", RUNS)
def test_measures_and_distributions_are_those_of_the_json(name: str) -> None:
    _, report = read(name)
    found = frame(tables(name)["measures"]).rows(named=True)
    expected = [
        (policy["lane"], one)
        for policy in json.loads(to_json(report))["policies"]
        for one in (policy, *policy["episodes"])
    ]
    for row, (lane, one) in zip(found, expected, strict=True):
        assert (row["lane"], row["episode"]) == (lane, one.get("number"))
        assert row["observed_s"] == one["observed_s"]
        for measure in MEASURES:
            assert row[measure.name] == pytest.approx(one[measure.name]), measure.name
        assert row["load_settled_s"] == pytest.approx(one["load_settled_s"])


def test_distributions_keep_what_was_late_apart() -> None:
    _, report = read("ten dips")
    rows = frame(tables("ten dips")["distributions"]).rows(named=True)
    [slow] = [row for row in rows if (row["lane"], row["measure"]) == ("slow", "settled_s")]
    [found] = [one for one in report.distributions if one.lane == "slow"]
    summary = found.summaries["settled_s"]
    assert summary.late
    assert (slow["samples"], slow["late"]) == (summary.n, summary.late)
    assert slow["median"] == pytest.approx(summary.median.amount)
    assert (slow["most"], slow["most_beyond"]) == (None, pytest.approx(summary.most.amount))
    assert len(rows) == sum(len(one.summaries) for one in report.distributions)


def test_formulas_are_made_harmless_in_csv_and_left_alone_in_parquet(tmp_path: Path) -> None:
    for table in tables("named").values():
        write_csv(table, tmp_path / "x.csv")
        write_parquet(table, tmp_path / "x.parquet")
        with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        kept = pl.read_parquet(tmp_path / "x.parquet")
        texts = [name for name, kind in kept.schema.items() if kind == pl.String]
        assert not any(row[name].startswith(columns.FORMULA) for row in rows for name in texts)
        if "lane" in texts:
            assert rows[0]["lane"] == f"'{FORMULA}"
            assert kept["lane"][0] == FORMULA


TEXTS = st.text(st.sampled_from("=+-@\t\r\n'\",;ab é"), max_size=6)


@given(st.lists(TEXTS, min_size=1, max_size=20))
@settings(max_examples=30)
def test_any_text_comes_back_from_csv(texts: list[str]) -> None:
    table = Table("x", lambda: [pl.DataFrame({"n": range(len(texts)), "text": texts})])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        write_csv(table, path)
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    assert [row[1] for row in rows[1:]] == [columns.unformulated(text) for text in texts]


@pytest.mark.parametrize(("table", "except_for"), [
    ("ticks", {"tick", "offered_later_retry_attempts"}),
    ("requests", {"failed_by_reason_requests"}),
])  # fmt: skip
def test_columns_agree_with_those_of_the_control_room(table: str, except_for: set[str]) -> None:
    """And so do the rows, where the record has each bin once; those of a bin add up here."""
    streamed = io.StringIO()
    spreadsheet.write(table, io.BytesIO(NAMED.encoded()), streamed)
    rows = list(csv.DictReader(io.StringIO(streamed.getvalue(), newline="")))
    written = frame(tables("named")[table]).rows(named=True)
    shared = [name for name in spreadsheet.TABLES[table][1] if name not in except_for]
    assert set(shared) <= set(written[0])
    own = {(columns.unformulated(row["lane"]), row["time_s"]): row for row in written}
    times = Counter((row["lane"], row["time_s"]) for row in rows)
    once = [row for row in rows if times[row["lane"], row["time_s"]] == 1]
    assert once
    for row in once:
        mine = own[row["lane"], round(float(row["time_s"]), 6)]
        for name in shared:
            if name != columns.LANE:
                told = float(row[name]) if row[name] else None
                assert mine[name] == pytest.approx(told), name


ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30), st.integers(0, 5)), max_size=40)


@given(ROWS, st.sampled_from([0.5, 0.95, 0.99]))
@settings(max_examples=60)
def test_quantiles_of_bins_are_those_of_each_by_itself(
    rows: list[tuple[int, int, int]], share: float
) -> None:
    found = quantile_by_bin(np.array(rows, np.int64).reshape(-1, 3), 5, share)
    for place in range(5):
        buckets: Counter[int] = Counter()
        for where, bucket, count in rows:
            if where == place:
                buckets[bucket] += count
        expected = quantile(buckets, share)
        assert found[place] == (-1 if expected is None else expected)
