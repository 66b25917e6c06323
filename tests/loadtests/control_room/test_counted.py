"""Failed, requests and amplification on the page are those of the report."""

from collections import Counter

import pytest

from reports.record import End, Requests
from tests.loadtests.control_room.metered import all_after, reported, told
from tests.reports.synthetic import TICK_S, Made, Shape, plain, storm

HIDDEN = 3
"""Attempts in a tick that a gateway adds, of which no client knows."""


def run_of(ticks: int, **changes: object) -> Made:
    """Nine requests in a tick, two of which fail, and more attempts than the clients made."""
    totals = [count + HIDDEN for count in storm(30, ticks=ticks)]
    lines = tuple(
        Requests(tick * TICK_S, "a", 9, 7, Counter(exhausted=1, deadline=1), 10)
        for tick in range(ticks)
    )
    return Made([Shape("a", plain(totals), requests=lines)], ticks=ticks).but(**changes)


@pytest.mark.parametrize("observe_from_s", [0.0, 1.0])
@pytest.mark.parametrize(
    ("planned_end_s", "end_s"),
    [(None, 30.0), (None, 29.97), (30.0, 30.4), (25.0, 25.0), (None, 0.5), (31.2, 30.0)],
)
@pytest.mark.parametrize("kept", [12_000, 150])
def test_the_page_counts_what_the_report_counts(
    observe_from_s: float, planned_end_s: float | None, end_s: float, kept: int
) -> None:
    """From the end of the warm-up to the end of the load, though more was told of."""
    made = run_of(315, planned_end_s=planned_end_s, end=End(end_s), observe_from_s=observe_from_s)
    report = reported(made)
    tally = told(made)
    [standing] = all_after(made, made.ticks, tally, kept, every=3)
    totals = tally.of("a")
    assert (totals.requests, totals.failed) == (report.requests, report.failed_by_reason)
    assert totals.succeeded == report.succeeded
    assert (standing.offered_in_run, standing.requests_in_run) == (report.attempts, report.requests)
    assert tally.lifetime()["a"].requests == 315 * 9


def test_requests_that_are_told_in_several_lines_count_in_each() -> None:
    """A request ends long after it was due, in whatever line."""
    made = run_of(300, planned_end_s=None, end=None)
    tally = told(made)
    tally.take([Requests(28.0, "a", failed=Counter(deadline=5)), End(27.0)])
    assert tally.of("a").requests == 270 * 9
    assert tally.of("a").failed["deadline"] == 270
