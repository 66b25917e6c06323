"""Sentences about lanes that a table of figures makes look better than they were."""

from dataclasses import replace

import pytest

from reports.reading.read import parse_record
from reports.record import Requests
from reports.rendering import sentences
from reports.rendering.html import to_html
from reports.summary import Report, fold
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_rendering import one, printed


def held_back(from_s: int, to_s: int) -> Report:
    """Two lanes; `held` calls nobody in those seconds, and its requests have no answer."""
    bins = tuple(
        Requests(float(t), "held", issued=90, succeeded=0 if from_s <= t < to_s else 90)
        for t in range(42)
    )
    made = Made(
        [
            Shape("slow", plain(storm(30))),
            Shape("held", plain([9] * 420), requests=bins),
        ],
        scenario={"load": {"timeout": "2s"}},
    )
    return fold(parse_record(made.encoded()))


def test_requests_without_an_answer_are_told_and_never_called_best() -> None:
    """In the terminal as on the page."""
    report = held_back(20, 42)
    said = "1,980 of 3,780 requests of `held` had no answer by the end of the run."
    assert sentences.unanswered(report) == said
    assert "recovered best" not in (sentences.runner_up(report) or "")
    assert said.replace("`", "") in " ".join(printed(report).split())
    assert "had no answer by the end of the run." in to_html(report)


def test_requests_on_their_way_at_the_end_are_not_missed() -> None:
    """Those of the last 2 s, which is as long as an attempt may take."""
    report = held_back(40, 42)
    assert sentences.unanswered(report) is None
    assert "`held` recovered best" in (sentences.runner_up(report) or "")


@pytest.mark.parametrize(
    ("back_s", "from_s", "told"),
    [
        (20.0, None, "goodput was back only after 20.0 s."),
        (
            None,
            28.0,
            "goodput was back only from 28.0 s on, and not watched long enough to call it back.",
        ),
    ],
)
def test_goodput_that_came_back_late(back_s: float | None, from_s: float | None, told: str) -> None:
    """Whether it was watched long enough since, or not."""
    report = one()
    [policy] = report.policies
    assert policy.after
    after = replace(policy.after, goodput_known=True, goodput_back_s=back_s, goodput_from_s=from_s)
    late = replace(report, policies=(replace(policy, after=after),))
    assert any(remark.endswith(told) for remark in sentences.remarks(late))


def test_a_simulated_run_has_no_folder_to_be_called_after() -> None:
    """The row that has its id is its record's."""
    report = one()
    assert "<dt>run</dt>" in to_html(report)
    made = replace(report, run=replace(report.run, source="simulated"))
    assert "<dt>record</dt>" in to_html(made)
    assert "<dt>run</dt>" not in to_html(made)
