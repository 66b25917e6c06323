"""Two sets of samples against each other."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, permutation_test

from reports.statistics import permutation
from reports.statistics.difference import compare, holm
from reports.statistics.permutation import least_p, p_value, scores
from reports.statistics.value import Value
from tests.reports.statistics.coverage import DISTRIBUTIONS, Watch, sample
from tests.reports.statistics.remission import TREATED, UNTREATED
from tests.reports.statistics.strategies import CAME, UNHURRIED, VALUES


def surely_below(one: Value, other: Value) -> bool:
    """It came about, before the other did or could have."""
    if one.late:
        return False
    return one.amount <= other.amount if other.late else one.amount < other.amount


@UNHURRIED
@given(st.lists(VALUES, min_size=1, max_size=15))
def test_scores_count_what_is_sure(samples: list[Value]) -> None:
    """Pair by pair."""
    expected = [
        sum(surely_below(one, other) - surely_below(other, one) for other in samples)
        for one in samples
    ]
    assert scores(samples).tolist() == expected
    assert sum(expected) == 0


def test_gehans_own_example() -> None:
    """He found W = 271."""
    found = compare(UNTREATED, TREATED)
    assert scores([*TREATED, *UNTREATED])[:21].sum() == -271
    assert found.superiority == 0.5 - 271 / (2 * 21 * 21)
    assert found.shift == Value(15)
    assert found.p_value == pytest.approx(0.0003, abs=0.0002)


@UNHURRIED
@given(st.lists(VALUES, min_size=2, max_size=5), st.lists(VALUES, min_size=2, max_size=4))
def test_p_is_that_of_all_ways_to_divide_them(base: list[Value], new: list[Value]) -> None:
    """SciPy tries every one; ties, and late ones on any side."""
    pooled = scores([*new, *base])

    def far(one: np.ndarray, other: np.ndarray, axis: int) -> np.ndarray:
        return np.asarray(np.abs(one.sum(axis=axis)))

    theirs = permutation_test(
        (pooled[: len(new)], pooled[len(new) :]),
        far, alternative="greater", vectorized=True, n_resamples=10_000,
    )  # fmt: skip
    assert compare(base, new).p_value == pytest.approx(theirs.pvalue)


@UNHURRIED
@given(st.data())
def test_with_none_late_and_no_ties_it_is_mann_and_whitneys(data: st.DataObject) -> None:
    """SciPy's exact one, and its U as the superiority."""
    amounts = data.draw(st.lists(st.integers(0, 999), min_size=2, max_size=24, unique=True))
    at = data.draw(st.integers(1, len(amounts) - 1))
    found = compare([Value(one) for one in amounts[:at]], [Value(one) for one in amounts[at:]])
    theirs = mannwhitneyu(amounts[:at], amounts[at:], method="exact")
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.superiority == pytest.approx(theirs.statistic / (at * (len(amounts) - at)))


def test_too_many_ways_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As close to the exact p as 20,000 draws can be, and the same every time."""
    draw = np.random.default_rng(2)
    pooled = scores([Value(float(one)) for one in draw.integers(0, 9, 24)])
    exact = p_value(pooled, 11)
    monkeypatch.setattr(permutation, "_EXACT", 0)
    drawn = p_value(pooled, 11)
    assert drawn == p_value(pooled, 11) != exact
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))


@pytest.mark.parametrize(("base", "new"), [(1, 1), (1, 2), (3, 3), (3, 5), (4, 4), (7, 6)])
def test_the_least_p_is_that_of_samples_wholly_apart(base: int, new: int) -> None:
    """Each side equal in itself, which is more extreme than its reverse if sizes are not."""
    apart = compare([Value(0)] * base, [Value(9)] * new)
    assert apart.p_value == pytest.approx(least_p(base, new))
    assert apart.least_p == least_p(base, new)


@UNHURRIED
@given(st.lists(VALUES, min_size=1, max_size=8), st.lists(VALUES, min_size=1, max_size=8))
def test_the_other_way_round(base: list[Value], new: list[Value]) -> None:
    """What is worse for one is better for the other, and as likely chance."""
    found, turned = compare(base, new), compare(new, base)
    assert found.p_value == pytest.approx(turned.p_value)
    assert found.superiority == pytest.approx(1 - turned.superiority)
    assert found.least_p <= found.p_value + 1e-12


@UNHURRIED
@given(st.lists(CAME, min_size=1, max_size=8), st.lists(CAME, min_size=1, max_size=8))
def test_the_shift_is_that_of_the_medians(base: list[Value], new: list[Value]) -> None:
    """Negative where the new ones are smaller."""
    medians = [statistics.median([value.amount for value in one]) for one in (new, base)]
    assert compare(base, new).shift == Value(medians[0] - medians[1])


def test_the_same_samples_do_not_differ() -> None:
    """Late ones among them."""
    samples = [*[Value(one) for one in range(5)], Value(9, late=True)]
    found = compare(samples, samples)
    assert (found.superiority, found.p_value, found.shift) == (0.5, 1, Value(0))


def test_what_hangs_on_a_late_median_is_not_a_number() -> None:
    """No shift; the interval is open on the side that is not known."""
    came, late = [Value(one) for one in range(6)], [Value(9, late=True)] * 6
    worse, better = compare(came, late), compare(late, came)
    assert worse.shift is None
    assert worse.interval == (Value(9 - 5), None)
    assert better.interval == (None, Value(5 - 9))
    assert compare(late, late).interval == (None, None)
    assert compare(came, late[:5]).interval is None


@pytest.mark.parametrize(
    ("watch", "base", "new"), [(Watch(), 7, 7), (Watch(0.2), 6, 10), (Watch(0.2, True), 7, 9)]
)
def test_the_interval_of_the_shift_holds_it(watch: Watch, base: int, new: int) -> None:
    """In 500 pairs of sets, of which the new one is longer by ½."""
    distribution, _ = DISTRIBUTIONS["exponential"]
    times, draw, held = watch.times(distribution), np.random.default_rng(6), 0
    for _ in range(500):
        longer = sample(draw, new, distribution, times)
        found = compare(
            sample(draw, base, distribution, times),
            [Value(value.amount + 0.5, value.late) for value in longer],
        )
        low, high = found.interval or pytest.fail("none")
        held += (low is None or low.amount <= 0.5) and (high is None or high.amount >= 0.5)
    assert held / 500 >= 0.95 - 2.5 * math.sqrt(0.95 * 0.05 / 500)


def test_holm_as_r_does_it() -> None:
    """``p.adjust(c(.01, .04, .03, .005), "holm")``; in the order given, and never above 1."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.6]) == [1, 1]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []
