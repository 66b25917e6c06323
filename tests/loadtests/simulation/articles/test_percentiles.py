"""Where the percentile of other runs of one model lies: as often as it is said to."""

from random import Random

import pytest

from loadtests.simulation.articles.percentiles import band, where_elsewhere
from loadtests.simulation.ranks import percentile


def test_the_nearest_rank_is_a_value_of_the_sample() -> None:
    """Of 1 to 300 the 1st percentile is 3, the 50th 150 and the 99th 297."""
    sample = list(range(300, 0, -1))
    assert [percentile(sample, percent) for percent in (1, 50, 99)] == [3, 150, 297]
    assert percentile([7.0], 1) == percentile([7.0], 99) == 7.0
    assert band(sample) == (3, 297)


@pytest.mark.parametrize("percent", [1, 25, 50, 99])
def test_another_sample_of_the_same_lies_there_as_often_as_it_is_said(percent: int) -> None:
    """300 pairs of samples at 90%: at least 86% within, one standard error being 1.7%."""
    rng = Random(percent)
    within = 0
    for _ in range(300):
        ours = [rng.gauss(0, 1) for _ in range(300)]
        theirs = percentile([rng.gauss(0, 1) for _ in range(300)], percent)
        least, most = where_elsewhere(ours, percent, 300, confidence=0.9)
        within += (least is None or least <= theirs) and (most is None or theirs <= most)
    assert within / 300 >= 0.87


def test_a_sample_that_is_shifted_by_a_deviation_lies_outside() -> None:
    """The median of 300 others one deviation away, and a 1st percentile from above."""
    rng = Random(0)
    ours = [rng.gauss(0, 1) for _ in range(300)]
    least, most = where_elsewhere(ours, 50, 300)
    assert least is not None
    assert most is not None
    assert -1 < least < 0 < most < 1
    _, most = where_elsewhere(ours, 1, 300)
    assert most is not None
    assert most < -1.3


def test_few_runs_do_not_bound_a_percentile_beyond_their_extremes() -> None:
    """Of 300 others the third smallest may be below all of our 300; hardly below 5,000."""
    assert where_elsewhere(list(range(300)), 1, 300)[0] is None
    assert where_elsewhere(list(range(300)), 99, 300)[1] is None
    assert where_elsewhere(list(range(5000)), 1, 300)[0] is not None
