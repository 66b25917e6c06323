"""azure-core's `RetryPolicy` in a pipeline beside ours: same outcomes, same waits and stops."""

import contextlib
import datetime
from collections.abc import Mapping
from email.utils import parsedate_tz
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import (
    AzureError,
    ServiceRequestError,
    ServiceRequestTimeoutError,
    ServiceResponseError,
    ServiceResponseTimeoutError,
)
from azure.core.pipeline import Pipeline
from azure.core.pipeline.policies import RetryPolicy, _retry, _utils
from azure.core.pipeline.transport import HttpRequest, HttpResponse

from loadtests.policies import AttemptError, Outcome, StopReason, preset
from loadtests.policies.words import azure
from tests.loadtests.policies.drive import OVERLOADED, SERVED, Driven, drive
from tests.loadtests.policies.faketime import FakeTime

ERRORS: dict[AttemptError, type[AzureError]] = {
    AttemptError.TIMEOUT: ServiceResponseTimeoutError,
    AttemptError.CONNECT_TIMEOUT: ServiceRequestTimeoutError,
    AttemptError.REFUSED: ServiceRequestError,
    AttemptError.RESET: ServiceResponseError,
    AttemptError.CLOSED: ServiceResponseError,
    AttemptError.NOT_HTTP: ServiceResponseError,
    AttemptError.UNREACHABLE: ServiceRequestError,
}
STATUSES = [200, 202, 302, 400, 404, 408, 409, 429, 500, 501, 502, 503, 504, 505, 506, 599]
METHODS = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "POST", "PATCH"]
HEADERS: list[dict[str, str]] = [
    {"retry-after": "0"},
    {"retry-after": "7"},
    {"retry-after": "2.5"},
    {"retry-after": "-3"},
    {"retry-after": "nan"},
    {"retry-after": "", "retry-after-ms": "300"},
    {"retry-after-ms": "1500"},
    {"x-ms-retry-after-ms": "250"},
    {"retry-after": "0", "x-ms-retry-after-ms": "250"},
    {"retry-after-ms": "0", "x-ms-retry-after-ms": "250"},
]
BROKEN = ["soon", "1 s", "inf", "1e300", "Sun, 99 Nov 1994 08:49:37 GMT"]
NAMES = {
    "total": "retry_total",
    "connect": "retry_connect",
    "read": "retry_read",
    "status": "retry_status",
    "backoff_factor": "retry_backoff_factor",
    "backoff_max": "retry_backoff_max",
    "mode": "retry_mode",
    "statuses": "retry_on_status_codes",
    "timeout": "timeout",
}


class StubTransport:
    """Answers with outcomes, one after another, and counts them."""

    def __init__(self, outcomes: list[Outcome], clock: FakeTime) -> None:
        """Nothing sent yet."""
        self.outcomes, self.clock, self.sent = outcomes, clock, 0

    def send(self, request: HttpRequest, **options: object) -> HttpResponse:
        """The next outcome."""
        outcome = self.outcomes[self.sent]
        self.sent += 1
        self.clock.advance(outcome.elapsed_s)
        if outcome.error is not None:
            raise ERRORS[outcome.error]("no answer")
        assert outcome.status is not None
        response = HttpResponse(request, None)
        response.status_code = outcome.status
        response.headers = {name.title(): value for name, value in outcome.headers.items()}
        response.headers |= dict(outcome.headers)  # the real one's names have no case
        return response

    def sleep(self, seconds: float) -> None:
        """As `time.sleep`, which raises for what it cannot hold."""
        if seconds > 9.2e9:
            raise OverflowError("timestamp out of range")
        self.clock.sleep(seconds)


class FakeDateTime(datetime.datetime):
    """Whose now is that of a clock."""

    clock = FakeTime()

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        """By the clock."""
        return cls.fromtimestamp(cls.clock.now_s, tz)


def run_real(
    monkeypatch: pytest.MonkeyPatch,
    outcomes: list[Outcome],
    method: str,
    parameters: Mapping[str, object],
    start_s: float = 0.0,
) -> tuple[list[float], int]:
    """The sleeps and the number of attempts of a real pipeline."""
    clock = FakeTime(start_s)
    FakeDateTime.clock = clock
    monkeypatch.setattr(_retry, "time", clock)
    monkeypatch.setattr(_utils, "datetime", SimpleNamespace(datetime=FakeDateTime))
    transport: Any = StubTransport(outcomes, clock)
    policy = RetryPolicy(**{NAMES[name]: value for name, value in parameters.items()})
    pipeline: Any = Pipeline(transport, [policy])
    with contextlib.suppress(AzureError, ValueError, OverflowError):
        pipeline.run(HttpRequest(method, "http://service/"))
    return clock.sleeps, transport.sent


def slept(driven: Driven) -> tuple[list[float], int]:
    """What the real one would sleep: it does not sleep for 0."""
    return [wait_s for wait_s in driven.waits if wait_s > 0], driven.attempts


def random_outcome(rng: Random) -> Outcome:
    """Mostly one that is retried, now and then with a word of the server's."""
    elapsed_s = rng.choice([0.0, 0.01, 2.0])
    if rng.random() < 0.3:
        return Outcome(status=None, elapsed_s=elapsed_s, error=rng.choice(list(ERRORS)))
    status = 503 if rng.random() < 0.6 else rng.choice(STATUSES)
    headers = rng.choice(HEADERS) if rng.random() < 0.3 else {}
    return Outcome(status=status, elapsed_s=elapsed_s, headers=headers)


