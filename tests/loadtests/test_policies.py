"""The five policies of article 000 decide as the article says, and nothing else decides."""

from collections.abc import Sequence
from random import Random

import pytest

from loadtests.policies import (
    PRESETS,
    Outcome,
    PolicySpec,
    Request,
    Send,
    Stop,
    StopReason,
    Wait,
)
from loadtests.policies.backoff import Exponential, FullJitter

OVERLOADED = Outcome(status=503, elapsed_s=0.001)
SERVED = Outcome(status=200, elapsed_s=0.001)


def drive(spec: PolicySpec, outcomes: Sequence[Outcome], seed: int = 0) -> tuple[list[float], Stop]:
    """The waits of one request that meets these outcomes, and how it ended."""
    request = Request(spec.build(), Random(seed))
    action = request.start(0.0)
    waits: list[float] = []
    pending = iter(outcomes)
    while not isinstance(action, Stop):
        if isinstance(action, Wait):
            waits.append(action.seconds)
            action = request.resumed(0.0)
        else:
            request.sent()
            action = request.finished(0.0, next(pending))
    return waits, action


def test_the_presets_are_those_of_the_article_in_its_order() -> None:
    """Reports list policies in this order."""
    names = ["no-retry", "immediate", "exponential", "full-jitter", "full-jitter-budget"]
    assert list(PRESETS) == names


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_success_makes_one_attempt(name: str) -> None:
    """Whatever the policy."""
    assert drive(PolicySpec(name), [SERVED]) == ([], Stop(StopReason.SUCCEEDED))


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "no-retry"])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_what_cannot_succeed_is_not_retried(name: str, status: int) -> None:
    """A client error fails the same way every time."""
    ended = drive(PolicySpec(name), [Outcome(status=status, elapsed_s=0.0)])
    assert ended == ([], Stop(StopReason.NOT_RETRYABLE))


@pytest.mark.parametrize(
    ("name", "waits"), [("immediate", [0.1, 0.1, 0.1]), ("exponential", [0.2, 0.4, 0.8])]
)
def test_the_waits_of_the_article_with_100_ms_for_a_tick(name: str, waits: list[float]) -> None:
    """Immediate: one tick. Exponential: 2, 4, 8 ticks."""
    assert drive(PolicySpec(name), [OVERLOADED] * 4) == (waits, Stop(StopReason.OUT_OF_ATTEMPTS))


def test_no_retry_stops_at_the_first_failure() -> None:
    """Even one that could succeed later."""
    assert drive(PolicySpec("no-retry"), [OVERLOADED]) == ([], Stop(StopReason.NOT_RETRIED))


def test_the_cap_bounds_the_exponential_wait() -> None:
    """From the retry on at which the power of two passes it, and at any number of retries."""
    spec = PolicySpec("exponential", attempts=32, cap_s=0.5)
    waits, _ = drive(spec, [OVERLOADED] * 32)
    assert waits == [0.2, 0.4] + [0.5] * 29


def test_no_retry_number_overflows() -> None:
    """envoyproxy/envoy#10417 and aws-sdk-java#874: a shift that overflows makes a negative wait."""
    assert Exponential().wait_s(10**9, Random(0)) == 6.4


@pytest.mark.parametrize(("retry", "most_s"), [(1, 0.2), (2, 0.4), (3, 0.8), (10**9, 6.4)])
def test_full_jitter_has_the_range_and_the_mean_of_the_articles_draw(
    retry: int, most_s: float
) -> None:
    """``1 + U{0 .. 2^n - 1}`` ticks; every part of the range is as likely (chi-square)."""
    rng, draws = Random(retry), 4000
    waits = [FullJitter(Exponential()).wait_s(retry, rng) for _ in range(draws)]
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
    assert FullJitter(Exponential(base_s=0.2, cap_s=0.05)).wait_s(3, Random(0)) == 0.05


def test_the_same_seed_gives_the_same_waits() -> None:
    """Ten times."""
    runs = [drive(PolicySpec("full-jitter"), [OVERLOADED] * 4, seed=7) for _ in range(10)]
    assert runs == [runs[0]] * 10


def test_the_budget_starts_empty_and_allows_one_retry_in_ten_requests() -> None:
    """With floats too: ten times 0.1 is a hair below 1."""
    policy = PolicySpec("full-jitter-budget").build()
    reasons = []
    for _ in range(100):
        policy.on_request(0.0)
        reasons.append(policy.on_outcome(0.0, 1, OVERLOADED, Random(0)))
    allowed = [number for number, action in enumerate(reasons, start=1) if isinstance(action, Wait)]
    assert allowed == list(range(10, 101, 10))
    assert reasons[0] == Stop(StopReason.BUDGET)


