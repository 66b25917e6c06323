"""The clients of cloud services other than AWS's."""

from dataclasses import dataclass

from loadtests.policies.backoff import (
    Backoff,
    BandJitter,
    Capped,
    Exponential,
    FirstAtOnce,
    Fixed,
    FullJitter,
)
from loadtests.policies.call import IDEMPOTENT_METHODS
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.conditions import SERVER_ERRORS, Conditions
from loadtests.policies.conditions.azure import AzureConditions
from loadtests.policies.limits import BeginsNoneAfter, StopsBeforeWait
from loadtests.policies.outcome import TRANSPORT_ERRORS, AttemptError
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.words.azure import AzureRetryAfter
from loadtests.policies.words.openai import OpenAiRetryAfter


@dataclass(frozen=True)
class GoogleApiCore(Preset):
    """Bounded by time alone."""

    name = "google-api-core-2"
    family = Family.SDKS
    summary = "retries for 2 minutes in all, full jitter that doubles from 1 s to 1 min"
    source = "googleapis/python-api-core: retry/retry_base.py and retry_unary.py, 2.44.0"
    compared_with = "google-api-core 2.44.0"
    notes = (
        "The defaults of `Retry()`; the clients of single services have timeouts and codes of "
        "their own.",
        "Over HTTP a read that times out is not retried, and nor are 502 and 504.",
        "Nothing that the server says about waiting is heeded.",
    )
    faults = (
        Fault(
            "no number of attempts is too many: within the 2 minutes an outage gets 9 or "
            "10 attempts of each request, and no budget bounds them",
            sound="full-jitter-budget",
        ),
    )

    initial_s: float = parameter(1.0, "the first wait, before jitter", least=0, most=3600)
    maximum_s: float = parameter(60.0, "the longest wait", least=0, most=86_400)
    multiplier: float = parameter(2.0, "growth from retry to retry", least=1, most=1000)
    timeout_s: float | None = parameter(
        120.0, "no wait may end later than this", least=0, most=604_800
    )
    statuses: frozenset[int] = parameter(frozenset({429, 500, 503}), "statuses retried")

    def build(self) -> RetryPolicy:
        """Without state."""
        return Retry(
            None,
            FullJitter(Capped(Exponential(self.initial_s, self.multiplier), self.maximum_s)),
            Conditions(self.statuses, TRANSPORT_ERRORS - {AttemptError.TIMEOUT}),
            deadline=None if self.timeout_s is None else StopsBeforeWait(self.timeout_s),
        )


@dataclass(frozen=True)
class AzureCore(Preset):
    """In step, and by any method where the server names a wait."""

    name = "azure-core-1.41"
    family = Family.SDKS
    summary = "3 retries of a status, after 0, 1.6 and 3.2 s, without jitter"
    source = "Azure/azure-sdk-for-python: azure-core policies/_retry.py and _utils.py, 1.41.0"
    compared_with = "azure-core 1.41.0"
    notes = (
        "A Retry-After that cannot be read raises, and so ends the request.",
        "The time of all attempts and waits is checked as an attempt begins: the wait before it "
        "runs in full.",
        "Requests whose body cannot be rewound, which are not retried, are left out; so are the "
        "attempts' own timeouts.",
    )
    faults = (
        Fault("no jitter: what failed together comes back together", sound="full-jitter"),
        Fault("the first retry waits for nothing", sound="full-jitter"),
        Fault(
            "a failure with a Retry-After is retried by any method, a 400 or a POST too; 500, 503 "
            "and 504 by POST and PATCH even without one",
            sound="urllib3-2",
        ),
    )

    total: int = parameter(10, "retries of every kind", least=0, most=10_000)
    connect: int = parameter(3, "retries after failing to connect", least=0, most=10_000)
    read: int = parameter(3, "retries after errors later than that", least=0, most=10_000)
    status: int = parameter(3, "retries after a status", least=0, most=10_000)
    backoff_factor_s: float = parameter(0.8, "half of the second wait", least=0, most=3600)
    backoff_max_s: float = parameter(120.0, "the longest wait", least=0, most=86_400)
    mode: str = parameter("exponential", "how waits grow", choices=("exponential", "fixed"))
    methods: frozenset[str] = parameter(IDEMPOTENT_METHODS, "methods retried")
    statuses: frozenset[int] = parameter(frozenset(), "statuses retried besides the usual ones")
    timeout_s: float = parameter(604_800.0, "no attempt begins later", least=0, most=31_536_000)

    def build(self) -> RetryPolicy:
        """Without state."""
        return Retry(
            self.total + 1,
            FirstAtOnce(Capped(self._growth(), self.backoff_max_s)),
            AzureConditions(self.methods, self.statuses, self.connect, self.read, self.status),
            AzureRetryAfter(),
            deadline=BeginsNoneAfter(self.timeout_s),
        )

    def _growth(self) -> Backoff:
        if self.mode == "fixed":
            return Fixed(self.backoff_factor_s)
        return Exponential(self.backoff_factor_s)


@dataclass(frozen=True)
class OpenAi(Preset):
    """Jitter of a quarter, downwards."""

    name = "openai-3"
    family = Family.SDKS
    summary = "2 retries after about 440 and 880 ms; obeys the server up to 2 min"
    source = "openai/openai-python: _base_client.py, 3.57.0"
    compared_with = "openai 3.57.0"
    notes = (
        "POST is retried as everything else is; the idempotency key that it makes is not sent.",
        "The timeout of an attempt, 10 min there, is left to the load.",
    )
    faults = (
        Fault(
            "every client waits exactly as long as Retry-After says: they all come back at once",
            sound="full-jitter",
        ),
        Fault(
            "all waits lie in the upper quarter: what failed together comes back nearly together",
            sound="full-jitter",
        ),
    )

    max_retries: int = parameter(2, "retries", least=0, most=10_000)
    initial_s: float = parameter(0.5, "the first wait, before jitter", least=0, most=3600)
    maximum_s: float = parameter(8.0, "the longest wait", least=0, most=86_400)
    most_retry_after_s: float = parameter(
        120.0, "the longest Retry-After heeded; a longer one stops", least=0, most=86_400
    )

    def build(self) -> RetryPolicy:
        """Without state."""
        return Retry(
            self.max_retries + 1,
            BandJitter(Capped(Exponential(self.initial_s), self.maximum_s), 0.75, 1.0),
            Conditions(SERVER_ERRORS | {408, 409, 429}),
            OpenAiRetryAfter(self.most_retry_after_s),
        )


PRESETS = (GoogleApiCore, AzureCore, OpenAi)
