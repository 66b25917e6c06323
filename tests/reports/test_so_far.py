"""The report of a run that goes on: what has not come yet is told as that, and is no reason."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reports.__main__ import app
from reports.reading.read import parse_record
from reports.record import End, Fault
from reports.rendering import sentences
from reports.rendering.html import to_html
from reports.rendering.to_json import to_json
from reports.summary import Report, fold
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_rendering import printed, words_of

GOING = Made([Shape("a", plain(storm(300)))], end=None, planned_end_s=None)


def after(ticks: int, made: Made = GOING) -> Report:
    return fold(parse_record(made.but(ticks=ticks).encoded()), so_far=True)


def said(report: Report) -> str:
    return " ".join(printed(report).split())


def test_it_says_how_far_the_run_is_and_has_no_fault() -> None:
    report = after(309)
    assert report.valid
    assert said(report).startswith("So far, 30.9 s into a run that goes on: a had not recovered")
    assert "This result is valid so far." in said(report)
    page = words_of(to_html(report))
    assert "<strong>so far, 30.9 s into a run that goes on</strong>" in page
    assert "<title>one-dip: recovery so far</title>" in page
    assert json.loads(to_json(report))["going_on"] is True


def test_before_any_dip() -> None:
    report = after(90, GOING.but(dips=[]))
    assert (report.valid, report.trigger) == (True, None)
    assert sentences.headline(report) == "Nothing has disturbed this run yet."
    assert "steady before" not in words_of(to_html(report))


def test_in_the_dip() -> None:
    report = after(110)
    assert report.valid
    assert sentences.headline(report) == "The dip is not over yet."
    assert "never" not in printed(report) + words_of(to_html(report))


def test_shorter_than_the_hold_is_not_settled_yet() -> None:
    """And nothing in red."""
    report = after(150)
    headline = "`a` has not settled yet, 3.0 s after a 2.0 s dip was over."
    assert (report.valid, sentences.headline(report)) == (True, headline)
    both = said(report) + words_of(to_html(report))
    assert "not settled yet" in both
    assert "not recovered within" not in both
    assert 'class="settled lost"' not in both
    assert "not yet" in said(report)


def test_calm_for_less_than_the_hold() -> None:
    report = after(150, GOING.but(shapes=[Shape("a", plain(storm(10)))]))
    assert sentences.headline(report).startswith("`a` was under capacity 1.9 s after a 2.0 s dip")


def test_what_is_wrong_already_is_a_reason_all_the_same() -> None:
    high = Shape("a", plain([12] * 420))
    report = after(309, GOING.but(shapes=[high]))
    [reason] = report.invalid_because
    assert "above capacity before the dip" in reason


def test_a_run_that_has_ended_meanwhile_is_an_ordinary_report() -> None:
    made = GOING.but(end=End(42.0))
    assert to_json(after(420, made)) == to_json(fold(parse_record(made.encoded())))


def test_a_cut_off_record_that_nobody_says_goes_on() -> None:
    report = fold(parse_record(GOING.encoded()))
    assert "it has no end line" in report.invalid_because[0]


@pytest.mark.parametrize(
    ("dips", "options", "code"), [([], [], 2), ([], ["--so-far"], 0), (None, ["--so-far"], 0)]
)
def test_the_option(
    tmp_path: Path, dips: list[Fault] | None, options: list[str], code: int
) -> None:
    made = GOING if dips is None else GOING.but(dips=dips)
    done = CliRunner().invoke(app, [str(made.write(tmp_path / "run")), *options])
    assert done.exit_code == code, done.output
    assert done.output.startswith("So far, ") == bool(options)


@pytest.mark.parametrize("ticks", [104, 120])
def test_a_run_that_was_stopped_in_its_dip_says_nothing_of_recovery(ticks: int) -> None:
    """Neither that it had not recovered 0.0 s after it, nor within 0 s; and no red."""
    made = GOING.but(ticks=ticks, end=End(ticks / 10, "interrupted"), planned_end_s=42.0)
    report = fold(parse_record(made.encoded()))
    assert sentences.headline(report) == (
        "Nothing was watched after the dip: the run ended, and there is no recovery to measure."
    )
    page = words_of(to_html(report)).partition("What the words mean")[0]
    assert "not watched" in page
    for both in (said(report), page):
        assert " 0 s" not in both
        assert "not recovered" not in both
        assert 'class="lost"' not in both
