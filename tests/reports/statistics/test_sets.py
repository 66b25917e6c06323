"""Samples with something in common, as the dips of one run: they must not pass for certainty."""

import math

import numpy as np

from reports.statistics.summary import summarise, summarise_sets
from reports.statistics.value import Value

RUNS, DIPS, TIMES = 8, 10, 400


def _sets(rng: np.random.Generator) -> list[list[Value]]:
    """Runs that differ, exponentially with mean 1; the dips of each are alike but for 1%."""
    return [
        [Value(float(own * part)) for part in rng.uniform(0.99, 1.01, DIPS)]
        for own in rng.exponential(size=RUNS)
    ]


def _holds(ends: tuple[Value, Value] | None, truth: float) -> bool:
    assert ends is not None
    return ends[0].amount <= truth <= ends[1].amount


def test_the_interval_of_correlated_samples_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    truth = math.log(2)
    held = naive = 0
    for _ in range(TIMES):
        sets = _sets(rng)
        held += _holds(summarise_sets(sets).interval, truth)
        naive += _holds(summarise([one for run in sets for one in run]).interval, truth)
    assert held >= 0.95 * TIMES - 2 * math.sqrt(TIMES * 0.95 * 0.05)
    assert naive < 0.7 * TIMES  # what it would be if each dip were taken for a run


def test_counts_and_ranges_are_over_all_samples() -> None:
    sets = [[Value(1.0), Value(2.0), Value(5.0, late=True)], [Value(3.0)]]
    found = summarise_sets(sets)
    assert (found.n, found.late) == (4, 1)
    assert (found.least, found.most) == (Value(1.0), Value(5.0, late=True))
    assert found.median == Value(2.5)


def test_sets_of_one_sample_are_those_samples() -> None:
    samples = [Value(float(n)) for n in range(12)]
    assert summarise_sets([[one] for one in samples]) == summarise(samples)
