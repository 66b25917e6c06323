"""What is said and drawn of a run in which one dip was repeated."""

import base64
import json
import math
from dataclasses import replace
from functools import cache
from io import StringIO
from statistics import median

import numpy as np
import pytest
from rich.console import Console

from reports.measuring.repeated import aligned, counted_over_run, in_run_time, window_s
from reports.reading.read import parse_record
from reports.rendering import charts, sentences, spreads
from reports.rendering.html import to_html
from reports.rendering.repeated import aligned_chart, marks, tables
from reports.rendering.terminal import render
from reports.summary import Report, fold
from tests.reports.known.making import Dip, KnownLane, KnownRun, wave
from tests.reports.repeated import DIPS, STORMS, ten_dips
from tests.reports.shown import tables_in

EARLY = "began before it was over the one before"
HOSTILE = "<script>alert(1)</script>`\x1b[31m"


@cache
def report(name: str = "slow") -> Report:
    return fold(parse_record(ten_dips({"slow": name}).encoded()))


def repeated(*settled_s: float, every_s: float = 30.0) -> Report:
    """Dips of 2 s, each with a storm of such a length after it."""
    begins = [10 + every_s * number for number in range(len(settled_s))]
    lane = KnownLane(
        tuple(wave(at, at + 2 + long) for at, long in zip(begins, settled_s, strict=True))
    )
    dips = tuple(Dip(at, at + 2) for at in begins)
    return KnownRun((lane,), dips, length_s=10 + every_s * len(settled_s)).report()


def shown(found: Report) -> str:
    console = Console(width=80, file=StringIO(), color_system=None)
    render(found, console)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def numbers(spec: object) -> list[float]:
    """A list of plotly's as numbers: plain, or in base64."""
    if isinstance(spec, dict):
        found = np.frombuffer(base64.b64decode(spec["bdata"]), spec["dtype"])
        return [float(one) for one in found]
    assert isinstance(spec, list)
    return spec


def test_the_headline_says_in_how_many_it_did_not_recover() -> None:
    """Of seven that met a steady state one was not recovered from; three met its storm."""
    assert sentences.headline(report()) == (
        "Over 10 dips of 2.0 s `slow` did not recover in 1 before the next began, and 3 "
        "began before it was over the one before."
    )
    assert sentences.runner_up(report()) == (
        "`quick` recovered best: it settled within a median of 0.5 s."
    )


def test_the_headline_says_the_median_and_how_sure_it_is() -> None:
    """Storms of 1 s to 10 s: of ten the median lies between the second and the ninth."""
    storms = (4.0, 1.0, 9.0, 10.0, 2.0, 3.0, 8.0, 6.0, 5.0, 7.0)
    found = repeated(*storms)
    low, high = sorted(storms)[1], sorted(storms)[8]
    assert sentences.headline(found) == (
        f"Over 10 dips of 2.0 s `p (a)` settled within a median of {median(storms):.1f} s "
        f"(95%, of one run alone: {low:.1f} to {high:.1f} s): {median(storms) / 2:.1f}× the dip."
    )
    assert sentences.runner_up(found) is None
    assert spreads.too_few(found.distributions) == ""


def test_of_few_no_interval_is_said_and_why() -> None:
    """Three dips: a median, no interval of it, and a sentence."""
    found = repeated(3.0, 4.0, 5.0)
    assert "(95%" not in sentences.headline(found)
    few = "Of 3 samples no interval of the median can be said: that takes 6."
    assert few in sentences.remarks(found)
    assert few in shown(found).replace("\n", " ")
    assert few in to_html(found)


def test_dips_without_a_storm_are_over_when_they_end() -> None:
    """Nothing above capacity: no median is made of noughts."""
    calm = KnownRun((KnownLane(),), tuple(Dip(at, at + 2, left=90) for at in (10, 40, 70)), 100)
    said = "Load was back under capacity as soon as each of 3 dips of 2.0 s was over."
    assert sentences.headline(calm.report()) == said


def test_the_terminal_has_all_of_it_in_80_columns() -> None:
    """The distribution first, then the run, then each dip by itself, with those that count not."""
    text = shown(report())
    assert max(map(len, text.splitlines())) <= 80
    titles = ["recovery", "cost", "over the run", "each dip"]
    places = [text.index(f"\n {title}") for title in titles]
    assert places == sorted(places)
    assert "6 of 7" in text
    for number in (6, 7, 8):
        assert f" {number}* " in text
    assert f"* {EARLY}: no sample." in text
    assert "Kaplan and Meier" in " ".join(text.split())


def test_of_too_many_dips_a_terminal_lists_none() -> None:
    """Seven lanes with ten dips are 70 lines: the page has them."""
    found = report()
    many = replace(found, distributions=found.distributions * 4)
    assert tables.one_by_one(found) is not None
    assert tables.one_by_one(many) is None


