"""`urllib3-2` decides as the real `urllib3.util.Retry` inside the real connection pool does."""

import http.client
import io
import warnings
from collections.abc import Callable, Sequence
from random import Random
from types import SimpleNamespace

import pytest
import urllib3
import urllib3.util.retry
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NewConnectionError,
    ReadTimeoutError,
    SSLError,
)

from loadtests.policies import AttemptError, Outcome, preset
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


def raise_as_urllib3(error: AttemptError, pool: HTTPConnectionPool) -> None:
    """What comes up from the connection when an attempt ends this way."""
    conn = HTTPConnection("service.invalid")
    raised: dict[AttemptError, Exception] = {
        AttemptError.TIMEOUT: ReadTimeoutError(pool, "/", "read timed out"),
        AttemptError.CONNECT_TIMEOUT: ConnectTimeoutError(conn, "connect timed out"),
        AttemptError.REFUSED: NewConnectionError(conn, "refused"),
        AttemptError.UNREACHABLE: NewConnectionError(conn, "unreachable"),
        AttemptError.RESET: ConnectionResetError("reset"),
        AttemptError.CLOSED: http.client.RemoteDisconnected("closed"),
        AttemptError.NOT_HTTP: http.client.BadStatusLine("220 smtp"),
        AttemptError.REJECTED: SSLError("never sent"),
    }
    raise raised[error]


def answer_as_urllib3(outcome: Outcome, pool: HTTPConnectionPool) -> urllib3.HTTPResponse:
    """The real response object of an answer, or the real exception."""
    if outcome.error is not None:
        raise_as_urllib3(outcome.error, pool)
    status = outcome.status or 0
    return urllib3.HTTPResponse(
        io.BytesIO(b""), dict(outcome.headers), status, preload_content=False
    )


def play(world: World) -> Callable[..., urllib3.HTTPResponse]:
    """In place of the pool's method that sends one request over one connection."""

    def make_request(
        pool: HTTPConnectionPool, *_args: object, **_kwargs: object
    ) -> urllib3.HTTPResponse:
        return answer_as_urllib3(world.attempt(), pool)

    return make_request


def patch(monkeypatch: pytest.MonkeyPatch, world: World, seed: int) -> None:
    """Its sleeps, its wall clock, its randomness and its connections."""
    monkeypatch.setattr(HTTPConnectionPool, "_make_request", play(world))
    clock = SimpleNamespace(sleep=world.sleep, time=lambda: EPOCH_S)
    monkeypatch.setattr(urllib3.util.retry, "time", clock)
    monkeypatch.setattr(urllib3.util.retry, "random", Random(seed))


def real(
    monkeypatch: pytest.MonkeyPatch,
    retries: urllib3.Retry,
    script: Sequence[Outcome],
    seed: int,
    method: str,
) -> Trace:
    """The script played to a real pool."""
    world = World(script)
    patch(monkeypatch, world, seed)
    try:
        answer = HTTPConnectionPool("service.invalid").urlopen(method, "/", retries=retries)
    except (HTTPError, ValueError):  # a Retry-After such as `99 Foo` is a ValueError of `email`
        return world.trace(succeeded=False)
    return world.trace(answer.status < 400)


def random_parameters(rng: Random) -> dict[str, object]:
    """By our names."""
    limits: list[int | None] = [None, None, None, 0, 1, 2, 5]
    methods = [frozenset({"GET"}), frozenset({"POST", "PUT"}), frozenset[str](), None]
    return {
        "total": rng.choice([10, 10, 3, 1, 0, None]),
        **{kind: rng.choice(limits) for kind in ("connect", "read", "status", "other")},
        "allowed_methods": rng.choice([urllib3.Retry.DEFAULT_ALLOWED_METHODS, *methods]),
        "status_forcelist": rng.choice([frozenset(), frozenset({429, 500, 503}), {504}]),
        "backoff_factor_s": rng.choice([0.0, 0.1, 0.5, 30.0]),
        "backoff_jitter_s": rng.choice([0.0, 0.5, 100.0]),
        "backoff_max_s": rng.choice([120.0, 1.0, 0.0]),
        "respect_retry_after": rng.random() < 0.8,
        "retry_after_max_s": rng.choice([21_600.0, 60.0, 0.0]),
    }


