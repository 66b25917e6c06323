"""The chances of waits in ticks are those of the policy's own draws."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from loadtests.policies import preset
from loadtests.policies.backoff import (
    AddedJitter,
    Backoff,
    BackoffState,
    BandJitter,
    Capped,
    Doubling,
    Exponential,
    Fixed,
    FullJitter,
    LinearDraw,
    PowerJitter,
    StepJitter,
    WholeFullJitter,
    WholeGrowth,
    next_wait_s,
)
from loadtests.policies.limits import Spans, StopsBeforeWait
from loadtests.policies.retry import Retry
from loadtests.simulation.ticks.waits import Laws, evenly_spread
from loadtests.simulation.whole_ticks import in_ticks
from tests.loadtests.policies.drive import OVERLOADED

EXPONENTIAL = Exponential(0.1, first=0)
BACKOFFS: list[Backoff] = [
    Fixed(0.25),
    EXPONENTIAL,
    FullJitter(Capped(EXPONENTIAL, 6.4)),
    FullJitter(EXPONENTIAL, least_s=0.1),
    Capped(FullJitter(EXPONENTIAL), 0.33),
    StepJitter(EXPONENTIAL, 0.1),
    StepJitter(EXPONENTIAL, 0.25),
    BandJitter(EXPONENTIAL, 0.8, 1.2),
    AddedJitter(Fixed(0.02), 0.7),
    PowerJitter(Fixed(0.1), 2.0, 2.0),
    LinearDraw(0.1, 0.3),
    WholeFullJitter(Doubling(0.05, 1.0)),
    WholeGrowth(0.1, 2.0, 0.5),
]
LONGEST = 400


@pytest.mark.parametrize("backoff", BACKOFFS, ids=lambda backoff: backoff.describe())
@pytest.mark.parametrize("retry", [1, 3])
def test_chances_are_those_of_the_backoff(backoff: Backoff, retry: int) -> None:
    """Of 4000 of its own draws by chi-square, and by their mean where none is below a tick."""
    law = Laws(Retry(4, backoff), OVERLOADED, LONGEST).after(retry, 0)
    assert law.stops == 0
    assert law.waits.sum() == pytest.approx(1, abs=1e-12)
    assert law.waits.min() >= -1e-15
    rng, waits_s = Random(retry), []
    for _ in range(4000):
        state = BackoffState(after=OVERLOADED)
        waits_s.append([next_wait_s(backoff, state, rng) for _ in range(retry)][-1])
    counts = Counter(max(1, int(in_ticks(wait_s) + rng.random())) for wait_s in waits_s)
    expected: list[float] = (4000 * law.waits).tolist()
    chi_square = sum((counts[d + 1] - n) ** 2 / n for d, n in enumerate(expected) if n > 1e-9)
    assert sum(counts[d + 1] for d, n in enumerate(expected) if n > 1e-9) == 4000
    freedom = max(1, sum(n > 1e-9 for n in expected) - 1)
    assert chi_square < freedom + 5 * (2 * freedom) ** 0.5 + 8
    if min(waits_s) >= 0.1:
        mean = float(law.waits @ np.arange(1, law.waits.size + 1))
        deviation = float(np.std(waits_s)) / 4000**0.5
        assert mean == pytest.approx(np.mean(waits_s) / 0.1, abs=5 * deviation / 0.1 + 1e-6)


def test_article_000s_draw_is_exact() -> None:
    """Before retry n each of ``1 … 2^n`` ticks has the same chance."""
    policy = preset("full-jitter", step_s=0.1).build()
    assert isinstance(policy, Retry)
    laws = Laws(policy, OVERLOADED, LONGEST)
    for retry in (1, 2, 3):
        assert laws.after(retry, 0).waits == pytest.approx(np.full(2**retry, 2.0**-retry))


def test_a_wait_anywhere_between_two_and_four_ticks() -> None:
    """Two and four are half a tent each, three is a whole one."""
    assert evenly_spread(2, 4, LONGEST) == pytest.approx([0, 0.25, 0.5, 0.25])


def test_what_outlasts_the_run_is_as_long_as_the_run() -> None:
    """Nobody asks how much longer it is."""
    law = Laws(Retry(4, Fixed(1e15)), OVERLOADED, LONGEST).after(1, 0)
    assert law.waits.size == LONGEST
    assert law.waits[-1] == 1
    law = Laws(Retry(4, FullJitter(Fixed(80.0))), OVERLOADED, LONGEST).after(1, 0)
    assert law.waits[-1] == pytest.approx(0.5, abs=0.01)


def test_a_deadline_is_asked_for_every_age() -> None:
    """The later a request fails, the more of its waits would end too late, or are cut."""
    jitter = FullJitter(Fixed(0.8))
    stops = Laws(Retry(4, jitter, deadline=StopsBeforeWait(1.0)), OVERLOADED, LONGEST)
    chances = [stops.after(1, age).stops for age in (0, 2, 4, 6, 10)]
    assert chances == pytest.approx([0, 0, 0.25, 0.5, 1], abs=2e-3)
    cuts = Laws(Retry(4, jitter, deadline=Spans(1.0)), OVERLOADED, LONGEST)
    assert cuts.after(1, 6).stops == 0
    assert cuts.after(1, 6).waits.size == 4
    assert cuts.after(1, 10).stops == 1
