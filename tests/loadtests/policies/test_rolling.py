"""Windows of counts: what is in them, and what a clock that steps does to them."""

from random import Random

import pytest

from loadtests.policies.rolling import RollingCounts


def test_a_bucket_is_forgotten_as_a_whole() -> None:
    """Once its beginning is as old as the window."""
    counts = RollingCounts(10.0, 1.0)
    counts.add(0.25, 0)
    counts.add(1.0, 1)  # the same bucket: it began less than a second before
    counts.add(1.25, 1)
    assert list(counts.at(10.0)) == [1, 2]
    assert list(counts.at(10.25)) == [0, 1]
    assert list(counts.at(11.25)) == [0, 0]


def test_aligned_buckets_begin_at_whole_multiples() -> None:
    """1.9 and 2.0 are two of them."""
    counts = RollingCounts(2.0, 1.0, aligned=True)
    counts.add(1.9, 0)
    counts.add(2.0, 0)
    assert list(counts.at(2.9)) == [2, 0]
    assert list(counts.at(3.0)) == [1, 0]


def test_a_clock_that_steps_back_forgets_nothing_until_it_has_caught_up() -> None:
    """And no count is ever below 0."""
    counts = RollingCounts(5.0, 0.5)
    counts.add(100.0, 0)
    counts.add(3.0, 0)
    assert list(counts.at(104.9)) == [2, 0]
    assert list(counts.at(105.0)) == [0, 0]
    rng, counts, now_s = Random(3), RollingCounts(5.0, 0.5), 0.0
    for _ in range(5000):
        now_s += rng.choice([0.1, 1.0, 7.0, -3.0, -1e6, 1e6])
        counts.add(now_s, rng.randrange(2))
        assert min(counts.counts) >= 0
    assert sum(counts.at(1e12)) == 0


def test_memory_is_bounded_by_the_number_of_buckets() -> None:
    """A hundred thousand things are ten buckets, and a few at the ends."""
    counts = RollingCounts(10.0, 1.0)
    for number in range(100_000):
        counts.add(number / 1000, 0)
    assert len(counts._buckets) <= 11
    assert counts.at(100.0)[0] == pytest.approx(10_000, abs=1100)


@pytest.mark.parametrize(("window_s", "bucket_s"), [(0, 1), (1, 0), (float("inf"), 1), (-1, 1)])
def test_a_window_has_a_length(window_s: float, bucket_s: float) -> None:
    """And so have its buckets."""
    with pytest.raises(ValueError, match="expected a finite number above 0"):
        RollingCounts(window_s, bucket_s)
