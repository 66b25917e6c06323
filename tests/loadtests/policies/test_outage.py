"""A total outage in virtual time: counts that are known from a formula."""

import pytest

from loadtests.policies import Action, Await, Call, Course, Outcome, Send, Stop, StopReason, preset
from loadtests.policies.backoff import Capped, DecorrelatedJitter, Exponential, Fixed, FullJitter
from loadtests.policies.outage import BUSY, NO_CONNECTION, attempts_in_outage, delay_percentiles
from loadtests.policies.retry import Retry


@pytest.mark.parametrize(
    ("name", "attempts"),
    [("no-retry", 1000), ("immediate", 4000), ("full-jitter", 4000), ("full-jitter-budget", 1100)],
)
@pytest.mark.parametrize("outcome", [BUSY, NO_CONNECTION])
def test_an_outage_makes_the_attempts_of_the_formula(
    name: str, attempts: int, outcome: Outcome
) -> None:
    """Requests × attempts, or requests × (1 + ratio) with a bucket that starts empty."""
    outage = attempts_in_outage([preset(name).build()], outcome)
    assert (outage.attempts, outage.cut_short) == (attempts, False)


def test_a_budget_in_each_client_bounds_no_fleet() -> None:
    """Article 003's budget starts with 10 retries: 1,109 attempts by one client, as it prints.

    A hundred clients have 1,000 retries between them before any budget says no; what ten requests
    earn each of them in the meantime comes to less than one more.
    """
    source = preset("seed-003-credits")
    one = attempts_in_outage([source.build()], BUSY)
    fleet = attempts_in_outage([source.build() for _ in range(100)], BUSY)
    assert one.attempts == 1109
    assert fleet.attempts == 1000 + 100 * 10


def test_a_policy_without_end_is_cut_short_by_count() -> None:
    """And says so."""
    outage = attempts_in_outage([Retry(None, Fixed(0.0))], BUSY, requests=2, most_attempts=500)
    assert (outage.attempts, outage.cut_short) == (500, True)


def test_a_policy_without_end_is_cut_short_by_time() -> None:
    """1 + 10 attempts in 10 s and a bit, one second apart."""
    outage = attempts_in_outage([Retry(None, Fixed(1.0))], BUSY, requests=1, look_for_s=10.9)
    assert (outage.attempts, outage.cut_short) == (11, True)


class Hedging:
    """Sends three attempts, one every 0.2 ms, and stops when the third has ended."""

    def begin(self, call: Call) -> Course:
        return _HedgingCourse()

    def describe(self) -> str:
        return "three at once"


class _HedgingCourse:
    def __init__(self) -> None:
        self.sent = 0
        self.ended = 0

    def start(self, now_s: float) -> Action:
        return self.resumed(now_s)

    def resumed(self, now_s: float) -> Action:
        self.sent += 1
        return Send(hedge_after_s=0.0002 if self.sent < 3 else None)

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        self.ended += 1
        return Stop(StopReason.OUT_OF_ATTEMPTS) if self.ended == 3 else Await()

    def abandoned(self, now_s: float) -> None:
        pass


def test_hedges_are_driven_too() -> None:
    """Three attempts in flight, each finished once."""
    outage = attempts_in_outage([Hedging()], BUSY, requests=10)
    assert (outage.attempts, outage.cut_short) == (30, False)


def test_percentiles_of_full_jitter_are_those_of_the_uniform_distribution() -> None:
    """p of U(0, w) is p·w: within 3% of w for 2,000 draws."""
    backoff = FullJitter(Capped(Exponential(1.0), 4.0))
    for row, longest in zip(delay_percentiles(backoff, 4), [1, 2, 4, 4], strict=True):
        for percent, wait in row.at.items():
            assert abs(wait / longest - percent / 100) < 0.03


def test_percentiles_carry_the_state_of_each_request() -> None:
    """A backoff that remembers its last wait gets its own, not another's."""
    rows = delay_percentiles(DecorrelatedJitter(1.0, 100.0), 3)
    assert rows[0].at[99] <= 3
    assert rows[1].at[99] <= 9
    assert rows[1].at[99] > 3
