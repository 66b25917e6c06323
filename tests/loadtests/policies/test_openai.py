"""The openai client over a stub transport beside ours: same outcomes, same waits and stops."""

import contextlib
import datetime
from collections.abc import Iterator
from random import Random

import httpx2
import pytest
from openai import OpenAI, OpenAIError, _base_client

from loadtests.policies import AttemptError, Outcome, StopReason, preset
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.faketime import FakeTime

ERRORS: dict[AttemptError, type[httpx2.RequestError]] = {
    AttemptError.TIMEOUT: httpx2.ReadTimeout,
    AttemptError.CONNECT_TIMEOUT: httpx2.ConnectTimeout,
    AttemptError.REFUSED: httpx2.ConnectError,
    AttemptError.RESET: httpx2.ReadError,
    AttemptError.CLOSED: httpx2.RemoteProtocolError,
    AttemptError.NOT_HTTP: httpx2.RemoteProtocolError,
    AttemptError.UNREACHABLE: httpx2.ConnectError,
}
STATUSES = [200, 400, 401, 404, 408, 409, 422, 429, 500, 501, 502, 503, 504, 599]
WAITS = ["0", "7", "2.5", "-3", "nan", "inf", "1e999", "120", "120.5", "86400", "soon", ""]
NOON_S = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC).timestamp()


class Real:
    """A client whose answers are outcomes, its clock ours, and its draws those of `rng`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing sent yet."""
        self._monkeypatch = monkeypatch
        self._outcomes: Iterator[Outcome] = iter(())
        self._sent = 0
        transport = httpx2.MockTransport(self._answer)
        self._client = OpenAI(
            api_key="none",
            base_url="http://service",
            http_client=httpx2.Client(transport=transport),
        )

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self._sent += 1
        outcome = next(self._outcomes)
        if outcome.error is not None:
            raise ERRORS[outcome.error]("no answer", request=request)
        assert outcome.status is not None
        return httpx2.Response(outcome.status, headers=dict(outcome.headers), json={})

    def run(
        self, outcomes: list[Outcome], rng: Random, method: str = "GET", max_retries: int = 2
    ) -> tuple[list[float], int]:
        """The sleeps and the number of attempts."""
        clock = FakeTime(NOON_S)
        self._monkeypatch.setattr(_base_client, "time", clock)
        # It takes a quarter of the draw from 1, and we add one to 3/4: draws are mirrored.
        self._monkeypatch.setattr(_base_client, "random", lambda: 1 - rng.random())
        self._outcomes, self._sent = iter(outcomes), 0
        with contextlib.suppress(OpenAIError):
            client = self._client.with_options(max_retries=max_retries)
            call = client.get if method == "GET" else client.post
            call("/", cast_to=object)
        return clock.sleeps, self._sent


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Real:
    """The client."""
    return Real(monkeypatch)


def answered(status: int, **headers: str) -> Outcome:
    """A status with headers, at noon."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Outcome(status=status, headers=named, received_epoch_s=NOON_S)


def random_outcome(rng: Random) -> Outcome:
    """Mostly one that is retried, now and then with words of the server's."""
    if rng.random() < 0.2:
        return Outcome(status=None, error=rng.choice(list(ERRORS)))
    headers: dict[str, str] = {}
    if rng.random() < 0.3:
        headers["retry-after"] = rng.choice(WAITS)
    if rng.random() < 0.2:
        headers["retry-after-ms"] = rng.choice(["0", "1500", "x", "-5", "120001", "inf", "1e999"])
    if rng.random() < 0.2:
        headers["x-should-retry"] = rng.choice(["true", "true", "false", "maybe"])
    return Outcome(
        status=rng.choice(STATUSES) if rng.random() < 0.3 else 503,
        headers=headers,
        received_epoch_s=NOON_S,
    )


def test_same_outcomes_and_draws_same_waits_and_stops(real: Real) -> None:
    """Over 600 requests with random outcomes, headers and numbers of retries."""
    lengths: set[int] = set()
    for seed in range(600):
        rng = Random(seed)
        outcomes = [random_outcome(rng) for _ in range(30)]
        retries, method = rng.choice([0, 1, 2, 2, 20]), rng.choice(["GET", "POST"])
        waits, attempts = real.run(outcomes, Random(seed), method, retries)
        policy = preset("openai-3", max_retries=retries).build()
        ours = drive(policy, outcomes, rng=Random(seed), method=method)
        assert ours.waits == pytest.approx(waits, rel=1e-12), seed
        assert ours.attempts == attempts, seed
        lengths.add(attempts)
    assert {1, 2, 3, 8} < lengths


@pytest.mark.parametrize("kind", [*STATUSES, *ERRORS])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_each_kind_of_failure(real: Real, kind: int | AttemptError, method: str) -> None:
    """By any method."""
    failed = (
        Outcome(status=None, error=kind) if isinstance(kind, AttemptError) else Outcome(status=kind)
    )
    _, attempts = real.run([failed, SERVED], Random(1), method)
    assert drive(preset("openai-3").build(), [failed, SERVED], method=method).attempts == attempts


@pytest.mark.parametrize(
    "value",
    [
        "Mon, 30 Nov 2026 12:00:07 GMT",
        "Mon, 30 Nov 2026 12:00:07",
        "Mon, 30 Nov 2026 14:00:07 +0200",
        "Mon, 30 Nov 2026 11:59:00 GMT",
        "Mon, 30 Nov 2026 12:02:00 GMT",
        "Mon, 30 Nov 2026 12:02:01 GMT",
        "Mon, 99 Nov 2026 12:02:01 GMT",
    ],
)
def test_a_date_is_read_as_the_real_one_reads_it(real: Real, value: str) -> None:
    """Past dates are not heeded, and one more than two minutes away ends the request."""
    outcomes = [answered(503, retry_after=value), SERVED]
    waits, attempts = real.run(outcomes, Random(1))
    ours = drive(preset("openai-3").build(), outcomes, rng=Random(1))
    assert ours.waits == pytest.approx(waits, rel=1e-12)
    assert ours.attempts == attempts


def test_a_wait_that_is_too_long_goes_before_a_demand_to_retry(real: Real) -> None:
    """Two minutes are heeded, a moment more ends the request."""
    heeded = answered(503, retry_after="120", x_should_retry="true")
    too_long = answered(503, retry_after="120.001", x_should_retry="true")
    policy = preset("openai-3").build()
    assert real.run([heeded, SERVED], Random(1)) == ([120.0], 2)
    assert drive(policy, [heeded, SERVED]).waits == [120.0]
    assert real.run([too_long], Random(1)) == ([], 1)
    assert drive(policy, [too_long]).reason is StopReason.FORBIDDEN


def test_all_waits_lie_in_the_upper_quarter() -> None:
    """Its fault: what failed together comes back within an eighth of a second."""
    policy = preset("openai-3", max_retries=6).build()
    runs = [drive(policy, [OVERLOADED] * 7, rng=Random(n)).waits for n in range(500)]
    for waits, longest_s in zip(zip(*runs, strict=True), [0.5, 1, 2, 4, 8, 8], strict=True):
        assert 0.75 * longest_s <= min(waits) < 0.76 * longest_s
        assert 0.99 * longest_s < max(waits) <= longest_s
