"""The five policies of article 000 decide as the article says, and nothing else decides."""

from collections import Counter
from random import Random

import pytest

from loadtests.policies import (
    AttemptError,
    Call,
    Course,
    Outcome,
    RetryPolicy,
    Send,
    Stop,
    StopReason,
    Wait,
    preset,
)
from loadtests.policies.backoff import (
    LARGEST_WAIT_S,
    BackoffState,
    Capped,
    Exponential,
    Fixed,
    FullJitter,
    StepJitter,
)
from loadtests.policies.retry import Retry
from loadtests.scenario import ARTICLE_000
from tests.loadtests.policies.drive import OVERLOADED, SERVED, Driven, drive


def ended(waits: list[float], reason: StopReason) -> Driven:
    return Driven(waits, len(waits) + 1, reason, sum(waits))


def begun(policy: RetryPolicy) -> Course:
    """A request that is under way."""
    course = policy.begin(Call(Random(0)))
    course.start(0.0)
    return course


@pytest.mark.parametrize("name", ARTICLE_000)
def test_a_success_makes_one_attempt(name: str) -> None:
    """Whatever the policy."""
    assert drive(preset(name).build(), [SERVED]) == ended([], StopReason.SUCCEEDED)


@pytest.mark.parametrize("name", ARTICLE_000[1:])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_what_cannot_succeed_is_not_retried(name: str, status: int) -> None:
    """A client error fails the same way every time."""
    driven = drive(preset(name).build(), [Outcome(status=status)])
    assert driven == ended([], StopReason.NOT_RETRYABLE)


@pytest.mark.parametrize(
    ("name", "waits"), [("immediate", [0.1, 0.1, 0.1]), ("exponential", [0.2, 0.4, 0.8])]
)
def test_the_waits_of_the_article_with_100_ms_for_a_tick(name: str, waits: list[float]) -> None:
    """Immediate: one tick. Exponential: 2, 4, 8 ticks."""
    assert drive(preset(name).build(), [OVERLOADED] * 4) == ended(waits, StopReason.OUT_OF_ATTEMPTS)


def test_no_retry_stops_at_the_first_failure() -> None:
    """Even one that could succeed later."""
    assert drive(preset("no-retry").build(), [OVERLOADED]) == ended([], StopReason.NOT_RETRIED)


def test_the_cap_bounds_the_exponential_wait() -> None:
    """From the retry on at which the power of two passes it, and at any number of retries."""
    policy = preset("exponential", attempts=32, cap="500ms").build()
    assert drive(policy, [OVERLOADED] * 32).waits == [0.2, 0.4] + [0.5] * 29


def test_no_retry_number_overflows() -> None:
    """envoyproxy/envoy#10417 and aws-sdk-java#874: a shift that overflows makes a negative wait."""
    assert Exponential(0.1).wait_s(BackoffState(10**9), Random(0)) == LARGEST_WAIT_S


@pytest.mark.parametrize(("retry", "most_s"), [(1, 0.2), (2, 0.4), (3, 0.8), (10**9, 6.4)])
def test_full_jitter_has_the_range_and_the_mean_of_the_articles_draw(
    retry: int, most_s: float
) -> None:
    """``1 + U{0 .. 2^n - 1}`` ticks; every part of the range is as likely (chi-square)."""
    rng, draws = Random(retry), 4000
    backoff = FullJitter(Capped(Exponential(0.1, first=0), 6.4), least_s=0.1)
    waits = [backoff.wait_s(BackoffState(retry), rng) for _ in range(draws)]
    assert 0.1 <= min(waits) < max(waits) <= most_s
    tenths = [0] * 10
    for wait in waits:
        tenths[min(9, int((wait - 0.1) / (most_s - 0.1) * 10))] += 1
    chi_square = sum((count - draws / 10) ** 2 / (draws / 10) for count in tenths)
    assert chi_square < 33.7  # 9 degrees of freedom: passed by chance once in 10,000
    mean_error = abs(sum(waits) / draws - (0.1 + most_s) / 2)
    assert mean_error < 4 * (most_s - 0.1) / (12 * draws) ** 0.5


def test_a_cap_below_the_base_is_the_wait() -> None:
    """Nothing is drawn above the cap."""
    assert FullJitter(Capped(Exponential(0.2), 0.05), least_s=0.2).wait_s(
        BackoffState(3), Random(0)
    ) == pytest.approx(0.05)


def test_the_same_seed_gives_the_same_waits() -> None:
    """Ten times."""
    policy = preset("full-jitter").build()
    runs = [drive(policy, [OVERLOADED] * 4, rng=Random(7)) for _ in range(10)]
    assert runs == [runs[0]] * 10


