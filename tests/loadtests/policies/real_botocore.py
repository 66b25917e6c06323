"""A whole botocore client that meets given outcomes in virtual time, for the tests of its modes."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from types import SimpleNamespace, TracebackType
from typing import Any

import botocore.awsrequest
import botocore.endpoint
import botocore.httpsession
import botocore.session
import pytest
from botocore import UNSIGNED, retryhandler
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)
from botocore.retries import bucket, standard

from loadtests.policies import AttemptError, Outcome
from tests.loadtests.policies.faketime import FakeTime

ERRORS: dict[AttemptError, Callable[[], Exception]] = {
    AttemptError.TIMEOUT: partial(ReadTimeoutError, endpoint_url="-"),
    AttemptError.CONNECT_TIMEOUT: partial(ConnectTimeoutError, endpoint_url="-"),
    AttemptError.REFUSED: partial(EndpointConnectionError, endpoint_url="-"),
    AttemptError.UNREACHABLE: partial(EndpointConnectionError, endpoint_url="-"),
    AttemptError.RESET: partial(ConnectionClosedError, endpoint_url="-"),
    AttemptError.CLOSED: partial(ConnectionClosedError, endpoint_url="-"),
    AttemptError.NOT_HTTP: partial(ConnectionClosedError, endpoint_url="-"),
}


class FakeCondition:
    """A condition of one thread: nobody notifies, so every wait runs in full."""

    clock = FakeTime()

    def __init__(self, lock: threading.Lock) -> None:
        """Whose lock is that of the bucket."""

    def __enter__(self) -> None:
        """Nobody else is there."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is held."""

    def wait(self, seconds: float) -> None:
        """Move on; a real wait is never so short that the clock does not show it."""
        self.clock.advance(max(1e-9, seconds))

    def notify(self) -> None:
        """Nobody waits."""


class RealBotocore:
    """A client of a service whose error codes stand in a header."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        mode: str,
        max_attempts: int | None = None,
        start_s: float = 0.0,
    ) -> None:
        """Nothing sent yet; the clock stands at `start_s`."""
        self.clock, self.rng = FakeTime(start_s), Random(0)
        self._outcomes: Iterator[Outcome] = iter(())
        self._sent = 0
        self._isolate(monkeypatch)
        session = botocore.session.Session()
        retries: dict[str, object] = {"mode": mode}
        if max_attempts is not None:
            retries["total_max_attempts"] = max_attempts
        self.client: Any = session.create_client(
            "lambda",
            region_name="us-east-1",
            endpoint_url="http://service",
            config=Config(signature_version=UNSIGNED, retries=retries),
        )

    def _isolate(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """From the network, the clock, chance and the machine's own configuration."""
        for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
            monkeypatch.setenv(name, "/nowhere")
        for name in ("AWS_RETRY_MODE", "AWS_MAX_ATTEMPTS", "AWS_PROFILE"):
            monkeypatch.delenv(name, raising=False)
        FakeCondition.clock = self.clock
        faked = SimpleNamespace(Lock=threading.Lock, Condition=FakeCondition)
        draw = partial(standard.ExponentialBackoff, random=self._draw)
        monkeypatch.setattr(botocore.endpoint, "time", self.clock)
        monkeypatch.setattr(bucket, "time", self.clock)
        monkeypatch.setattr(bucket, "threading", faked)
        monkeypatch.setattr(standard, "ExponentialBackoff", draw)
        monkeypatch.setattr(retryhandler, "random", SimpleNamespace(random=self._draw))
        monkeypatch.setattr(botocore.httpsession.URLLib3Session, "send", self._answer)

    def _draw(self) -> float:
        return self.rng.random()

    def _answer(self, request: Any) -> Any:
        self._sent += 1
        outcome = next(self._outcomes)
        self.clock.advance(outcome.elapsed_s)
        if outcome.error is not None:
            raise ERRORS[outcome.error]()
        raw = SimpleNamespace(stream=lambda: [b"{}"])
        return botocore.awsrequest.AWSResponse(
            request.url, outcome.status, dict(outcome.headers), raw
        )

    def run(self, outcomes: list[Outcome], rng: Random) -> tuple[list[float], int]:
        """The sleeps and the number of attempts of one call."""
        self.rng = rng
        self.clock.sleeps = []
        self._outcomes, self._sent = iter(outcomes), 0
        with contextlib.suppress(BotoCoreError, ClientError):
            self.client.list_functions()
        return self.clock.sleeps, self._sent
