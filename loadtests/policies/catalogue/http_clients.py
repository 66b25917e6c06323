"""HTTP clients of Python that retry at their transport: urllib3, requests and httpx-retries."""

from dataclasses import dataclass

from loadtests.policies.backoff import (
    AddedJitter,
    Backoff,
    BandJitter,
    Capped,
    Exponential,
    FirstAtOnce,
    Fixed,
)
from loadtests.policies.call import IDEMPOTENT_METHODS
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.conditions import OVERLOAD_STATUSES, Conditions
from loadtests.policies.conditions.urllib3 import Urllib3Failures
from loadtests.policies.outcome import AttemptError
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import NoRetry, Retry
from loadtests.policies.words import Unheeded
from loadtests.policies.words.httpx_retries import HttpxRetryAfter
from loadtests.policies.words.urllib3 import Urllib3RetryAfter
from loadtests.policies.wrappers.cut_waits import Counted, CutWaits

_EXACT_RETRY_AFTER = (
    "Retry-After is waited for exactly, without jitter: all that were told the same number come "
    "back together."
)


@dataclass(frozen=True)
class Urllib3(Preset):
    """``urllib3.util.Retry()``."""

    name = "urllib3-2"
    family = Family.HTTP_CLIENTS
    summary = "10 retries at once; statuses only where they carry Retry-After"
    source = "urllib3/urllib3, src/urllib3/util/retry.py (2.8.0)"
    compared_with = "urllib3 2.8.0"
    faults = (
        Fault(
            "the clamp comes after the jitter: once the factor's part alone reaches the maximum, "
            "every wait is the maximum",
            "aws-blog-full",
        ),
        Fault(
            "no wait and no jitter before the first retry, whatever the factor: all that failed "
            "together come back at once",
            "aws-blog-full",
        ),
        Fault(
            "a Retry-After that cannot be read, as `1.5` or `-5`, raises InvalidHeader: the "
            "request fails where the backoff would have done",
            "httpx-retries-0.6",
        ),
    )
    notes = (
        "These are the defaults of `Retry()`; a pool that is given no `retries` uses `Retry(3)`.",
        "A Retry-After of 0 is none: the wait is the backoff's.",
        _EXACT_RETRY_AFTER,
        "With `total` none, statuses outside the list are not retried even with Retry-After.",
        "Statuses below 400 in the list, and redirects, are left out of the model.",
    )

    total: int | None = parameter(10, "retries of every kind together", least=0, most=10_000)
    connect: int | None = parameter(None, "retries after failures to connect", least=0, most=10_000)
    read: int | None = parameter(
        None, "retries after failures on an open connection", least=0, most=10_000
    )
    status: int | None = parameter(None, "retries after statuses", least=0, most=10_000)
    other: int | None = parameter(
        None, "retries after what never left the client", least=0, most=10_000
    )
    allowed_methods: frozenset[str] | None = parameter(
        IDEMPOTENT_METHODS, "methods retried after read errors and statuses; none: any"
    )
    status_forcelist: frozenset[int] = parameter(frozenset(), "statuses to retry")
    backoff_factor_s: float = parameter(0.0, "half of the second wait", least=0, most=3600)
    backoff_max_s: float = parameter(120.0, "the longest backoff", least=0, most=86_400)
    backoff_jitter_s: float = parameter(0.0, "what is added at most", least=0, most=3600)
    respect_retry_after: bool = parameter(True, "heed Retry-After")
    retry_after_max_s: float = parameter(
        21_600.0, "the longest Retry-After waited for", least=0, most=604_800
    )

    def build(self) -> RetryPolicy:
        """Without state."""
        failures = Urllib3Failures(
            statuses=self.status_forcelist,
            methods=self.allowed_methods,
            # The library's own condition is `total and respect_retry_after_header and …`.
            by_retry_after=bool(self.total) and self.respect_retry_after,
            reads_retry_after=self.respect_retry_after,
            connect=self.connect,
            read=self.read,
            status=self.status,
            other=self.other,
        )
        heeded = Urllib3RetryAfter(self.retry_after_max_s)
        return Retry(
            None if self.total is None else self.total + 1,
            self._backoff(),
            failures,
            heeded if self.respect_retry_after else Unheeded(),
        )

    def _backoff(self) -> Backoff:
        if not (self.backoff_factor_s or self.backoff_jitter_s):
            return Fixed(0.0)
        wait: Backoff = Exponential(self.backoff_factor_s)
        if self.backoff_jitter_s:
            wait = AddedJitter(wait, self.backoff_jitter_s)
        return FirstAtOnce(Capped(wait, self.backoff_max_s))


