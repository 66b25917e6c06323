"""Reading is tolerant of a cut at any byte and of nothing else; what is wrong is said in a line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reports.reading.lines import RecordError
from reports.reading.read import parse_record, read_record
from reports.record import Action, End, Fault, Header, LayerTick, Line, Requests, Tick, encode
from reports.rendering.to_json import to_json
from reports.summary import fold
from tests.reports.synthetic import Made, Shape, plain, storm

SMALL = Made(
    [
        Shape("a", plain([9, 9, 20, 12, 9, 9]), requests=(Requests(0.1, "a", 3, 1),)),
        Shape("b", plain([9] * 6)),
    ],
    ticks=6,
    capacity=lambda tick: 2.0 if tick == 2 else 10.0,
    dips=[Fault("dip", "d", 0.2, 0.3, "20/s")],
    planned_end_s=0.6,
    end=End(0.6),
)


TINY = Made(
    [Shape("a", plain([9, 20]), requests=(Requests(0.1, "a", 3, 1),), layers={"g": [9, 20]})],
    ticks=2,
    dips=[Fault("dip", "d", 0.1, 0.2, "20/s")],
    actions=[Action("shed", "action-1", 0.1, 0.2, ("a",), "90%")],
    planned_end_s=0.2,
    end=End(0.2),
)


def with_line(**values: object) -> bytes:
    """A small record and one more line."""
    return SMALL.encoded() + json.dumps(values).encode() + b"\n"


TICK = {"kind": "tick", "seq": 6, "t_s": 0.6, "lane": "a", "capacity_per_s": 100.0, "offered": [0]}
REQUESTS = {"kind": "requests", "t_s": 0.1, "lane": "a", "issued": 1, "succeeded": 0}


def test_a_record_cut_at_every_byte_reads_or_says_why_not() -> None:
    """Nothing but the documented error, and a report wherever a whole header is left.

    What is left of a line is dropped, however much: one report of it tells of all.
    """
    data = TINY.encoded()
    header = data.index(b"\n") + 1
    for size in range(len(data)):
        if size < header:
            with pytest.raises(RecordError):
                parse_record(data[:size])
            continue
        record = parse_record(data[:size])
        partial = not data[:size].endswith(b"\n")
        assert any("cut off" in note for note in record.notes) is partial
        if b"\n" in data[size - 2 : size]:
            report = fold(record)
            assert to_json(report)
            assert not report.valid, "without its end line no record is whole"
            assert any("cut off" in note for note in report.notes) is partial


def test_what_was_whole_before_the_cut_is_kept() -> None:
    data = Made([Shape("a", plain(storm(30)))]).encoded()
    record = parse_record(data[: data.index(b'"seq":300') + 4])
    assert record.t_s.size == 300
    assert record.lanes[0].offered.sum() == 50 * 20 + 250 * 9


def test_unknown_kinds_and_fields_are_left_out_and_said() -> None:
    data = with_line(kind="trace", lane={"x": 1}, seq="what")
    record = parse_record(data.replace(b'"queue":0', b'"queue":0,"colour":"red"'))
    assert record.t_s.size == 6
    assert any("1 lines of a kind" in note for note in record.notes)


def test_lanes_stand_in_the_order_of_the_header_then_as_they_appear() -> None:
    told = encode(Requests(0.6, "late", 1, 1)) + "\n"
    record = parse_record(with_line(**{**TICK, "lane": "late"}) + told.encode())
    assert [lane.lane for lane in record.lanes] == ["a", "b", "late"]
    late = record.lanes[2]
    assert late.policy == "late"
    assert not late.missing.any(), "a lane is not missing before it appears"
    assert late.capacity[0] == pytest.approx(10.0), "and has the capacity it comes with"


OTHER = Tick(6, 0.6, "default", 100.0, [0, 3], [0, 3], [0, 0], [0, 3], [0, 0])


def test_a_lane_that_only_others_load_is_no_policy_of_the_run() -> None:
    """Probes and browsers at the same gate: they would be ranked, and break its rules."""
    storms = Made([Shape("a", plain(storm(30)), requests=(Requests(0.1, "a", 9, 9),))])
    layer = LayerTick(1000, 0.63, "g", "default", [0, 3])
    lines: list[Line] = [line for line in storms.lines() if not isinstance(line, End)]
    lines += [*(replace(OTHER, seq=seq, t_s=seq / 10) for seq in range(420)), layer, End(42.0)]
    record = parse_record("".join(encode(line) + "\n" for line in lines).encode())
    assert [lane.lane for lane in record.lanes] == ["a"]
    assert not record.layers
    report = fold(record)
    assert (report.best, report.worst) == (None, "a")
    (note,) = (note for note in report.notes if "of others" in note)
    assert "1,260 attempts of others in `default`" in note


def test_where_no_client_tells_of_requests_every_lane_that_is_there_is_measured() -> None:
    """The load is another tool's: its lanes need not be the header's."""
    silent = Made([Shape("a", plain([9] * 6))], ticks=6).encoded()
    record = parse_record(silent + encode(OTHER).encode() + b"\n")
    assert [lane.lane for lane in record.lanes] == ["a", "default"]


def test_a_lane_of_the_header_is_never_left_out() -> None:
    """Its clients told of nothing: that is a failure of the run, and no stranger."""
    assert [lane.lane for lane in parse_record(SMALL.encoded()).lanes] == ["a", "b"]


@pytest.mark.parametrize("tick_s", [2.0, 5.0, 60.0])
def test_ticks_of_many_seconds_are_reported_on(tick_s: float) -> None:
    """Of most single seconds nothing is known then: they are left out."""
    header, *lines = SMALL.lines()
    assert isinstance(header, Header)
    wide: list[Line] = [replace(header, tick_s=tick_s, planned_end_s=None)]
    wide += [replace(line, t_s=line.seq * tick_s) for line in lines if isinstance(line, Tick)]
    wide.append(Fault("dip", "d", 2 * tick_s, 3 * tick_s, "20/s"))
    report = fold(parse_record("".join(encode(line) + "\n" for line in wide).encode()))
    assert to_json(report)
    seconds = report.policies[0].drawn.seconds
    assert {int(second.t_s % tick_s) for second in seconds} <= {int(tick_s / 2)}


def test_a_gap_in_seq_is_marked_in_the_lane_that_has_it() -> None:
    lines = SMALL.encoded().split(b"\n")
    kept = [line for line in lines if not (b'"seq":3' in line and b'"lane":"b"' in line)]
    record = parse_record(b"\n".join(kept))
    assert record.lanes[0].missing.tolist() == [False] * 6
    assert record.lanes[1].missing.tolist() == [False] * 3 + [True] + [False] * 2


def test_a_tick_that_came_twice_counts_once() -> None:
    record = parse_record(with_line(**{**TICK, "seq": 5, "t_s": 0.5, "offered": [0, 4]}))
    assert record.lanes[0].offered[5] == 4
    assert any("came twice" in note for note in record.notes)


def test_spaces_and_blank_lines_do_not_matter() -> None:
    spaced = SMALL.encoded().replace(b'":', b'" : ').replace(b"\n", b"\r\n\n")
    assert parse_record(spaced).lanes[0].offered.sum() == 68


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b'{"kind":"header"', "not one whole line"),
        (b"PK\x03\x04\x00\n\xff\xfe\n", "line 1"),
        (b"[1, 2]\n", "line 1"),
        (b'{"schema": 1}\n', "has no kind"),
        (b'{"kind":"tick"}\n', "first line is not a header"),
        (b'{"kind":"header","schema":2}\n', "has schema 2"),
        (b'{"kind":"header","schema":1}\n', "id: Field required"),
        (SMALL.encoded().replace(b'"tick_s":0.1', b'"tick_s":0'), "tick_s is 0"),
        (SMALL.encoded().replace(b'"tick_s":0.1', b'"tick_s":NaN'), "line 1"),
        (SMALL.encoded().replace(b'"seed":7', b'"seed":1e999'), "line 1"),
        (SMALL.encoded().replace(b'"end_s":0.3', b'"end_s":1e300'), "too large to be meant"),
        (SMALL.encoded().replace(b'"scenario":{}', b'"scenario":{"x":Infinity}'), "line 1"),
        (SMALL.encoded().replace(b'"scenario":{}', b'"scenario":' + b"[" * 99999), "line 1"),
        (SMALL.encoded() + b"oops\n", "line 17"),
        (with_line(**{**TICK, "seq": -1}), "seq -1"),
        (with_line(**{**TICK, "seq": 10**15}), "span 1,000,000,000,000,001"),
        (with_line(**{**TICK, "seq": 10**30}), "line 17"),
        (with_line(**{**TICK, "seq": "6"}), "line 17"),
        (with_line(**{**TICK, "t_s": 1e300}), "holds t_s"),
        (with_line(**{**TICK, "t_s": 0.1}), "do not follow each other"),
        (
            SMALL.encoded().replace(b'"tick_s":0.1', b'"tick_s":60'),
            "are 0.1 s apart, and tick_s is 60",
        ),
        (SMALL.encoded().replace(b'"tick_s":0.1', b'"tick_s":0.05'), "are 0.1 s apart"),
        (with_line(**{**TICK, "offered": [0, -5]}), "offered -5"),
        (with_line(**{**TICK, "offered": [1.5]}), "line 17"),
        (with_line(**{**TICK, "offered": {"a": 1}}), "line 17"),
        (with_line(**{**TICK, "offered": [0] * 300}), "attempt 299"),
        (with_line(**{**TICK, "capacity_per_s": -1}), "capacity_per_s -1"),
        (with_line(**{**TICK, "lane": None}), "has no lane"),
        (with_line(**{**REQUESTS, "issued": None}), "has no issued"),
        (with_line(**{**REQUESTS, "t_s": 9e7}), "bins"),
        (with_line(**{**REQUESTS, "failed": {"budget": -1}}), "not a count"),
        (with_line(**{**REQUESTS, "failed": [1]}), "not a map of counts"),
        (with_line(**{**REQUESTS, "failed": {'a"b': 1}}), "not a map of counts"),
        (with_line(**{**REQUESTS, "latency": {"x": 1}}), "the bucket 'x'"),
        (with_line(**{**REQUESTS, "latency": {"99999999": 1}}), "the bucket"),
        (with_line(**{**REQUESTS, "latency": {"5": True}}), "not a count"),
        (with_line(kind="fault", type="dip"), "id: Field required"),
        (with_line(kind="end", t_s="soon"), "t_s"),
    ],
)
def test_what_cannot_be_read_is_named_in_one_line(data: bytes, says: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(data)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_such_run_and_a_folder_without_a_record(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no such run"):
        read_record(tmp_path / "none")
    with pytest.raises(RecordError, match=r"no record\.ndjson in it"):
        read_record(tmp_path)


def test_the_record_and_its_folder_read_alike(tmp_path: Path) -> None:
    folder = SMALL.write(tmp_path / "run")
    assert read_record(folder).header == read_record(folder / "record.ndjson").header
