"""A prediction beside what was measured: judged, told and drawn."""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from reports.prediction import Prediction, Range, range_of
from reports.reading.series import Floats
from reports.rendering.beside_prediction import compare, judged, verdict
from reports.rendering.html import to_html
from reports.rendering.to_json import to_json
from reports.summary import Report
from tests.reports.foretold import lane, of_all, prediction
from tests.reports.test_rendering import (
    DOCS,
    HOSTILE,
    REPORTS,
    Page,
    five,
    one,
    printed,
)


def predicted(report: Report, found: Prediction | None = None) -> Report:
    return replace(report, prediction=found or of_all(report))


def figures_of(report: Report) -> list[dict[str, Any]]:
    found = re.findall(
        r'<script type="application/json" id="figure-\d">(.*?)</script>', to_html(report)
    )
    return [json.loads(text) for text in found]


def told() -> Report:
    """Of clients who tell that none of their requests failed."""
    report = one()
    return replace(report, policies=(replace(report.policies[0], failed=0),))


def numbers(array: dict[str, str]) -> Floats:
    """An array as plotly writes it."""
    return np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"])


@pytest.fixture(params=REPORTS)
def report(request: pytest.FixtureRequest) -> Report:
    made: Callable[[], Report] = REPORTS[request.param]
    return predicted(made())


def test_a_range_is_from_the_least_to_the_most() -> None:
    """With the median, which of an even number is the mean of the two in the middle."""
    assert range_of([3, 1, 2]) == Range(1, 2, 3)
    assert range_of([4, 1, 2, 3]) == Range(1, 2.5, 4)
    assert range_of([5]) == Range(5, 5, 5)


def test_a_moment_that_never_came_is_later_than_all_others() -> None:
    """In a range without an upper end, and above any that has one."""
    assert range_of([None, 1.0, 2.0]) == Range(1.0, 2.0, None)
    assert range_of([None, None, 2.0]) == Range(2.0, None, None)
    assert Range(2.0, None, None).holds(None)
    assert Range(2.0, None, None).holds(1e6)
    assert not Range(2.0, None, None).holds(1.9)
    assert not Range(1.0, 2.0, 3.0).holds(None)
    assert not Range(None, None, None).holds(3.0)


def test_both_ends_of_a_range_are_within_it_however_tenths_add_up() -> None:
    """0.1 + 0.2 is 0.3 here, whatever floats say."""
    assert Range(0.3, 0.5, 0.7).holds(0.1 + 0.2)
    assert Range(0.3, 0.5, 0.7).holds(0.1 * 7)
    assert not Range(0.3, 0.5, 0.7).holds(0.8)


def test_outside_by_chance_is_two_of_one_more_than_there_are() -> None:
    """One run more is the least or the most of 21 in two of 21 cases."""
    assert prediction().outside_by_chance == pytest.approx(2 / 21)


def test_each_figure_is_told_with_its_unit_once() -> None:
    """``180–210/s``, and thousands with commas."""
    [policy] = told().policies
    peak, fit, settled, failed, attempts = compare(policy, lane("exponential"))
    assert (peak.measured, peak.predicted, peak.range) == ("200/s", "200/s", "180–210/s")
    assert (fit.measured, fit.predicted, fit.range) == ("5.8 s", "5.5 s", "5.0–6.0 s")
    assert (settled.range, failed.range) == ("5.0–6.2 s", "0–2")
    assert attempts.range == "1,000–9,000"
    assert all(figure.within for figure in (peak, fit, settled, failed, attempts))


def test_a_range_of_one_figure_is_that_figure_and_one_without_end_says_more_than_observed() -> None:
    """No dash between two equal ends, and no infinity."""
    [policy] = one().policies
    told = {
        figure.title: figure.range
        for figure in compare(
            policy,
            lane("a", settled_s=Range(5.0, None, None), first_fit_s=Range(0.0, 0.0, 0.0)),
        )
    }
    assert told["settled"] == "5.0 to > 30 s"
    assert told["first fit"] == "0.0 s"


def test_what_is_outside_of_its_range_is_named() -> None:
    """By figure and lane; where nothing is, the verdict says that."""
    report = told()
    made = prediction(lane("exponential", settled_s=Range(1.0, 1.0, 1.0), failed=Range(3, 3, 3)))
    assert judged(compare(report.policies[0], made.lanes[0])) == "no: settled, failed"
    assert verdict(report, made) == (
        "3 of 5 figures are within the range of 20 predictions; "
        "not so settled, failed of `exponential`."
    )
    assert verdict(report, of_all(report)) == (
        "All 5 figures are within the range of 20 predictions."
    )


def test_a_lane_that_did_not_recover_is_outside_where_all_predictions_did() -> None:
    """And within, where no prediction did."""
    report = one(300)
    [policy] = report.policies
    settled = compare(policy, lane("exponential"))[2]
    assert (settled.measured, settled.within) == ("> 30 s", False)
    never = compare(policy, lane("exponential", settled_s=Range(None, None, None)))[2]
    assert (never.predicted, never.range, never.within) == ("> 30 s", "> 30 s", True)


def test_a_lane_that_was_not_predicted_is_not_judged() -> None:
    """A dash, and no figure is counted."""
    report = one()
    [policy] = report.policies
    assert judged(compare(policy, None)) == "–"
    assert verdict(report, prediction()) == "No lane of this run was predicted."


def test_a_lane_that_nothing_disturbed_has_its_totals_compared() -> None:
    """Its moments are neither measured nor judged."""
    report = REPORTS["no dip"]()
    [policy] = report.policies
    peak, fit, settled, *_ = compare(policy, lane("a", first_fit_s=None, settled_s=None))
    assert (peak.within, fit.within, settled.within) == (False, None, None)
    assert (fit.measured, fit.predicted) == ("–", "–")


