"""Capacity · tick attempts are admitted, exactly, also where that is no whole number."""

import random
from fractions import Fraction

import pytest

from target_service.admission import Admission


def admitted_in(admission: Admission, asked: int) -> int:
    """How many of `asked` attempts the running tick admits."""
    return sum(admission.admit() for _ in range(asked))


@pytest.mark.parametrize(
    ("capacity_per_s", "ticks", "total"),
    [(95, 10, 95), (33, 100, 330), (33.3, 1000, 3330), (0.5, 100, 5), (0, 50, 0), (100, 3, 30)],
)
def test_fractions_carry_over(capacity_per_s: float, ticks: int, total: int) -> None:
    """9.5 a tick is 95 in ten ticks, and 3.3 a tick is 330 in a hundred."""
    admission = Admission()
    admitted = 0
    for _ in range(ticks):
        admission.open_tick(capacity_per_s, 0.1)
        admitted += admitted_in(admission, 1000)
    assert admitted == total


def test_no_tick_is_more_than_one_attempt_off() -> None:
    """After any number of ticks, no more and not one less than capacity has been admitted."""
    rng = random.Random("0/admission")
    for _ in range(50):
        capacity = Fraction(rng.randrange(1, 100_000), 1000)
        admission = Admission()
        admitted = 0
        for tick in range(1, 200):
            admission.open_tick(float(capacity), 0.1)
            admitted += admitted_in(admission, 20)
            assert admitted == capacity * tick // 10


def test_unused_whole_admissions_are_lost() -> None:
    """Idle ticks do not save up for a burst."""
    admission = Admission()
    for _ in range(10):
        admission.open_tick(95, 0.1)
    assert admitted_in(admission, 1000) == 10
    admission.open_tick(95, 0.1)
    assert admitted_in(admission, 1000) == 9


def test_the_fraction_survives_a_tick_without_capacity() -> None:
    """A tick at 0/s admits nothing and keeps what was carried."""
    admission = Admission()
    admission.open_tick(95, 0.1)
    admitted_in(admission, 1000)
    admission.open_tick(0, 0.1)
    assert admitted_in(admission, 1) == 0
    admission.open_tick(95, 0.1)
    assert admitted_in(admission, 1000) == 10


def test_whole_admissions_are_as_many_as_are_admitted() -> None:
    """At any time in a tick, of any capacity."""
    rng = random.Random("0/whole")
    admission = Admission()
    for _ in range(200):
        admission.open_tick(rng.uniform(0, 300), 0.1)
        admitted_in(admission, rng.randrange(20))
        left = admission.whole
        assert admitted_in(admission, 1000) == left
        assert admission.whole == 0
