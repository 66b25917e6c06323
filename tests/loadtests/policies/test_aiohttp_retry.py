"""`aiohttp-retry-2.9` decides as the real client does, over a played session."""

import asyncio
from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import aiohttp
import aiohttp_retry
import aiohttp_retry.client
import aiohttp_retry.retry_options
import pytest

from loadtests.policies import AttemptError, Outcome, preset
from loadtests.policies.catalogue.aiohttp_retry import EXCEPTIONS
from loadtests.policies.outcome import TRANSPORT_ERRORS
from tests.loadtests.policies.beside import Trace, World, ours, random_script, same_failure

RAISED: dict[AttemptError, Exception] = {
    AttemptError.TIMEOUT: TimeoutError(),
    AttemptError.CONNECT_TIMEOUT: aiohttp.ConnectionTimeoutError(),
    AttemptError.REFUSED: aiohttp.ClientConnectorError(Mock(), OSError()),
    AttemptError.UNREACHABLE: aiohttp.ClientConnectorDNSError(Mock(), OSError()),
    AttemptError.RESET: aiohttp.ClientOSError(),
    AttemptError.CLOSED: aiohttp.ServerDisconnectedError(),
    AttemptError.NOT_HTTP: aiohttp.ClientResponseError(Mock(), ()),
}
"""What aiohttp raises for each: its total timeout, by default 5 min, is asyncio's."""


def exception_class(name: str) -> type[Exception]:
    """By its name in aiohttp, or of Python's own."""
    own = {"Exception": Exception, "TimeoutError": asyncio.TimeoutError}
    found: type[Exception] = own[name] if name in own else getattr(aiohttp, name)
    return found


class PlayedSession:
    """Stands for aiohttp's session."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def request(self, method: str, *_args: object, **_kwargs: object) -> SimpleNamespace:
        """One attempt."""
        outcome = self._world.attempt()
        if outcome.error is not None:
            raise RAISED[outcome.error]
        return SimpleNamespace(status=outcome.status, method=method)


def real(
    monkeypatch: pytest.MonkeyPatch,
    options: aiohttp_retry.RetryOptionsBase,
    script: Sequence[Outcome],
    seed: int,
    method: str = "GET",
) -> Trace:
    """The script played to a real `RetryClient`."""
    world = World(script)
    sleep = SimpleNamespace(sleep=world.sleep_async)
    monkeypatch.setattr(aiohttp_retry.client, "asyncio", sleep)
    rng = Random(seed)
    monkeypatch.setattr(aiohttp_retry.retry_options, "random", rng)
    if isinstance(options, aiohttp_retry.RandomRetry):
        options.random = rng.random

    async def request() -> int:
        session: Any = PlayedSession(world)
        client = aiohttp_retry.RetryClient(session, retry_options=options)
        answer = await client.request(method, "http://service.invalid/")
        return int(answer.status)

    try:
        status = asyncio.run(request())
    except (aiohttp.ClientError, TimeoutError):
        return world.trace(succeeded=False)
    return world.trace(status < 400)


def random_parameters(rng: Random, kind: str) -> tuple[dict[str, object], dict[str, Any]]:
    """By our names, and by theirs."""
    names = frozenset(rng.sample(list(EXCEPTIONS), rng.choice([0, 1, 2])))
    shared: dict[str, object] = {
        "attempts": rng.choice([3, 3, 1, 6]),
        "statuses": rng.choice([frozenset[int](), frozenset({429}), frozenset({404, 503})]),
        "methods": rng.choice([frozenset({"GET"}), frozenset({"GET", "POST"})]),
        "retry_all_server_errors": rng.random() < 0.7,
    }
    times: dict[str, float] = {"max_timeout": rng.choice([30.0, 3.0, 0.5])}
    plain: dict[str, float] = {}
    if kind in ("exponential", "jitter"):
        times["start_timeout"] = rng.choice([0.1, 1.0])
        plain["factor"] = rng.choice([2.0, 3.0, 1.0])
    if kind == "jitter":
        times["random_interval_size"] = rng.choice([2.0, 0.5])
    if kind == "random":
        times["min_timeout"] = rng.choice([0.1, 0.4])
    if kind == "fibonacci":
        times["multiplier"] = rng.choice([1.0, 0.1])
    mine = {**shared, **plain, **{f"{name}_s": value for name, value in times.items()}}
    mine |= {"options": kind, "exceptions": names}
    theirs = {**shared, **plain, **times, "exceptions": {exception_class(name) for name in names}}
    return mine, theirs


OPTIONS = {
    "exponential": aiohttp_retry.ExponentialRetry,
    "jitter": aiohttp_retry.JitterRetry,
    "random": aiohttp_retry.RandomRetry,
    "fibonacci": aiohttp_retry.FibonacciRetry,
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_the_real_client_and_ours_do_the_same(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Any parameters, any outcomes, by any method: every wait and every stop."""
    rng = Random(kind)
    for seed in range(300):
        mine, theirs = random_parameters(rng, kind)
        script, method = random_script(rng), rng.choice(["GET", "POST"])
        traced = real(monkeypatch, OPTIONS[kind](**theirs), script, seed, method)
        assert ours(preset("aiohttp-retry-2.9", **mine), script, seed, method) == traced, mine