def test_the_budget_starts_empty_and_allows_one_retry_in_ten_requests() -> None:
    """With floats too: ten times 0.1 is a hair below 1."""
    policy = preset("full-jitter-budget").build()
    actions = [begun(policy).finished(0.0, OVERLOADED) for _ in range(100)]
    allowed = [number for number, action in enumerate(actions, start=1) if isinstance(action, Wait)]
    assert allowed == list(range(10, 101, 10))
    assert actions[0] == Stop(StopReason.BUDGET)


def test_the_budget_saves_up_no_more_than_its_size() -> None:
    """A quiet hour does not pay for a storm: 10 retries at once, and then none."""
    policy = preset("full-jitter-budget").build()
    courses = [begun(policy) for _ in range(10_000)]
    actions = [course.finished(0.0, OVERLOADED) for course in courses[:20]]
    assert [isinstance(action, Wait) for action in actions] == [True] * 10 + [False] * 10


def test_retries_never_exceed_size_plus_ratio_times_requests() -> None:
    """In any order of requests and failures, for any parameters."""
    rng = Random(1)
    for _ in range(200):
        ratio, size = rng.random(), rng.uniform(1, 20)
        policy = preset("full-jitter-budget", budget_ratio=ratio, budget_size=size).build()
        courses: list[Course] = []
        retries = 0
        for _ in range(300):
            if not courses or rng.random() < 0.3:
                courses.append(begun(policy))
            elif isinstance(rng.choice(courses).finished(0.0, OVERLOADED), Wait):
                retries += 1
            assert retries <= ratio * len(courses) + 1e-6


def test_a_request_out_of_attempts_takes_nothing_from_the_budget() -> None:
    """The last check but one comes before the budget's."""
    policy = preset("full-jitter-budget", attempts=1).build()
    for _ in range(100):
        assert begun(policy).finished(0.0, OVERLOADED) == Stop(StopReason.OUT_OF_ATTEMPTS)


def test_two_policies_of_one_preset_share_no_state() -> None:
    """Each scope has a budget of its own."""
    source = preset("full-jitter-budget")
    first, second = source.build(), source.build()
    for _ in range(100):
        begun(first)
    assert begun(second).finished(0.0, OVERLOADED) == Stop(StopReason.BUDGET)


def test_a_transport_error_is_retried() -> None:
    """No answer may become one."""
    outcomes = [Outcome(status=None, error=AttemptError.RESET), SERVED]
    assert drive(preset("immediate").build(), outcomes) == ended([0.1], StopReason.SUCCEEDED)


def test_attempts_include_the_first() -> None:
    """Three attempts are two retries."""
    driven = drive(preset("immediate", attempts=3).build(), [OVERLOADED] * 3)
    assert (driven.attempts, driven.reason) == (3, StopReason.OUT_OF_ATTEMPTS)


def test_the_description_holds_the_formula() -> None:
    """It stands in the report."""
    assert preset("full-jitter-budget").describe() == (
        "attempts: 4; wait: U(100 ms, min(6.4 s, 100 ms·2^n)); "
        "retries: 429, 502, 503, 504 and any transport error; "
        "budget: at most 0.1 retries a request, 10 at once"
    )


def test_send_is_the_answer_to_a_new_request() -> None:
    """None of the five holds a first attempt back."""
    answers = [preset(name).build().begin(Call(Random(0))).start(0.0) for name in ARTICLE_000]
    assert answers == [Send()] * 5


def test_with_a_step_the_waits_are_the_articles_own_draw() -> None:
    """Whole ticks, ``1 + U{0 … w − 1}``: before the third retry each of 1 to 8 is as likely."""
    policy = preset("full-jitter", step_s=0.1).build()
    assert isinstance(policy, Retry)
    rng, draws = Random(3), 8000
    waits_s = [policy.backoff.wait_s(BackoffState(3), rng) for _ in range(draws)]
    counts = Counter(round(wait_s / 0.1, 6) for wait_s in waits_s)
    assert set(counts) == set(range(1, 9))
    # Each is binomial with mean 1000 and deviation √(1000 · ⅞) = 30.
    assert all(abs(count - draws / 8) < 5 * 30 for count in counts.values())


def test_a_wait_shorter_than_a_step_is_one_step() -> None:
    """No wait is 0, whatever the cap."""
    backoff = StepJitter(Fixed(0.05), 0.1)
    assert backoff.wait_s(BackoffState(1), Random(1)) == 0.1
    assert backoff.describe() == "100 ms·(1 + U{0 … 50 ms/100 ms − 1})"