def test_the_page_has_the_figures_of_each_dip_and_of_all() -> None:
    """Tables as a browser reads them: medians by `statistics`, and every dip in its row."""
    every = tables_in(to_html(report()))
    recovery = next(table for table in every if "recovered" in table[0])
    place = recovery[0].index("settled")
    settled = {row[0]: row[place].split("\n") for row in recovery[1:]}
    storms = [ticks / 10 for number, ticks in enumerate(STORMS["slow"]) if number not in (5, 6, 7)]
    assert settled["slow"][0] == f"{median(storms):.1f} s"
    assert settled["slow"][-1] == "not recovered in 1 of 7"
    assert settled["quick"] == ["0.5 s"]
    single = [table for table in every if table[0][:2] == ["dip", "begin"]]
    assert [len(table) for table in single] == [1 + DIPS] * 2
    slow = single[1][1:]
    assert [row[1] for row in slow] == [f"{10 + 20 * number:.1f} s" for number in range(DIPS)]
    assert [row[0] for row in slow if row[-1] == EARLY] == ["6", "7", "8"]
    place = single[1][0].index("settled")
    assert [row[place] for row in slow[:4]] == [f"{t / 10:.1f} s" for t in STORMS["slow"][:4]]
    assert slow[4][place] == "not recovered within 18 s"


def test_totals_of_the_run_are_those_of_the_lanes() -> None:
    """Attempts and requests over everything, with what no trigger is needed for."""
    found = report()
    names = {one.name for one in counted_over_run(found.policies)}
    assert {"attempts", "requests", "peak_per_s", "amplification"} <= names
    assert not {"settled_s", "storm_attempts", "goodput_lost", "failed_anyway"} & names
    every = tables_in(to_html(found))
    [whole] = [
        t for t in every if "requests" in t[0] and "attempts" in t[0] and "peak load" in t[0]
    ]
    place = whole[0].index("attempts")
    told = {row[0]: row[place] for row in whole[1:]}
    assert told == {lane.title: f"{lane.attempts:,}" for lane in found.policies}


def test_a_hostile_name_stays_text_everywhere() -> None:
    """In the page, in the data of its charts, and in the terminal."""
    found = report(HOSTILE)
    assert "<script>alert" not in to_html(found)
    assert "\x1b" not in shown(found)


def test_all_dips_of_a_lane_lie_one_upon_the_other() -> None:
    """Each line is the load around one dip, and its colour says what became of it."""
    found = report()
    [_, slow] = found.policies
    window = window_s(found.policies)
    assert window == pytest.approx((-5.0, 7.5 * 1.25 + 3))
    each = aligned(slow, window)
    assert len(each) == DIPS
    for one in each:
        inside = one.t_s.searchsorted(-0.95) - 1
        assert (one.offered_per_s[inside], one.capacity_per_s[inside]) == (200, 20)
    figure = json.loads(aligned_chart.figure_json(slow, found.distributions[1], window, 300.0))
    traces = {trace["uid"]: numbers(trace["x"]) for trace in figure["data"]}
    gaps = {uid: sum(map(math.isnan, xs)) for uid, xs in traces.items()}
    assert gaps == {"sample": 6, "missed": 1, "unsteady": 3, "capacity": 0}
    assert figure["layout"]["annotations"][0]["text"].startswith("settled 7.0 s")


def test_the_run_is_drawn_from_its_begin() -> None:
    """In seconds of the run: the dips stand where the record has them."""
    found = report()
    for lane in found.policies:
        drawn = in_run_time(lane)
        assert drawn.t_s[0] == pytest.approx(0.0)
        assert [one.start_s for one in drawn.faults] == pytest.approx(
            [10 + 20 * number for number in range(DIPS)]
        )
    figure = json.loads(charts.figure_json(found.policies[1], found))
    lines = [one for one in figure["layout"]["shapes"] if one["type"] == "line"]
    settled_s = [12 + 20 * n + t / 10 for n, t in enumerate(STORMS["slow"][:4])]
    assert [line["x0"] for line in lines[:4]] == pytest.approx(settled_s)


@pytest.mark.parametrize(("dips", "labels"), [(3, 3), (12, 12), (13, 7), (40, 10)])
def test_numbers_of_many_dips_do_not_pile_up(dips: int, labels: int) -> None:
    """At most twelve stand over a chart, evenly."""
    found = repeated(*[1.0] * dips, every_s=12.0)
    [lane] = found.policies
    figure = json.loads(charts.figure_json(lane, found))
    told = [one["text"] for one in figure["layout"]["annotations"] if one["text"].isdecimal()]
    assert len(told) == labels <= marks.MOST_LABELS
    assert told[0] == "1"


def test_a_lane_that_was_spared_stands_beside_those_that_were_not() -> None:
    """It has totals and a chart in the same seconds, and no figures of recovery."""
    dips = tuple(Dip(at, at + 2, lanes=("a",)) for at in (15, 45))
    lanes = (KnownLane((wave(15, 18), wave(45, 49)), "a"), KnownLane((), "b"))
    made = KnownRun(lanes, dips, 80).made().but(observe_from_s=5.0)
    found = fold(parse_record(made.encoded()))
    assert [one.lane for one in found.distributions] == ["a"]
    every = tables_in(to_html(found))
    recovery = next(table for table in every if "recovered" in table[0])
    assert [row[0] for row in recovery[1:]] == ["a"]
    assert [[row[0] for row in t[1:]] for t in every if "requests" in t[0]] == [["a"], ["a", "b"]]
    for lane in found.policies:
        assert in_run_time(lane).t_s[0] == pytest.approx(5.0)
    assert " b " in shown(found)