@pytest.mark.parametrize("kind", OPTIONS)
def test_the_defaults_are_those_of_the_library(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Each of the options as it comes."""
    rng = Random(kind)
    for seed in range(100):
        script = random_script(rng)
        traced = real(monkeypatch, OPTIONS[kind](), script, seed, "POST")
        assert ours(preset("aiohttp-retry-2.9", options=kind), script, seed, "POST") == traced


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_each_exception_covers_what_it_covers_in_aiohttp(name: str) -> None:
    """By its class."""
    covered = {
        error for error, raised in RAISED.items() if isinstance(raised, exception_class(name))
    }
    assert EXCEPTIONS[name] == covered
    assert set(RAISED) == TRANSPORT_ERRORS


def test_no_exception_is_retried_by_default() -> None:
    """Not even a refused connection; but a POST is, after a 500."""
    policy = preset("aiohttp-retry-2.9")
    refused = same_failure(AttemptError.REFUSED, 3)
    assert ours(policy, refused, 0) == Trace([], 1, succeeded=False)
    failed = same_failure(500, 3)
    assert ours(policy, failed, 0, "POST") == Trace([0.2, 0.4], 3, succeeded=False)


@pytest.mark.parametrize(("method", "attempts"), [("GET", 1), ("GET", 3), ("POST", 1), ("POST", 3)])
def test_aiohttp_itself_sends_again_below_it(method: str, attempts: int) -> None:
    """A server that closes without an answer sees each idempotent attempt twice: a note says so."""
    seen = 0

    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal seen
        await reader.readuntil(b"\r\n\r\n")
        seen += 1
        writer.close()

    async def request() -> None:
        server = await asyncio.start_server(close, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        options = aiohttp_retry.ExponentialRetry(
            attempts, start_timeout=0, exceptions={aiohttp.ServerDisconnectedError}
        )
        async with server, aiohttp_retry.RetryClient(retry_options=options) as client:
            with pytest.raises(aiohttp.ServerDisconnectedError):
                await client.request(method, f"http://127.0.0.1:{port}/")

    asyncio.run(request())
    assert seen == attempts * (2 if method == "GET" else 1)
    hidden = [note for note in preset("aiohttp-retry-2.9").notes if "hidden layer" in note]
    assert "2 of a GET with attempts 1, and 6 with 3, but 1 and 3 of a POST" in hidden[0]


def test_the_steps_of_fibonacci_outlive_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """All requests of a client share them: the second one's first wait is the third step."""
    options = aiohttp_retry.FibonacciRetry(max_timeout=100.0)
    policy = preset("aiohttp-retry-2.9", options="fibonacci", max_timeout_s=100)
    built = policy.build()
    monkeypatch.setattr(type(policy), "build", lambda _self: built)
    down = same_failure(503, 3)
    for waits in ([2.0, 3.0], [5.0, 8.0], [13.0, 21.0]):
        assert real(monkeypatch, options, down, 0).waits == ours(policy, down, 0).waits == waits