def as_real(parameters: dict[str, object]) -> urllib3.Retry:
    """By theirs."""
    named = {name.removesuffix("_s"): value for name, value in parameters.items()}
    named["respect_retry_after_header"] = named.pop("respect_retry_after")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an empty set of methods is deprecated
        return urllib3.Retry(**named)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:Using an empty collection:FutureWarning")
def test_the_real_pool_and_ours_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any parameters, any outcomes: every wait and every stop, to the last bit."""
    rng = Random(1)
    for seed in range(3000):
        parameters, script = random_parameters(rng), random_script(rng, rejected=True)
        method = rng.choice(["GET", "GET", "POST"])
        theirs = real(monkeypatch, as_real(parameters), script, seed, method)
        mine = ours(preset("urllib3-2", **parameters), script, seed, method)
        assert mine == theirs, (parameters, script, method)


def test_the_defaults_are_those_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Retry()` and the preset as it is; and not what a pool uses when it is given none."""
    rng = Random(2)
    for seed in range(1000):
        script = random_script(rng, length=25)
        theirs = real(monkeypatch, urllib3.Retry(), script, seed, "GET")
        assert ours(preset("urllib3-2"), script, seed) == theirs
    assert urllib3.Retry.DEFAULT.total == 3


@pytest.mark.parametrize("status", [413, 429, 503])
def test_a_status_is_retried_by_its_retry_after_alone(status: int) -> None:
    """The list of statuses is empty; and a POST is not retried even so."""
    told = [Outcome(status=status, headers={"retry-after": "2"}), Outcome(status=200)]
    assert ours(preset("urllib3-2"), told, 0) == Trace([2.0], 2, succeeded=True)
    assert ours(preset("urllib3-2"), told, 0, "POST").attempts == 1
    assert ours(preset("urllib3-2"), same_failure(status, 2), 0).attempts == 1


@pytest.mark.parametrize("value", ["1.5", "-5", "", "soon"])
def test_a_retry_after_that_cannot_be_read_ends_the_request(value: str) -> None:
    """The library raises InvalidHeader where it would have to wait."""
    script = [Outcome(status=503, headers={"retry-after": value}), Outcome(status=200)]
    policy = preset("urllib3-2", status_forcelist=frozenset({503}))
    assert ours(policy, script, 0) == Trace([], 1, succeeded=False)


@pytest.mark.usefixtures("far_from_gmt")
def test_a_date_is_read_in_gmt(monkeypatch: pytest.MonkeyPatch) -> None:
    """urllib3#1896: read as local time it was a wait of hours. With a zone or without."""
    rng = Random(5)
    for seed in range(300):
        script = random_script(rng)
        theirs = real(monkeypatch, urllib3.Retry(), script, seed, "GET")
        assert ours(preset("urllib3-2"), script, seed) == theirs
    headers = {"retry-after": "Mon, 21 Sep 2026 12:00:00"}
    before_s = 1_789_992_000.0 - 5
    told = Outcome(status=503, headers=headers, received_epoch_s=before_s)
    assert ours(preset("urllib3-2"), [told, Outcome(status=200)], 0).waits == [5.0]


def test_a_retry_counts_for_the_backoff_when_retry_after_was_waited_for() -> None:
    """The third retry waits as a third one."""
    told = Outcome(status=503, headers={"retry-after": "9"})
    policy = preset("urllib3-2", backoff_factor_s=1, status_forcelist=frozenset({503}))
    script = [told, told, *same_failure(503, 2), Outcome(status=200)]
    assert ours(policy, script, 0).waits == [9.0, 9.0, 4.0, 8.0]


def test_the_jitter_is_lost_at_the_cap() -> None:
    """All of the waits are the maximum, in the real one too, once the factor's part reaches it."""
    policy = preset("urllib3-2", backoff_factor_s=0.5, backoff_jitter_s=1).build()
    assert isinstance(policy, Retry)
    rng, draws = Random(3), 10_000
    for retry, share in ((8, 0.0), (9, 1.0), (10, 1.0)):
        waits = [policy.backoff.wait_s(BackoffState(retry), rng) for _ in range(draws)]
        assert sum(wait == 120.0 for wait in waits) / draws == share
        history = (urllib3.util.retry.RequestHistory("GET", "/", None, 503, None),) * retry
        theirs = urllib3.Retry(backoff_factor=0.5, backoff_jitter=1, history=history)
        assert sum(theirs.get_backoff_time() == 120.0 for _ in range(100)) / 100 == share