def random_parameters(rng: Random) -> dict[str, object]:
    """Those of the preset, under its own names."""
    return {
        "total": rng.choice([0, 1, 4, 10]),
        "connect": rng.choice([0, 1, 3, 8]),
        "read": rng.choice([0, 1, 3, 8]),
        "status": rng.choice([0, 1, 3, 8]),
        "backoff_factor": rng.choice([0.0, 0.1, 0.8, 30.0]),
        "backoff_max": rng.choice([1.0, 120.0]),
        "mode": rng.choice(["exponential", "fixed"]),
        "statuses": frozenset(rng.choice([[], [404], [400, 409]])),
        "timeout": rng.choice([5.0, 20.0, 604_800.0]),
    }


def test_same_outcomes_same_waits_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 3,000 requests with random parameters, methods, outcomes and headers."""
    lengths: set[int] = set()
    for seed in range(3000):
        rng = Random(seed)
        outcomes = [random_outcome(rng) for _ in range(30)]
        method = rng.choice(METHODS) if rng.random() < 0.5 else "GET"
        parameters = random_parameters(rng) if seed % 4 else {}
        real = run_real(monkeypatch, outcomes, method, parameters)
        ours = drive(preset("azure-core-1.41", **parameters).build(), outcomes, method=method)
        assert slept(ours) == real, (seed, parameters)
        lengths.add(ours.attempts)
    assert {1, 2, 4, 6, 8} < lengths


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("headers", [{}, {"retry-after": "1"}, {"retry-after-ms": "1000"}])
@pytest.mark.parametrize("kind", [*STATUSES, *ERRORS])
def test_each_kind_of_failure_by_each_method(
    monkeypatch: pytest.MonkeyPatch,
    kind: int | AttemptError,
    headers: dict[str, str],
    method: str,
) -> None:
    """With and without a word of the server's."""
    failed = (
        Outcome(status=None, error=kind)
        if isinstance(kind, AttemptError)
        else Outcome(status=kind, headers=headers)
    )
    real = run_real(monkeypatch, [failed, SERVED], method, {})
    ours = drive(preset("azure-core-1.41").build(), [failed, SERVED], method=method)
    assert slept(ours) == real


@pytest.mark.parametrize("name", ["retry-after", "retry-after-ms", "x-ms-retry-after-ms"])
@pytest.mark.parametrize("value", BROKEN)
def test_a_word_that_cannot_be_read_ends_the_request(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """The real one raises."""
    outcomes = [Outcome(status=503, headers={name: value}), SERVED]
    real = run_real(monkeypatch, outcomes, "GET", {})
    ours = drive(preset("azure-core-1.41").build(), outcomes)
    assert slept(ours) == real == ([], 1)
    assert ours.reason is StopReason.FORBIDDEN


@pytest.mark.parametrize(
    "value",
    [
        "Mon, 30 Nov 2026 12:00:07 GMT",
        "Mon, 30 Nov 2026 12:00:07",
        "Mon, 30 Nov 2026 14:00:07 +0200",
        "Mon, 30 Nov 2026 11:59:00 GMT",
        "Monday, 30-Nov-26 12:00:07 GMT",
    ],
)
def test_a_date_is_read_as_the_real_one_reads_it(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """With a zone, without one, in the past, and in the old form."""
    noon_s = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC).timestamp()
    failed = Outcome(status=503, headers={"retry-after": value}, received_epoch_s=noon_s)
    real = run_real(monkeypatch, [failed, SERVED], "GET", {}, start_s=noon_s)
    ours = drive(preset("azure-core-1.41").build(), [failed, SERVED])
    assert slept(ours) == real
    assert sum(real[0]) in (0, 7)


def test_a_date_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though an answer is asked whether it forbids, and then how long: parsing is what is dear."""
    parsed = []

    def parse(value: str) -> object:
        parsed.append(value)
        return parsedate_tz(value)

    monkeypatch.setattr(azure, "parsedate_tz", parse)
    date = "Mon, 30 Nov 2026 03:04:05 GMT"  # of no other test
    failed = Outcome(status=503, headers={"retry-after": date}, received_epoch_s=1.796007843e9)
    assert drive(preset("azure-core-1.41").build(), [failed, SERVED]).waits == [2.0]
    assert parsed == [date]


def test_everyone_comes_back_in_step() -> None:
    """Its fault: no two requests wait for different times, and the first retry waits for none."""
    policy = preset("azure-core-1.41", status=6).build()
    runs = {tuple(drive(policy, [OVERLOADED] * 7, rng=Random(n)).waits) for n in range(10)}
    assert runs == {(0.0, 1.6, 3.2, 6.4, 12.8, 25.6)}


def test_a_post_is_repeated() -> None:
    """Its fault: a 400 with Retry-After by POST, and a 503 without it."""
    policy = preset("azure-core-1.41").build()
    asked = Outcome(status=400, headers={"retry-after": "1"})
    assert drive(policy, [asked] * 4, method="POST").waits == [1, 1, 1]
    assert drive(policy, [OVERLOADED] * 4, method="POST").attempts == 4
    assert drive(policy, [Outcome(status=429)], method="POST").attempts == 1
