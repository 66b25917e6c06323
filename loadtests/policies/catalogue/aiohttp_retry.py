"""aiohttp-retry: a client around aiohttp's."""

from dataclasses import dataclass

from loadtests.policies.backoff import (
    Backoff,
    Capped,
    Exponential,
    Fixed,
    FullJitter,
    PowerJitter,
    SharedFibonacci,
)
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.conditions import SERVER_ERRORS, Conditions
from loadtests.policies.conditions.raised import Either
from loadtests.policies.outcome import AttemptError
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry

_METHODS = frozenset(
    {"HEAD", "GET", "PUT", "DELETE", "OPTIONS", "TRACE", "POST", "CONNECT", "PATCH"}
)

_CONNECTOR_ERRORS = frozenset({AttemptError.REFUSED, AttemptError.UNREACHABLE})
_OS_ERRORS = _CONNECTOR_ERRORS | {AttemptError.RESET}
_CONNECTION_ERRORS = _OS_ERRORS | {AttemptError.CLOSED, AttemptError.CONNECT_TIMEOUT}
_CLIENT_ERRORS = _CONNECTION_ERRORS | {AttemptError.NOT_HTTP}
EXCEPTIONS = {
    "Exception": _CLIENT_ERRORS | {AttemptError.TIMEOUT},
    "ClientError": _CLIENT_ERRORS,
    "ClientConnectionError": _CONNECTION_ERRORS,
    "ClientOSError": _OS_ERRORS,
    "ClientConnectorError": _CONNECTOR_ERRORS,
    "ServerDisconnectedError": frozenset({AttemptError.CLOSED}),
    "ClientResponseError": frozenset({AttemptError.NOT_HTTP}),
    "TimeoutError": frozenset({AttemptError.TIMEOUT, AttemptError.CONNECT_TIMEOUT}),
}
"""What each exception of aiohttp covers; its total timeout is a plain `TimeoutError`."""


@dataclass(frozen=True)
class AiohttpRetry(Preset):
    """``aiohttp_retry.RetryClient()``."""

    name = "aiohttp-retry-2.9"
    family = Family.HTTP_CLIENTS
    summary = "2 retries after 200 and 400 ms of any status from 500 on, by any method"
    source = "inyutin/aiohttp_retry, aiohttp_retry/retry_options.py and client.py (2.9.1)"
    compared_with = "aiohttp-retry 2.9.1"
    faults = (
        Fault("no jitter: all that failed together come back together", "aws-blog-full"),
        Fault("Retry-After is not read", "urllib3-2"),
        Fault(
            "a POST is sent again after a status from 500 on, and may be done twice", "urllib3-2"
        ),
        Fault(
            "with `fibonacci` the steps are kept in options that all requests share: a client's "
            "waits grow with each of its retries, and never begin anew",
            "backoff-2.2",
        ),
    )
    notes = (
        "No exception is retried unless it is named: neither timeouts nor refused connections.",
        "Exceptions that are named are retried by any method, whatever `methods` says.",
        "`jitter` adds U(0, 2)² s after the cap, so that waits may exceed it.",
        "`ListRetry` is left out; it never uses the first of its waits.",
        "Left out: a hidden layer below it. aiohttp 3.14 itself sends an idempotent request once "
        "more, at once, when the server closes the connection without an answer: the server sees "
        "2 of a GET with attempts 1, and 6 with 3, but 1 and 3 of a POST.",
        "Left out: retries of statuses below 400 that are named in `statuses`. Here such an answer "
        "is a success.",
    )

    options: str = parameter(
        "exponential",
        "which of the library's options",
        choices=("exponential", "jitter", "random", "fibonacci"),
    )
    attempts: int = parameter(3, "attempts, the first included", least=1, most=10_000)
    start_timeout_s: float = parameter(
        0.1, "exponential, jitter: half of the first wait", least=0, most=3600
    )
    max_timeout_s: float | None = parameter(
        None, "the longest wait; none: 30 s, of random and fibonacci 3 s", least=0, most=86_400
    )
    factor: float = parameter(
        2.0, "exponential, jitter: by which a wait grows", least=0.001, most=100
    )
    random_interval_size_s: float = parameter(
        2.0, "jitter: what is drawn up to, before it is raised to the factor", least=0, most=3600
    )
    min_timeout_s: float = parameter(0.1, "random: the shortest wait", least=0, most=86_400)
    multiplier_s: float = parameter(1.0, "fibonacci: half of the first wait", least=0, most=3600)
    statuses: frozenset[int] = parameter(frozenset(), "statuses to retry besides")
    retry_all_server_errors: bool = parameter(True, "retry any status from 500 on")
    exceptions: frozenset[str] = parameter(
        frozenset(), "exceptions to retry", choices=tuple(EXCEPTIONS)
    )
    methods: frozenset[str] = parameter(_METHODS, "methods whose statuses are retried")

    def build(self) -> RetryPolicy:
        """Only the steps of `fibonacci` are state."""
        all_server = SERVER_ERRORS if self.retry_all_server_errors else frozenset[int]()
        answers = Conditions(
            self.statuses | all_server, frozenset(), self.methods, key_makes_safe=False
        )
        if not self.exceptions:
            return Retry(self.attempts, self._backoff(), answers)
        named = frozenset[AttemptError]().union(*(EXCEPTIONS[name] for name in self.exceptions))
        either = Either(answers, Conditions(frozenset(), named))
        return Retry(self.attempts, self._backoff(), either)

    def _backoff(self) -> Backoff:
        if self.options == "random":
            return FullJitter(Fixed(self._most_s(3.0)), self.min_timeout_s)
        if self.options == "fibonacci":
            return Capped(SharedFibonacci(self.multiplier_s), self._most_s(3.0))
        growing = Exponential(self.start_timeout_s, self.factor, first=0)
        capped = Capped(growing, self._most_s(30.0))
        if self.options == "jitter":
            return PowerJitter(capped, self.random_interval_size_s, self.factor)
        return capped

    def _most_s(self, default_s: float) -> float:
        return default_s if self.max_timeout_s is None else self.max_timeout_s


PRESETS = (AiohttpRetry,)
