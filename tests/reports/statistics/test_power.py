"""How many samples would show a difference."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, norm

from reports.statistics.power import samples_needed


def test_by_hand() -> None:
    """(1.960 + 0.842)² / (12 · ¼ · 0.2²) = 65.4 together."""
    assert samples_needed(0.7) == samples_needed(0.3) == 33


def test_wholly_apart_needs_what_the_test_needs() -> None:
    """Noether's is 6; at a level of a millionth even all below needs 12."""
    assert samples_needed(1.0) == 6
    assert samples_needed(1.0, level=1e-6, power=0.01) == 12


def test_no_difference_needs_no_number() -> None:
    """There is nothing that more samples would show."""
    assert samples_needed(0.5) is None


@pytest.mark.parametrize("superiority", [0.65, 0.75, 0.85])
def test_so_many_show_it_in_four_of_five_tries_or_more(superiority: float) -> None:
    """More where they are far apart: the formula is careful there.

    By SciPy's Mann-Whitney on two normal distributions, 2,000 times.
    """
    needed = samples_needed(superiority)
    draw = np.random.default_rng(8)
    base = draw.normal(np.sqrt(2) * norm.ppf(superiority), 1, (2_000, needed or 1))
    new = draw.normal(0, 1, base.shape)
    shown = np.mean(mannwhitneyu(new, base, axis=1).pvalue <= 0.05)
    assert 0.77 <= shown <= 0.9
