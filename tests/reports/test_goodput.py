"""When goodput is back: known outages come out to the tick, and ordinary noise is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.measuring.goodput import Goodput, goodput_back
from reports.reading.series import Bins, Counts

BEFORE, AFTER = slice(0, 100), slice(100, 400)


def bins(issued: Counts, failed: Counts, unfinished: Counts | int = 0) -> Bins:
    size = issued.size
    return Bins(
        t_s=np.arange(size) / 10,
        issued=issued,
        succeeded=issued - failed - unfinished,
        attempts=issued,
        failed={"budget": failed},
        latency=np.zeros((0, 3), np.int64),
    )


def back(failed: Counts, rate: int = 9) -> Goodput | None:
    return goodput_back(bins(np.full(400, rate, np.int64), failed), BEFORE, AFTER, 0.1)


def outage(length: int, lost: int = 9, start: int = 100) -> Counts:
    failed = np.zeros(400, np.int64)
    failed[start : start + length] = lost
    return failed


@settings(max_examples=50, deadline=None)
@given(length=st.integers(1, 240), lost=st.integers(5, 9))
def test_an_outage_of_known_length_ends_within_a_tick(length: int, lost: int) -> None:
    found = back(outage(length, lost))
    assert found is not None
    assert found.back == pytest.approx(length, abs=1)


def test_goodput_that_was_never_away_is_back_at_once() -> None:
    assert back(outage(0)) == Goodput(0)


def test_a_loss_of_less_than_a_twentieth_is_none() -> None:
    """2 of 90 requests of every second."""
    failed = np.zeros(400, np.int64)
    failed[100::5] = 1
    assert back(failed) == Goodput(0)


def test_failures_as_usual_do_not_count() -> None:
    """A third fails before as after, in an uneven way."""
    rng = np.random.default_rng(3)
    assert back(rng.binomial(9, 1 / 3, 400)) == Goodput(0)


@pytest.mark.parametrize("seed", range(30))
def test_arrivals_that_vary_are_no_loss(seed: int) -> None:
    issued = np.random.default_rng(seed).poisson(5, 400)
    found = goodput_back(bins(issued, np.zeros(400, np.int64)), BEFORE, AFTER, 0.1)
    assert found == Goodput(0)


def test_goodput_that_comes_back_for_less_than_the_hold_is_not_back() -> None:
    assert back(outage(20) + outage(20, start=150)) == Goodput(70)
    assert back(outage(20) + outage(20, start=185)) == Goodput(20), "65 calm ticks are a hold"


@pytest.mark.parametrize(("length", "good_from"), [(300, None), (270, 280)])
def test_goodput_that_does_not_come_back(length: int, good_from: int | None) -> None:
    """Away to the end; or good again for less than the hold, which is said."""
    found = back(outage(length))
    assert found is not None
    assert found.back is None
    assert found.good_from == (good_from and pytest.approx(good_from, abs=1))


def test_requests_still_on_their_way_at_the_end_are_no_loss() -> None:
    unfinished = np.zeros(400, np.int64)
    unfinished[395:] = 5
    whole = bins(np.full(400, 9, np.int64), outage(200), unfinished)
    assert goodput_back(whole, BEFORE, AFTER, 0.1) == Goodput(200)


def test_a_second_in_which_no_request_ended_is_lost() -> None:
    """All of them hang: nothing fails, and nobody is served."""
    unfinished = np.zeros(400, np.int64)
    unfinished[100:160] = 9
    whole = bins(np.full(400, 9, np.int64), np.zeros(400, np.int64), unfinished)
    found = goodput_back(whole, BEFORE, AFTER, 0.1)
    assert found is not None
    assert found.back is not None
    assert 50 <= found.back <= 60


@pytest.mark.parametrize("failed", [np.full(400, 9, np.int64), outage(0)])
def test_without_goodput_before_there_is_nothing_to_compare_with(failed: Counts) -> None:
    rate = 9 if failed.any() else 0
    assert back(failed, rate) is None