def test_json_with_a_prediction_is_what_the_schema_says(report: Report) -> None:
    """For every kind of report."""
    schema = json.loads((DOCS / "report.schema.json").read_text())
    jsonschema.validate(json.loads(to_json(report)), schema)


def test_json_has_ranges_and_whether_they_hold_what_was_measured() -> None:
    """With runs, seed and notes; the band is only drawn."""
    made = prediction(lane("exponential", settled_s=Range(1.0, 2.0, None)), notes=("So.",))
    found = json.loads(to_json(predicted(one(), made)))["prediction"]
    assert (found["runs"], found["seed"], found["notes"]) == (20, 7, ["So."])
    [policy] = found["policies"]
    assert policy["settled_s"] == {"low": 1.0, "median": 2.0, "high": None, "within": True}
    assert "band" not in policy


def test_without_a_prediction_nothing_of_one_is_said() -> None:
    """In none of the three faces, but where the page explains its words."""
    assert "predict" not in to_json(five())
    assert "predict" not in printed(five())
    page = to_html(five())
    assert "predict" not in page.split("<main>")[1].split('<h2 id="words">')[0]


def test_every_field_of_the_prediction_is_in_the_documentation() -> None:
    """By the names that the schema has."""
    text = Path(DOCS / "report.md").read_text()
    schema = json.loads((DOCS / "report.schema.json").read_text())
    found = schema["properties"]["prediction"]["properties"]
    lanes = found["policies"]["items"]["properties"]
    for name in (*found, *(f"policies[].{name}" for name in lanes)):
        assert f"`prediction.{name}`" in text
    for name in schema["$defs"]["range"]["properties"]:
        assert f"`prediction.policies[].peak_per_s.{name}`" in text


def test_the_table_fits_in_80_columns(report: Report) -> None:
    """For every kind of report."""
    assert max(len(line.rstrip()) for line in printed(report).splitlines()) <= 80


def test_the_terminal_has_measured_predicted_range_and_verdict() -> None:
    """A line a figure, then the verdict, the seeds and the notes."""
    made = prediction(lane("exponential", settled_s=Range(1.0, 2.0, 3.0)), notes=("It was cut.",))
    lines = [line.split() for line in printed(predicted(told(), made)).splitlines()]
    assert ["exponential", "peak", "200/s", "200/s", "180–210/s", "yes"] in lines
    assert ["settled", "5.8", "s", "2.0", "s", "1.0–3.0", "s", "no"] in lines
    assert ["attempts", "4,638", "2,000", "1,000–9,000", "yes"] in lines
    text = " ".join(printed(predicted(told(), made)).split())
    assert "4 of 5 figures are within the range of 20 predictions; not so settled of" in text
    assert "seeds 7 to 26" in text
    assert "It was cut." in text


def test_the_page_is_whole_and_says_the_same(report: Report) -> None:
    """Every element is closed, and the comparison has its heading and its words."""
    page = Page(to_html(report))
    assert page.open == []
    assert "Measured beside predicted" in page.texts["h2"]
    assert report.prediction is not None
    assert any("simulated runs of this scenario" in text for text in page.texts["p"])


def test_a_band_and_a_line_lie_over_the_load_and_under_the_capacity() -> None:
    """Casings, fills and steps as for the ticks; the legend says what they are."""
    report = predicted(five())
    for figure in figures_of(report):
        names = [trace.get("uid") for trace in figure["data"]]
        assert names[-5:-1] == [
            "predicted-low", "predicted-band", "predicted-case", "predicted"
        ]  # fmt: skip
        assert names[-1] == "capacity"
        assert figure["data"][-4]["fill"] == "tonexty"
        assert [trace["line"]["width"] for trace in figure["data"][-5:-3]] == [1, 1]
        low, high, _, median = (numbers(trace["y"]) for trace in figure["data"][-5:-1])
        assert numbers(figure["data"][-5]["x"]).size == low.size == high.size == median.size == 411
        assert (low[0], median[0], high[0]) == (80.0, 90.0, 320.0)
        assert figure["layout"]["yaxis"]["range"][1] > 320
    assert 'class="swatch predicted"' in to_html(report)
    assert 'class="swatch predicted"' not in to_html(five())


def test_the_load_axis_has_room_for_what_was_predicted() -> None:
    """In all charts alike, though one lane alone is predicted to go so high."""
    made = predicted(five(), prediction(lane(five().policies[0].lane)))
    tops = {tuple(figure["layout"]["yaxis"]["range"]) for figure in figures_of(made)}
    plain = {tuple(figure["layout"]["yaxis"]["range"]) for figure in figures_of(five())}
    assert len(tops) == 1
    highest = max(policy.peak_per_s for policy in five().policies)
    assert max(tops)[1] == pytest.approx(max(plain)[1] * max(320, highest) / highest)


def test_those_who_do_not_see_the_chart_are_told_the_prediction() -> None:
    """At the end of the chart's label."""
    page = to_html(predicted(one()))
    [told] = re.findall(r'role="img" aria-label="([^"]*)"', page)
    assert told.endswith(
        "Predicted: peak 200/s (180–210/s), first fit 5.5 s (5.0–6.0 s), settled 5.6 s (5.0–6.2 s)."
    )


def test_hostile_notes_stay_text() -> None:
    """Neither an element in the page nor an escape in the terminal."""
    report = REPORTS["hostile"]()
    made = predicted(report, prediction(lane(HOSTILE), notes=("<img src=x> \x1b[31mred",)))
    page = Page(to_html(made))
    assert "img" not in page.tags
    assert "\x1b" not in printed(made)