@dataclass(frozen=True)
class Requests(Preset):
    """A session as it is: `HTTPAdapter` mounts ``Retry(0, read=False)``."""

    name = "requests-2"
    family = Family.HTTP_CLIENTS
    summary = "none: one attempt, unless an adapter with `max_retries` is mounted"
    source = "psf/requests, src/requests/adapters.py (2.34.2)"
    compared_with = "requests 2.34.2"
    notes = (
        "`max_retries` as a number becomes urllib3's `Retry(max_retries)`: reads are retried as "
        "well, though the adapter's own documentation says that only connections are, and so are "
        "413, 429 and 503 that carry Retry-After. A mounted `Retry` is `urllib3-2`.",
    )

    max_retries: int = parameter(0, "retries, all of them at once", least=0, most=10_000)

    def build(self) -> RetryPolicy:
        """Without state."""
        return Urllib3(total=self.max_retries).build() if self.max_retries else NoRetry()


_HTTPX_ERRORS = {
    "TimeoutException": frozenset({AttemptError.TIMEOUT, AttemptError.CONNECT_TIMEOUT}),
    "NetworkError": frozenset({AttemptError.REFUSED, AttemptError.UNREACHABLE, AttemptError.RESET}),
    "RemoteProtocolError": frozenset({AttemptError.CLOSED, AttemptError.NOT_HTTP}),
}


@dataclass(frozen=True)
class HttpxRetries(Preset):
    """``httpx_retries.RetryTransport()``."""

    name = "httpx-retries-0.6"
    family = Family.HTTP_CLIENTS
    summary = "10 retries at once, or after Retry-After of up to 2 min; idempotent methods"
    source = "will-ockmore/httpx-retries, httpx_retries/retry.py (0.6.0)"
    compared_with = "httpx-retries 0.6.0"
    faults = (
        Fault(
            "the clamp comes after the jitter: with a factor of 0.5 s, 77% of the waits before "
            "the tenth retry are exactly 2 min",
            "aws-blog-full",
        ),
    )
    notes = (
        "The default factor is 0: ten retries without a wait.",
        _EXACT_RETRY_AFTER,
        "A Retry-After of 0, or one that cannot be read, is none: the wait is the backoff's.",
        "An empty set of methods or statuses means the defaults, as in the library.",
        "`total_timeout` bounds the waits together, and not the attempts.",
    )

    total: int = parameter(10, "retries", least=0, most=10_000)
    allowed_methods: frozenset[str] = parameter(IDEMPOTENT_METHODS, "methods to retry")
    status_forcelist: frozenset[int] = parameter(OVERLOAD_STATUSES, "statuses to retry")
    retry_on_exceptions: frozenset[str] = parameter(
        frozenset(_HTTPX_ERRORS), "exceptions to retry", choices=tuple(_HTTPX_ERRORS)
    )
    backoff_factor_s: float = parameter(0.0, "half of the first wait", least=0, most=3600)
    backoff_jitter_share: float = parameter(
        1.0, "what part of the wait is random; 100% is full jitter", least=0, most=1
    )
    max_backoff_wait_s: float = parameter(
        120.0, "the longest wait, also of Retry-After", least=0.001, most=86_400
    )
    respect_retry_after: bool = parameter(True, "heed Retry-After")
    total_timeout_s: float | None = parameter(
        None, "what the waits of a request may come to", least=0.001, most=86_400
    )

    def build(self) -> RetryPolicy:
        """Without state."""
        conditions = Conditions(
            statuses=self.status_forcelist or OVERLOAD_STATUSES,
            errors=frozenset[AttemptError]().union(
                *(_HTTPX_ERRORS[name] for name in self.retry_on_exceptions)
            ),
            methods=self.allowed_methods or IDEMPOTENT_METHODS,
            key_makes_safe=False,
            unreached_is_safe=False,
        )
        heeded = HttpxRetryAfter(self.max_backoff_wait_s)
        word = heeded if self.respect_retry_after else Unheeded()
        retry = Retry(self.total + 1, self._backoff(), conditions, word)
        if self.total_timeout_s is None:
            return retry
        return CutWaits(retry, self.total_timeout_s, Counted.WAITS)

    def _backoff(self) -> Backoff:
        if not self.backoff_factor_s:
            return Fixed(0.0)
        wait: Backoff = Exponential(self.backoff_factor_s, first=0)
        if self.backoff_jitter_share:
            wait = BandJitter(wait, 1 - self.backoff_jitter_share, 1)
        return Capped(wait, self.max_backoff_wait_s)


PRESETS = (Urllib3, Requests, HttpxRetries)
