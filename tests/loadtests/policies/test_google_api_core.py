"""google-api-core beside ours: the same outcomes and draws in, the same waits and stops out."""

import contextlib
from dataclasses import asdict, dataclass
from random import Random

import pytest
import requests
from google.api_core import exceptions
from google.api_core.retry import Retry, retry_base, retry_unary

from loadtests.policies import AttemptError, Outcome, StopReason, preset
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.faketime import FakeTime

ERRORS: dict[AttemptError, type[Exception]] = {
    AttemptError.TIMEOUT: requests.exceptions.ReadTimeout,
    AttemptError.CONNECT_TIMEOUT: requests.exceptions.ConnectTimeout,
    AttemptError.REFUSED: requests.exceptions.ConnectionError,
    AttemptError.RESET: requests.exceptions.ChunkedEncodingError,
    AttemptError.CLOSED: requests.exceptions.ConnectionError,
    AttemptError.NOT_HTTP: requests.exceptions.ConnectionError,
    AttemptError.UNREACHABLE: requests.exceptions.ConnectionError,
}
STATUSES = [200, 400, 404, 408, 409, 429, 499, 500, 501, 502, 503, 504]


@dataclass
class Parameters:
    """Those of `Retry`, at its defaults."""

    initial: float = 1.0
    maximum: float = 60.0
    multiplier: float = 2.0
    timeout: float | None = 120.0


def raised(outcome: Outcome) -> Exception:
    """What the library's transports raise for it."""
    if outcome.error is not None:
        return ERRORS[outcome.error]("no answer")
    made: Exception = exceptions.from_http_status(  # type: ignore[no-untyped-call]  # it has no types
        outcome.status, "failed"
    )
    return made


def run_real(
    monkeypatch: pytest.MonkeyPatch,
    outcomes: list[Outcome],
    rng: Random,
    parameters: Parameters,
) -> tuple[list[float], int]:
    """The sleeps and the number of attempts of a real `Retry`."""
    clock, attempts = FakeTime(), 0
    monkeypatch.setattr(retry_base, "time", clock)
    monkeypatch.setattr(retry_unary, "time", clock)
    monkeypatch.setattr(retry_base, "random", rng)

    def attempt() -> str:
        nonlocal attempts
        outcome = outcomes[attempts]
        attempts += 1
        clock.advance(outcome.elapsed_s)
        if outcome.succeeded:
            return "served"
        raise raised(outcome)

    retry = Retry(
        initial=parameters.initial,
        maximum=parameters.maximum,
        multiplier=parameters.multiplier,
        timeout=parameters.timeout,
    )
    with contextlib.suppress(exceptions.GoogleAPIError, requests.exceptions.RequestException):
        retry(attempt)()
    return clock.sleeps, attempts


def random_outcome(rng: Random) -> Outcome:
    """Mostly one that is retried, so that requests get far."""
    elapsed_s = rng.choice([0.0, 0.01, 3.0, 20.0]) * rng.random()
    if rng.random() < 0.8:
        return Outcome(status=rng.choice([429, 500, 503]), elapsed_s=elapsed_s)
    if rng.random() < 0.5:
        return Outcome(status=rng.choice(STATUSES), elapsed_s=elapsed_s)
    return Outcome(status=None, elapsed_s=elapsed_s, error=rng.choice(list(ERRORS)))


def test_same_outcomes_and_draws_same_waits_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 1,000 requests with random parameters, outcomes and times that attempts take."""
    lengths: set[int] = set()
    for seed in range(1000):
        rng = Random(seed)
        outcomes = [random_outcome(rng) for _ in range(300)]
        parameters = Parameters()
        if seed % 2:
            parameters = Parameters(
                initial=rng.choice([0.001, 0.25, 1.0, 90.0]),
                maximum=rng.uniform(0.5, 60),
                multiplier=rng.choice([1.0, 1.3, 2.0, 10.0]),
                timeout=rng.choice([0.5, 30.0, 120.0, 600.0]),
            )
        real = run_real(monkeypatch, outcomes, Random(seed), parameters)
        policy = preset("google-api-core-2", **asdict(parameters)).build()
        ours = drive(policy, outcomes, rng=Random(seed))
        # A growth of 1.3 multiplied up and to the power of n differ in the last bit.
        assert ours.waits == pytest.approx(real[0], rel=1e-12), seed
        assert ours.attempts == real[1], seed
        lengths.add(ours.attempts)
    assert {1, 2, 5, 10} < lengths


@pytest.mark.parametrize("outcome", [*STATUSES, *ERRORS])
def test_each_kind_of_failure(monkeypatch: pytest.MonkeyPatch, outcome: int | AttemptError) -> None:
    """By any method; 502, 504 and reads that time out are not retried."""
    failed = (
        Outcome(status=None, error=outcome)
        if isinstance(outcome, AttemptError)
        else Outcome(status=outcome)
    )
    real = run_real(monkeypatch, [failed, SERVED], Random(1), Parameters())
    for method in ("GET", "POST"):
        ours = drive(
            preset("google-api-core-2").build(), [failed, SERVED], rng=Random(1), method=method
        )
        assert (ours.waits, ours.attempts) == real


def test_no_deadline_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `timeout=None` only the service can end it: here after 200 attempts."""
    outcomes = [OVERLOADED] * 200 + [SERVED]
    real = run_real(monkeypatch, outcomes, Random(3), Parameters(timeout=None))
    ours = drive(preset("google-api-core-2", timeout=None).build(), outcomes, rng=Random(3))
    assert (ours.waits, ours.attempts) == real
    assert ours.attempts == 201


def test_an_outage_gets_nine_or_ten_attempts_of_each_request() -> None:
    """Its fault: within two minutes there is no limit to them."""
    policy = preset("google-api-core-2").build()
    runs = [drive(policy, lambda _: OVERLOADED, rng=Random(seed)) for seed in range(1000)]
    assert {run.reason for run in runs} == {StopReason.DEADLINE}
    assert 9 < sum(run.attempts for run in runs) / 1000 < 10
    assert max(run.attempts for run in runs) > 11
