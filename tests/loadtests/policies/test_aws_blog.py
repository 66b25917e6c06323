"""The four backoffs of the AWS Architecture Blog, against the formulas of its simulator."""

from random import Random

import pytest

from loadtests.policies import Outcome, preset
from loadtests.policies.backoff import BackoffState, next_wait_s
from loadtests.policies.retry import Retry
from tests.loadtests.policies.beside import ours, same_failure

BASE_S, CAP_S, RETRIES = 0.005, 2.0, 40


def exponential(n: int) -> float:
    """The simulator counts its first failure as n = 1."""
    return min(CAP_S, BASE_S * 2.0**n)


def simulated(name: str, rng: Random) -> list[float]:
    """The waits of one client."""
    waits: list[float] = []
    slept_s = BASE_S
    for n in range(1, RETRIES + 1):
        if name == "aws-blog-exponential":
            slept_s = exponential(n)
        elif name == "aws-blog-full":
            slept_s = rng.uniform(0, exponential(n))
        elif name == "aws-blog-equal":
            slept_s = exponential(n) / 2 + rng.uniform(0, exponential(n) / 2)
        else:
            slept_s = min(CAP_S, rng.uniform(BASE_S, slept_s * 3))
        waits.append(slept_s)
    return waits


NAMES = [f"aws-blog-{kind}" for kind in ("exponential", "full", "equal", "decorrelated")]


@pytest.mark.parametrize("name", NAMES)
def test_the_waits_are_the_simulators(name: str) -> None:
    """From the same random numbers, for 200 clients of 40 retries."""
    for seed in range(200):
        waits = ours(preset(name, attempts=RETRIES + 1), same_failure(503, 41), seed).waits
        assert waits == pytest.approx(simulated(name, Random(seed)), rel=1e-12)


def test_the_first_waits() -> None:
    """Twice the base, and twice that; 2 s from the ninth on."""
    waits = ours(preset("aws-blog-exponential", attempts=11), same_failure(503, 11), 0).waits
    expected = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.0, 2.0]
    assert waits == pytest.approx(expected)


def test_they_go_on_until_it_succeeds() -> None:
    """The simulator has no limit."""
    script = [*same_failure(503, 999), Outcome(status=200)]
    assert ours(preset("aws-blog-full"), script, 0).attempts == 1000


@pytest.mark.parametrize(
    ("name", "share"),
    [("aws-blog-exponential", 1.0), ("aws-blog-full", 0.0), ("aws-blog-decorrelated", 0.267)],
)
def test_how_many_waits_are_the_cap_itself_in_a_long_outage(name: str, share: float) -> None:
    """The clamp of the decorrelated one comes after its draw: one in four at the 40th retry."""
    policy = preset(name).build()
    assert isinstance(policy, Retry)
    rng, draws, capped = Random(5), 10_000, 0
    for _ in range(draws):
        state = BackoffState()
        waits = [next_wait_s(policy.backoff, state, rng) for _ in range(RETRIES)]
        capped += waits[-1] == CAP_S
    # 3.9 deviations of a binomial share: passed by chance once in 10,000
    assert capped / draws == pytest.approx(share, abs=3.9 * (0.267 * 0.733 / draws) ** 0.5)
