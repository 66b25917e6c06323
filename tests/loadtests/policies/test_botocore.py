"""botocore's clients in each mode beside ours, and tables of what it did before 1.44."""

from random import Random

import botocore.session
import pytest

from loadtests.policies import AttemptError, Outcome, RetryPolicy, StopReason, preset
from loadtests.policies.conditions.aws import THROTTLING_CODES, TRANSIENT_CODES
from loadtests.policies.guards import Admitted, AwsAdaptive, Delayed
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.real_botocore import ERRORS, RealBotocore

STATUSES = [200, 201, 400, 403, 404, 408, 409, 413, 429, 500, 501, 502, 503, 504, 509, 599]
CODES = [
    *sorted(THROTTLING_CODES | TRANSIENT_CODES),
    "AccessDeniedException",
    "ResourceNotFoundException",
    "aws.lambda#ThrottlingException",
    "SlowDown:http://errors.example/slow",
    "throttling",
]
RETRY_AFTERS = ["0", "40", "700", "3000", "90000", "-5", "1.5", "soon", "9" * 400, "9" * 5000]
THROTTLED = Outcome(status=429)
TIMED_OUT = Outcome(status=None, error=AttemptError.TIMEOUT)
MODES = {"legacy": "botocore-legacy", "standard": "botocore-1.44-standard"}


def coded(status: int, code: str) -> Outcome:
    """An answer with an error code."""
    return Outcome(status=status, headers={"x-amzn-errortype": code})


def random_outcome(rng: Random, served_share: float) -> Outcome:
    """A success that often; else mostly a failure that is retried."""
    elapsed_s = rng.choice([0.01, 0.1, 1.0]) * rng.random()
    chance = rng.random()
    if chance < served_share:
        return Outcome(status=rng.choice([200, 201]), elapsed_s=elapsed_s)
    if chance > 0.85:
        return Outcome(status=None, elapsed_s=elapsed_s, error=rng.choice(list(ERRORS)))
    headers = {"x-amzn-errortype": rng.choice(CODES)} if rng.random() < 0.4 else {}
    if rng.random() < 0.2:
        headers["x-amz-retry-after"] = rng.choice(RETRY_AFTERS)
    status = rng.choice([429, 500, 503, 503]) if rng.random() < 0.7 else rng.choice(STATUSES[2:])
    return Outcome(status=status, elapsed_s=elapsed_s, headers=headers)


def retries_in_outage(policy: RetryPolicy, outcome: Outcome, requests: int = 2000) -> int:
    """How many retries that many requests get from one scope when nothing succeeds."""
    return sum(drive(policy, lambda _: outcome).attempts - 1 for _ in range(requests))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("max_attempts", [None, 1, 2, 8])
def test_same_outcomes_and_draws_same_waits_and_stops(
    monkeypatch: pytest.MonkeyPatch, mode: str, max_attempts: int | None
) -> None:
    """A client and its quota through 500 requests, in good times and in bad."""
    real = RealBotocore(monkeypatch, mode, max_attempts)
    parameters = {} if max_attempts is None else {"max_attempts": max_attempts}
    policy = preset(MODES[mode], **parameters).build()
    rng, stops = Random(f"{mode}/{max_attempts}"), set()
    for number in range(500):
        served_share = 0.05 if number % 200 < 100 else 0.6
        outcomes = [random_outcome(rng, served_share) for _ in range(10)]
        waits, attempts = real.run(outcomes, Random(number))
        ours = drive(policy, outcomes, rng=Random(number))
        assert ours.waits == pytest.approx(waits, rel=1e-12), number
        assert ours.attempts == attempts, number
        stops.add(ours.reason)
    if mode == "standard" and max_attempts != 1:
        assert StopReason.BUDGET in stops
    assert stops >= {StopReason.SUCCEEDED, StopReason.NOT_RETRYABLE, StopReason.OUT_OF_ATTEMPTS}


