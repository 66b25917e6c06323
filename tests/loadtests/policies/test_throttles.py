"""Budgets over a window and throttles of the client's own, from the SRE book, Beam and Envoy."""

from random import Random

import pytest

from loadtests.policies import AttemptError, Outcome, StopReason, preset
from loadtests.policies.budgets import ShareOf, WindowBudget
from loadtests.policies.guards import AdaptiveThrottle, AdmissionControl, Admitted, Refused
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive

RNG = Random(0)


def attempted(guard: AdaptiveThrottle | AdmissionControl, now_s: float, outcome: Outcome) -> bool:
    """One attempt, ended at once if it was let out."""
    if not isinstance(guard.admit(now_s, RNG), Admitted):
        return False
    guard.observed(now_s, outcome, 0)
    return True


# SRE: the client's budget


def test_the_sre_budget_allows_a_retry_while_retries_are_under_a_tenth() -> None:
    """Of 1,000 requests in a total outage 100; three attempts at most a request."""
    policy = preset("sre-client-budget").build()
    driven = [drive(policy, [OVERLOADED] * 3) for _ in range(1000)]
    assert sum(request.attempts for request in driven) == 1100
    assert max(request.attempts for request in driven) <= 3
    assert driven[0].attempts == 2  # 0 retries are fewer than 0.1
    assert driven[1].attempts == 1


def test_the_sre_budget_counts_requests_of_its_window_only() -> None:
    """A quiet spell saves nothing up beyond it."""
    policy = preset("sre-client-budget", budget_window="60s").build()
    for _ in range(1000):
        drive(policy, [SERVED])
    driven = [drive(policy, [OVERLOADED] * 3, start_s=70) for _ in range(10)]
    assert sum(request.attempts for request in driven) == 11


def test_seven_in_a_hundred_are_seven_in_floating_point_too() -> None:
    """100·0.07 is a hair above 7."""
    budget = WindowBudget(0.07)
    for _ in range(100):
        budget.requested(0.0)
    assert [budget.withdraw(0.0, OVERLOADED) for _ in range(8)] == [1.0] * 7 + [None]


@pytest.mark.parametrize("of", list(ShareOf))
def test_retries_stay_below_the_share_in_any_window(of: ShareOf) -> None:
    """Under random traffic: never more of them than the share of what there was, plus one."""
    rng = Random(4)
    for _ in range(30):
        share, now_s = rng.random(), 0.0
        budget = WindowBudget(share, of, 10.0)
        there_were: list[float] = []
        retries: list[float] = []
        for _ in range(500):
            now_s += rng.expovariate(20)
            if rng.random() < 0.6:
                budget.requested(now_s)
                budget.observed(now_s, SERVED, False, 0)
                there_were.append(now_s)
            elif budget.withdraw(now_s, OVERLOADED) is not None:
                retries.append(now_s)
                # A bucket is of half a second: what is in it may be forgotten so much earlier.
                recent = sum(when >= now_s - 9.5 for when in retries)
                basis = sum(when >= now_s - 10 for when in there_were)
                assert recent <= share * basis + 1


# SRE: adaptive throttling


def test_adaptive_throttling_follows_the_formula() -> None:
    """P = max(0, (requests − K·accepts)/(requests + 1)), before the request itself is counted."""
    throttle = AdaptiveThrottle()
    assert throttle.probability(0.0) == 0
    expected: list[float] = []
    accepts = 0
    rng = Random(1)
    for requests in range(300):  # whether they were let out or not
        outcome = SERVED if rng.random() < 0.3 else OVERLOADED
        expected.append(max(0.0, (requests - 2 * accepts) / (requests + 1)))
        assert throttle.probability(0.0) == pytest.approx(expected[-1])
        accepts += attempted(throttle, 0.0, outcome) and outcome is SERVED
    assert max(expected) > 0.3


def test_half_accepted_is_enough_for_k_of_2() -> None:
    """Nothing is refused where every second one is accepted."""
    throttle = AdaptiveThrottle()
    assert all(attempted(throttle, 0.0, SERVED if n % 2 == 0 else OVERLOADED) for n in range(1000))


def test_in_an_outage_attempts_grow_with_the_logarithm_of_requests() -> None:
    """Let out is 1 in requests + 1: of 100,000, about 12, and never none."""
    counts = []
    for seed in range(50):
        throttle, rng = AdaptiveThrottle(), Random(seed)
        let_out = 0
        for _ in range(10_000):
            if isinstance(throttle.admit(0.0, rng), Admitted):
                throttle.observed(0.0, OVERLOADED, 0)
                let_out += 1
        counts.append(let_out)
    assert min(counts) >= 1
    assert sum(counts) / len(counts) == pytest.approx(9.8, abs=1.5)  # the harmonic number of 10,000


def test_what_two_minutes_ago_was_refused_is_forgotten() -> None:
    """Then everything is let out again."""
    throttle = AdaptiveThrottle()
    for _ in range(1000):
        attempted(throttle, 0.0, OVERLOADED)
    assert throttle.probability(119.9) > 0.99
    assert throttle.probability(120.0) == 0


