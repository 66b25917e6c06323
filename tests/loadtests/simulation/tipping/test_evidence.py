"""How sure one can be when one looks after every run: exact, by enumeration."""

from fractions import Fraction

import pytest

from loadtests.simulation.tipping.evidence import evidence, interval, least_runs

RUNS = 120


def ever_reached(share: Fraction, needed: Fraction, runs: int) -> Fraction:
    """The probability that the evidence is ever enough, looking after each of so many runs."""
    going: dict[int, Fraction] = {0: Fraction(1)}
    reached = Fraction(0)
    for n in range(1, runs + 1):
        after: dict[int, Fraction] = {}
        for k, probability in going.items():
            after[k] = after.get(k, Fraction(0)) + probability * (1 - share)
            after[k + 1] = after.get(k + 1, Fraction(0)) + probability * share
        reached += sum((p for k, p in after.items() if evidence(k, n) >= needed), Fraction(0))
        going = {k: p for k, p in after.items() if evidence(k, n) < needed}
    return reached


def test_before_any_run_there_is_none() -> None:
    """The even bet that one begins with."""
    assert evidence(0, 0) == 1


def test_it_is_the_mean_likelihood_ratio() -> None:
    """One success of one: the mean of 2p over p from 1/2 to 1 is 3/2; one failure: 1/2."""
    assert evidence(1, 1) == Fraction(3, 2)
    assert evidence(0, 1) == Fraction(1, 2)


@pytest.mark.parametrize("n", [1, 5, 12])
@pytest.mark.parametrize("k_of", [0.0, 0.4, 1.0])
def test_it_is_a_fair_bet_where_half_recover(n: int, k_of: float) -> None:
    """Whatever was seen, the next run leaves it as it is on average: that is what the bound needs.

    And where fewer recover it shrinks on average.
    """
    k = round(k_of * n)
    good, bad = evidence(k + 1, n + 1), evidence(k, n + 1)
    assert (good + bad) / 2 == evidence(k, n)
    assert Fraction(2, 5) * good + Fraction(3, 5) * bad < evidence(k, n)


def test_however_often_one_looks_the_error_stays_below_what_is_allowed() -> None:
    """Half recover, and one looks after each of 120 runs: the worst case, and not far below."""
    found = ever_reached(Fraction(1, 2), Fraction(20), RUNS)
    assert Fraction(1, 60) < found < Fraction(1, 20)


def test_runs_that_all_end_alike_are_soon_enough() -> None:
    """2^13 ÷ 13 is above 600, 2^12 ÷ 12 is not."""
    assert least_runs(Fraction(600)) == 12
    assert evidence(12, 12) >= 600 > evidence(11, 11)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_the_interval_holds_whenever_one_stops(share: float) -> None:
    """The probability that it ever leaves out the true share, over all paths of 100 runs."""
    going: dict[int, float] = {0: 1.0}
    left_out = 0.0
    for n in range(1, 101):
        after: dict[int, float] = {}
        for k, probability in going.items():
            after[k] = after.get(k, 0.0) + probability * (1 - share)
            after[k + 1] = after.get(k + 1, 0.0) + probability * share
        bounds = {k: interval(k, n, 0.05) for k in after}
        outside = {k for k, found in bounds.items() if not found.low <= share <= found.high}
        left_out += sum(after[k] for k in outside)
        going = {k: p for k, p in after.items() if k not in outside}
    assert 0.005 < left_out < 0.05


def test_an_interval_has_the_share_that_was_seen_within_it() -> None:
    """At the ends too; without any run it is everything."""
    assert (interval(0, 0, 0.05).low, interval(0, 0, 0.05).high) == (0.0, 1.0)
    for k in range(13):
        found = interval(k, 12, 0.05)
        assert 0 <= found.low <= k / 12 <= found.high <= 1
    assert interval(12, 12, 0.05).high == 1.0
    assert interval(0, 12, 0.05).low == 0.0
    assert interval(9, 12, 0.05).low == pytest.approx(1 - interval(3, 12, 0.05).high)