@pytest.mark.parametrize("mode", MODES)
def test_each_kind_of_failure(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    """Every status by itself and with every error code, and every error."""
    real = RealBotocore(monkeypatch, mode)
    failures = [Outcome(status=status) for status in STATUSES]
    failures += [coded(status, code) for status in STATUSES for code in CODES]
    failures += [Outcome(status=None, error=error) for error in ERRORS]
    for number, failed in enumerate(failures):
        waits, attempts = real.run([failed, SERVED], Random(number))
        policy = preset(MODES[mode]).build()
        ours = drive(policy, [failed, SERVED], rng=Random(number))
        assert (ours.waits, ours.attempts) == (waits, attempts), failed


@pytest.mark.parametrize("seed", range(8))
def test_adaptive_sends_when_the_real_one_does(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """A client through 400 requests at a rate of its own; each ends when the real one's does."""
    rng, held = Random(seed), 0
    now_s = rng.uniform(0, 10)
    real = RealBotocore(monkeypatch, "adaptive", start_s=now_s)
    policy = preset("botocore-1.44-adaptive").build()
    gap_s = rng.choice([0.002, 0.05, 0.3])
    for number in range(400):
        served_share = 0.3 if number % 150 < 50 else 0.9
        outcomes = [random_outcome(rng, served_share) for _ in range(5)]
        # Our limiter's clock begins with the first request, the real one's with the client.
        pause_s = rng.expovariate(1 / gap_s) if number else 0.0
        now_s += pause_s
        real.clock.advance(pause_s)
        waits, attempts = real.run(outcomes, Random(number))
        ours = drive(policy, outcomes, rng=Random(number), start_s=now_s)
        assert ours.attempts == attempts, number
        assert ours.ended_s == pytest.approx(real.clock.now_s, abs=1e-6), number
        now_s = real.clock.now_s = ours.ended_s
        held += len(ours.waits) > len(waits)
    assert held > 20


def test_the_default_mode_is_the_standard_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since 1.44.0; before, it was the legacy mode."""
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.delenv("AWS_RETRY_MODE", raising=False)
    session = botocore.session.Session()
    assert session.get_config_variable("retry_mode") == "standard"


@pytest.mark.parametrize(
    ("name", "outcome", "retries"),
    [
        ("botocore-standard", OVERLOADED, 100),
        ("botocore-standard", TIMED_OUT, 50),
        ("botocore-standard", coded(503, "SlowDown"), 100),
        ("botocore-1.44-standard", OVERLOADED, 35),
        ("botocore-1.44-standard", TIMED_OUT, 35),
        ("botocore-1.44-standard", THROTTLED, 100),
        ("botocore-1.44-standard", coded(503, "SlowDown"), 100),
        ("botocore-legacy", OVERLOADED, 8000),
    ],
)
def test_an_outage_gets_as_many_retries_as_the_quota_has(
    name: str, outcome: Outcome, retries: int
) -> None:
    """Of 2,000 requests, each of which would make two retries, and in the legacy mode four."""
    assert retries_in_outage(preset(name).build(), outcome) == retries


def test_one_bad_operation_stops_the_retries_of_all_others() -> None:
    """aws/aws-sdk-js-v3#4754: the quota is the client's, and failures give nothing back."""
    policy = preset("botocore-1.44-standard").build()
    for _ in range(18):
        drive(policy, [OVERLOADED] * 3)
    assert drive(policy, [OVERLOADED, SERVED]).reason is StopReason.BUDGET
    sound = preset("full-jitter").build()
    for _ in range(18):
        drive(sound, [OVERLOADED] * 4)
    assert drive(sound, [OVERLOADED, SERVED]).reason is StopReason.SUCCEEDED


def test_a_success_gives_its_last_cost_back_and_no_more() -> None:
    """Of two retries that cost 28, 14 come back; one that needed none brings 1."""
    policy = preset("botocore-1.44-standard", quota=41, max_attempts=4).build()
    assert drive(policy, [OVERLOADED, OVERLOADED, SERVED]).attempts == 3  # 41 - 28 + 14 = 27
    assert drive(policy, [OVERLOADED] * 4).reason is StopReason.BUDGET  # 27 - 14 = 13
    assert drive(policy, [OVERLOADED]).reason is StopReason.BUDGET
    drive(policy, [SERVED])  # 14
    assert drive(policy, [OVERLOADED, SERVED]).attempts == 2


@pytest.mark.parametrize(
    ("name", "outcomes", "waits"),
    [
        # retries/standard.py of 1.43.127: random() times 1, 2, 4, 8, 16, 20, 20 …
        ("botocore-standard", [OVERLOADED] * 8, [1, 2, 4, 8, 16, 20, 20]),
        # Nothing of the server's is heeded, and throttling has no scale of its own.
        (
            "botocore-standard",
            [Outcome(status=503, headers={"x-amz-retry-after": "9000"})] * 3,
            [1, 2, 4],
        ),
        ("botocore-standard", [coded(400, "ThrottlingException")] * 3, [1, 2, 4]),
        ("botocore-standard", [TIMED_OUT] * 3, [1, 2, 4]),
        # 429 by itself is neither transient nor throttling there.
        ("botocore-standard", [THROTTLED], []),
        ("botocore-standard", [coded(429, "TooManyRequestsException")] * 3, [1, 2, 4]),
        ("botocore-standard", [Outcome(status=509)], []),
        # The same multiples in 1.44, of 0.05 or of 1 when throttled.
        ("botocore-1.44-standard", [OVERLOADED] * 8, [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2]),
        ("botocore-1.44-standard", [THROTTLED] * 8, [1, 2, 4, 8, 16, 20, 20]),
        ("botocore-1.44-standard", [OVERLOADED, THROTTLED, OVERLOADED], [0.05, 2, 0.2]),
    ],
)
def test_waits_by_the_draw(name: str, outcomes: list[Outcome], waits: list[float]) -> None:
    """Worked values: each wait is a draw times this."""
    policy = preset(name, max_attempts=8).build()
    draws = Random(7)
    ours = drive(policy, [*outcomes, SERVED], rng=Random(7))
    assert ours.waits == pytest.approx([draws.random() * longest_s for longest_s in waits])


def test_dynamodb_in_the_legacy_mode_has_no_jitter() -> None:
    """`base` 0.05 in `_retry.json`, where all other services have a random one."""
    policy = preset("botocore-legacy", max_attempts=10, base="50ms").build()
    runs = {tuple(drive(policy, [OVERLOADED] * 10, rng=Random(n)).waits) for n in range(5)}
    assert runs == {tuple(0.05 * 2**n for n in range(9))}


def test_statuses_can_be_told_to_mean_throttling() -> None:
    """For services that name the code in the body."""
    policy = preset("botocore-1.44-standard", throttled_statuses="429+503").build()
    assert retries_in_outage(policy, OVERLOADED) == 100
    old = preset("botocore-standard", throttled_statuses="429").build()
    assert drive(old, [THROTTLED, SERVED]).attempts == 2


def test_the_rate_rises_in_an_outage_that_does_not_say_throttled() -> None:
    """A fault of the real one: a timeout counts as a success."""
    guard, now_s, rates = AwsAdaptive(), 0.0, []
    for number in range(400):
        now_s += 0.05
        admission = guard.admit(now_s, Random(0))
        if isinstance(admission, Admitted):
            guard.observed(now_s, coded(400, "Throttling") if number == 100 else TIMED_OUT, 0)
        if number >= 100:
            rates.append(guard.fill_rate)
    assert rates[0] == pytest.approx(0.7 * 20, rel=0.01)
    assert max(rates) > 1.3 * rates[0]


def test_the_limiter_survives_a_clock_that_jumps() -> None:
    """Back or far ahead: it asks for finite waits and never has fewer than no tokens."""
    for seed in range(50):
        rng, guard = Random(seed), AwsAdaptive()
        now_s = 0.0
        for _ in range(500):
            now_s += rng.choice([0.01, 0.5, -100, 1e9, -1e9, 1e-9, 1e12])
            admission = guard.admit(now_s, rng)
            if isinstance(admission, Delayed):
                assert 0 < admission.seconds <= 2
            elif rng.random() < 0.9:
                guard.observed(now_s, rng.choice([SERVED, coded(400, "SlowDown")]), 0)
            else:
                guard.released(now_s, 0)
            assert 0 <= guard.tokens < float("inf")
            assert 0.5 <= guard.fill_rate < float("inf")


def test_a_delay_always_ends() -> None:
    """Whoever waits as long as asked is let out soon, also late in a long run."""
    guard, rng = AwsAdaptive(), Random(1)
    now_s = 1e9
    for _ in range(1000):
        now_s += rng.random() / 10
        asked = 0
        while isinstance(admission := guard.admit(now_s, rng), Delayed):
            now_s += admission.seconds
            asked += 1
            assert asked < 5
        guard.observed(now_s, rng.choice([SERVED, SERVED, coded(429, "SlowDown")]), 0)