@pytest.mark.parametrize(
    ("outcome", "accepted"),
    [
        (Outcome(status=404), True),
        (Outcome(status=500), True),
        (Outcome(status=429), False),
        (Outcome(status=503), False),
        (Outcome(status=None, error=AttemptError.TIMEOUT), False),
    ],
)
def test_accepted_is_what_the_service_did_not_turn_away(outcome: Outcome, accepted: bool) -> None:
    """An error of its own is an answer; overload and silence are not."""
    throttle = AdaptiveThrottle()
    throttle.admit(0.0, RNG)
    throttle.observed(0.0, outcome, 0)
    assert (throttle.probability(0.0) == 0) is accepted


@pytest.mark.parametrize("name", ["sre-adaptive-throttling", "envoy-admission-control-1.40"])
def test_a_throttle_alone_retries_nothing(name: str) -> None:
    """Unless told to; and what it refuses itself never is retried."""
    policy = preset(name).build()
    rng = Random(0)
    reasons = {drive(policy, [OVERLOADED], rng=rng).reason for _ in range(1000)}
    assert reasons == {StopReason.OUT_OF_ATTEMPTS, StopReason.THROTTLED}
    retrying = preset(name, max_attempts=3, base="1ms").build()
    for _ in range(20):
        drive(retrying, [SERVED])
    assert drive(retrying, [OVERLOADED, SERVED]).reason is StopReason.SUCCEEDED


# Envoy: admission control


@pytest.mark.parametrize(
    ("control", "good", "failed", "expected"),
    [
        (AdmissionControl(), 0, 0, 0.0),
        (AdmissionControl(), 95, 5, 0.0),
        (AdmissionControl(), 50, 50, (100 - 50 / 0.95) / 101),
        (AdmissionControl(), 0, 1, 0.5),
        (AdmissionControl(), 0, 10, 0.8),  # 10/11, capped
        (AdmissionControl(most=1.0), 0, 10, 10 / 11),
        (AdmissionControl(threshold=0.5), 50, 50, 0.0),
        (AdmissionControl(threshold=0.5), 25, 75, 50 / 101),
        (AdmissionControl(aggression=2.0), 50, 50, ((100 - 50 / 0.95) / 101) ** 0.5),
        (AdmissionControl(aggression=2.0), 95, 5, 0.0),  # not the root of something negative
    ],
)
def test_admission_control_follows_the_formula(
    control: AdmissionControl, good: int, failed: int, expected: float
) -> None:
    """Worked from admission_control.cc."""
    for number in range(good + failed):
        control.observed(0.0, SERVED if number < good else OVERLOADED, 0)
    assert control.probability(0.0) == pytest.approx(expected)


def test_admission_control_refuses_four_in_five_at_most() -> None:
    """And does not count what it refuses: in an outage one in five is let out, for ever."""
    control = AdmissionControl()
    let_out = sum(attempted(control, 0.0, OVERLOADED) for _ in range(20_000))
    assert let_out == pytest.approx(4000, abs=4 * (20_000 * 0.2 * 0.8) ** 0.5)


def test_admission_control_refuses_with_the_probability_it_states() -> None:
    """20,000 draws at P = 0.4686, within 4 standard deviations."""
    control = AdmissionControl()
    for number in range(1000):
        control.observed(0.0, SERVED if number % 2 else OVERLOADED, 0)
    expected = control.probability(0.0)
    refused = sum(isinstance(control.admit(0.0, RNG), Refused) for _ in range(20_000))
    assert refused == pytest.approx(20_000 * expected, abs=4 * (20_000 * 0.25) ** 0.5)


class Drawn(Random):
    """Draws the same every time."""

    def __init__(self, value: float) -> None:
        """What is drawn."""
        super().__init__()
        self._value = value

    def random(self) -> float:
        """It."""
        return self._value


@pytest.mark.parametrize(("drawn", "refused"), [(0.4999, True), (0.5, False), (0.5001, False)])
def test_admission_control_refuses_what_is_drawn_below_its_probability(
    drawn: float, refused: bool
) -> None:
    """``accuracy · P > random % accuracy``: 4,999 of ten thousand at P = ½, and 5,000 not."""
    control = AdmissionControl()
    control.observed(0.0, OVERLOADED, 0)
    assert control.probability(0.0) == 0.5
    assert isinstance(control.admit(0.0, Drawn(drawn)), Refused) is refused


def test_admission_control_refuses_nothing_below_its_rate() -> None:
    """Whole attempts a second, on average over the window: 299 in 30 s are 9."""
    for attempts, refuses in [(299, False), (300, True)]:
        control = AdmissionControl(least_rps=10)
        for number in range(attempts):
            control.observed(number * 0.09, OVERLOADED, 0)
        let_out = [isinstance(control.admit(27.0, RNG), Admitted) for _ in range(100)]
        assert all(let_out) is not refuses


def test_admission_control_takes_a_429_for_a_success() -> None:
    """Its default: whatever is below 500."""
    control = AdmissionControl()
    assert all(attempted(control, 0.0, Outcome(status=429)) for _ in range(500))