def test_the_budget_saves_up_no_more_than_its_size() -> None:
    """A quiet hour does not pay for a storm: 10 retries at once, and then none."""
    policy = PolicySpec("full-jitter-budget").build()
    for _ in range(10_000):
        policy.on_request(0.0)
    actions = [policy.on_outcome(0.0, 1, OVERLOADED, Random(0)) for _ in range(20)]
    assert [isinstance(action, Wait) for action in actions] == [True] * 10 + [False] * 10


def test_retries_never_exceed_size_plus_ratio_times_requests() -> None:
    """In any order of requests and failures, for any parameters."""
    rng = Random(1)
    for _ in range(200):
        ratio, size = rng.random(), rng.uniform(1, 20)
        policy = PolicySpec("full-jitter-budget", budget_ratio=ratio, budget_size=size).build()
        requests = retries = 0
        for _ in range(300):
            if rng.random() < 0.3:
                policy.on_request(0.0)
                requests += 1
            elif isinstance(policy.on_outcome(0.0, 1, OVERLOADED, rng), Wait):
                retries += 1
            assert retries <= ratio * requests + 1e-6


def test_a_request_out_of_attempts_takes_nothing_from_the_budget() -> None:
    """The last check but one comes before the budget's."""
    policy = PolicySpec("full-jitter-budget").build()
    for _ in range(100):
        policy.on_request(0.0)
    for _ in range(50):
        assert policy.on_outcome(0.0, 4, OVERLOADED, Random(0)) == Stop(StopReason.OUT_OF_ATTEMPTS)
    assert isinstance(policy.on_outcome(0.0, 1, OVERLOADED, Random(0)), Wait)


def test_two_policies_of_one_spec_share_no_state() -> None:
    """Each scope has a budget of its own."""
    spec = PolicySpec("full-jitter-budget")
    first, second = spec.build(), spec.build()
    for _ in range(100):
        first.on_request(0.0)
    assert second.on_outcome(0.0, 1, OVERLOADED, Random(0)) == Stop(StopReason.BUDGET)


def test_a_transport_error_is_retried() -> None:
    """No answer may become one."""
    outcomes = [Outcome(status=None, error="reset", elapsed_s=0.0), SERVED]
    assert drive(PolicySpec("immediate"), outcomes) == ([0.1], Stop(StopReason.SUCCEEDED))


def test_attempts_include_the_first() -> None:
    """Three attempts are two retries."""
    waits, end = drive(PolicySpec("immediate", attempts=3), [OVERLOADED] * 3)
    assert (len(waits), end) == (2, Stop(StopReason.OUT_OF_ATTEMPTS))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"name": "retry-hard"}, "expected one of no-retry, immediate, exponential"),
        ({"name": "immediate", "attempts": 0}, "expected 1 to 32"),
        ({"name": "immediate", "attempts": 33}, "expected 1 to 32"),
        ({"name": "immediate", "base_s": 0.0}, "base_s is 0.0: expected a finite number above 0"),
        ({"name": "exponential", "cap_s": float("nan")}, "cap_s is nan"),
        (
            {"name": "full-jitter-budget", "budget_ratio": 1.5},
            "budget_ratio is 1.5: expected 0 to 1",
        ),
        ({"name": "full-jitter-budget", "budget_size": 0.5}, "budget_size is 0.5"),
    ],
)
def test_a_bad_parameter_is_named_with_what_is_allowed(values: dict[str, float], says: str) -> None:
    """Before any load is sent."""
    with pytest.raises(ValueError, match=says.replace("(", r"\(")):
        PolicySpec(**values)  # type: ignore[arg-type]


def test_the_description_holds_the_formula() -> None:
    """It stands in the report."""
    assert PolicySpec("full-jitter-budget").describe() == (
        "4 attempts, wait U(100 ms, min(6400 ms, 100 ms · 2^n)), "
        "at most 0.1 retries a request, 10 at once"
    )


def test_send_is_the_answer_to_a_new_request() -> None:
    """None of the five holds a first attempt back."""
    assert [PolicySpec(name).build().on_request(0.0) for name in PRESETS] == [Send()] * 5
