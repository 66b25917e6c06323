"""`httpx-retries-0.6` decides as the real `RetryTransport` does, over a played transport."""

import datetime
from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx
import httpx_retries.retry
import pytest
from httpx_retries import RetryTransport

from loadtests.policies import AttemptError, Outcome, StopReason, preset
from loadtests.policies.backoff import BackoffState
from loadtests.policies.retry import Retry
from tests.loadtests.policies.beside import (
    EPOCH_S,
    Trace,
    World,
    ours,
    random_script,
    same_failure,
)
from tests.loadtests.policies.drive import drive

EXCEPTIONS: dict[AttemptError, type[httpx.TransportError]] = {
    AttemptError.TIMEOUT: httpx.ReadTimeout,
    AttemptError.CONNECT_TIMEOUT: httpx.ConnectTimeout,
    AttemptError.REFUSED: httpx.ConnectError,
    AttemptError.UNREACHABLE: httpx.ConnectError,
    AttemptError.RESET: httpx.ReadError,
    AttemptError.CLOSED: httpx.RemoteProtocolError,
    AttemptError.NOT_HTTP: httpx.RemoteProtocolError,
}


class Now(datetime.datetime):
    """A wall clock that stands still."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "Now":
        """The time of the scripts."""
        return cls.fromtimestamp(EPOCH_S, tz)


def real(
    monkeypatch: pytest.MonkeyPatch,
    retry: httpx_retries.Retry,
    script: Sequence[Outcome],
    seed: int,
    method: str,
) -> Trace:
    """The script played to a real client."""
    world = World(script)
    module = httpx_retries.retry
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=world.sleep))
    monkeypatch.setattr(module, "random", Random(seed))
    clock = SimpleNamespace(datetime=Now, timezone=datetime.timezone)
    monkeypatch.setattr(module, "datetime", clock)

    def answer(request: httpx.Request) -> httpx.Response:
        outcome = world.attempt()
        if outcome.error is not None:
            raise EXCEPTIONS[outcome.error]("played", request=request)
        return httpx.Response(outcome.status or 0, headers=dict(outcome.headers))

    transport = RetryTransport(httpx.MockTransport(answer), retry)
    with httpx.Client(transport=transport, trust_env=False) as client:
        try:
            response = client.request(method, "http://service.invalid/")
        except httpx.TransportError:
            return world.trace(succeeded=False)
    return world.trace(response.status_code < 400)


def random_parameters(rng: Random) -> dict[str, object]:
    """By our names."""
    exceptions = ["TimeoutException", "NetworkError", "RemoteProtocolError"]
    methods = [frozenset({"GET"}), frozenset({"POST", "PUT"}), frozenset[str]()]
    return {
        "total": rng.choice([10, 10, 3, 1, 0]),
        "allowed_methods": rng.choice([httpx_retries.Retry.RETRYABLE_METHODS, *methods]),
        "status_forcelist": rng.choice([frozenset({429, 502, 503, 504}), {500}, frozenset()]),
        "retry_on_exceptions": frozenset(rng.sample(exceptions, rng.choice([3, 3, 2, 0]))),
        "backoff_factor_s": rng.choice([0.0, 0.1, 0.5, 30.0]),
        "backoff_jitter_share": rng.choice([1.0, 0.3, 0.0]),
        "max_backoff_wait_s": rng.choice([120.0, 3.0]),
        "respect_retry_after": rng.random() < 0.8,
        "total_timeout_s": rng.choice([None, None, 5.0, 60.0, 500.0]),
    }


def as_real(parameters: dict[str, object]) -> httpx_retries.Retry:
    """By theirs."""
    named: dict[str, Any] = {name.removesuffix("_s"): value for name, value in parameters.items()}
    named["respect_retry_after_header"] = named.pop("respect_retry_after")
    named["backoff_jitter"] = named.pop("backoff_jitter_share")
    names: frozenset[str] = named.pop("retry_on_exceptions")
    return httpx_retries.Retry(
        retry_on_exceptions=[getattr(httpx, name) for name in names], **named
    )


def test_the_real_transport_and_ours_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any parameters, any outcomes: every wait and every stop."""
    rng = Random(1)
    for seed in range(1500):
        parameters, script = random_parameters(rng), random_script(rng)
        method = rng.choice(["GET", "GET", "POST"])
        theirs = real(monkeypatch, as_real(parameters), script, seed, method)
        shown = {**parameters, "allowed_methods": methods_of(parameters)}
        assert ours(preset("httpx-retries-0.6", **shown), script, seed, method) == theirs, (
            parameters,
            script,
        )


def methods_of(parameters: dict[str, object]) -> frozenset[str]:
    """The library has an enum of them."""
    methods = parameters["allowed_methods"]
    assert isinstance(methods, frozenset)
    return frozenset(str(method) for method in methods)


def test_the_defaults_are_those_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Retry()` and the preset as it is."""
    rng = Random(2)
    for seed in range(300):
        script = random_script(rng, length=25)
        theirs = real(monkeypatch, httpx_retries.Retry(), script, seed, "GET")
        assert ours(preset("httpx-retries-0.6"), script, seed) == theirs


@pytest.mark.usefixtures("far_from_gmt")
def test_a_date_is_read_in_gmt(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a zone or without, wherever the machine is."""
    rng = Random(5)
    for seed in range(300):
        script = random_script(rng)
        theirs = real(monkeypatch, httpx_retries.Retry(), script, seed, "GET")
        assert ours(preset("httpx-retries-0.6"), script, seed) == theirs


def test_ten_retries_come_at_once_by_default() -> None:
    """The default factor is 0."""
    trace = ours(preset("httpx-retries-0.6"), same_failure(503, 11), 0)
    assert trace == Trace([0.0] * 10, 11, succeeded=False)


def test_what_the_waits_come_to_is_bounded_and_the_attempts_are_not() -> None:
    """The last wait is cut; then it is over, however little time the attempts took."""
    policy = preset("httpx-retries-0.6", backoff_factor_s=1, backoff_jitter=0, total_timeout_s=7)
    slow = [Outcome(status=503, elapsed_s=100)] * 10
    driven = drive(policy.build(), slow)
    assert (driven.waits, driven.reason) == ([2.0, 4.0, 1.0], StopReason.DEADLINE)


def test_the_jitter_collapses_at_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a factor of 0.5 s, 77% of the waits before the tenth retry are the cap: 1 − 120/512."""
    policy = preset("httpx-retries-0.6", backoff_factor_s=0.5).build()
    assert isinstance(policy, Retry)
    rng, draws = Random(3), 10_000
    waits = [policy.backoff.wait_s(BackoffState(10), rng) for _ in range(draws)]
    monkeypatch.setattr(httpx_retries.retry, "random", Random(4))
    theirs = httpx_retries.Retry(backoff_factor=0.5, attempts_made=10)
    real_waits = [theirs.backoff_strategy() for _ in range(draws)]
    for drawn in (waits, real_waits):
        share = sum(wait == 120.0 for wait in drawn) / draws
        # 3.9 deviations of a binomial share: passed by chance once in 10,000
        assert share == pytest.approx(1 - 120 / 512, abs=3.9 * (0.766 * 0.234 / draws) ** 0.5)
