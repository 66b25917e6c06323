"""AWS's clients: botocore in its three modes, before 1.44 and since."""

from dataclasses import dataclass
from typing import ClassVar

from loadtests.policies.backoff import Backoff, ByFailure, Capped, Exponential, FullJitter
from loadtests.policies.budgets import AwsQuota
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.conditions.aws import LEGACY_CODES, AwsConditions, Throttling
from loadtests.policies.guards import AwsAdaptive
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.words.aws import RaisedByAmzRetryAfter

_TRANSIENT = frozenset({500, 502, 503, 504})
_CODES_NOTE = (
    "Error codes are read from the header x-amzn-errortype. Those that a service names in the body "
    "only, and errors that a service's model marks as retryable, are left out: name statuses that "
    "carry them in throttled_statuses."
)
_SHARED_QUOTA = Fault(
    "the quota is shared by all operations of a client: one that always fails drains it, and then "
    "no failure of any other is retried (aws/aws-sdk-js-v3#4754)",
    sound="full-jitter",
)
_RISES_IN_OUTAGE = Fault(
    "the rate limiter takes timeouts, refused connections and every status that does not mean "
    "throttling for successes: an outage raises the rate that it allows",
    sound="full-jitter-budget",
)
_BARE_429 = Fault(
    "a 429 whose error code is not a known one is neither retried nor throttling",
    sound="botocore-1.44-standard",
)


@dataclass(frozen=True)
class Legacy(Preset):
    """Without a quota, and without a cap on its waits."""

    name = "botocore-legacy"
    family = Family.SDKS
    summary = "4 retries, full jitter that doubles from 1 s; the default mode before 1.44"
    source = "boto/botocore: retryhandler.py and data/_retry.json, 1.43.127 and 1.44.8 alike"
    compared_with = "botocore 1.44.8"
    notes = (
        "Of DynamoDB: max_attempts=10 and base=50ms, which has no jitter at all.",
        "Error codes, which services add to, are read from the header x-amzn-errortype, of a 400 "
        "only. The checksums of DynamoDB's answers are left out.",
    )
    faults = (
        Fault("nothing bounds the retries of a client", sound="botocore-1.44-standard"),
        Fault("nothing bounds a wait, which doubles", sound="botocore-1.44-standard"),
    )

    max_attempts: int = parameter(5, "attempts, the first included", least=1, most=10_000)
    base_s: float | None = parameter(
        None, "the first wait, without jitter; none: up to 1 s, full jitter", least=0, most=3600
    )
    growth_factor: float = parameter(2.0, "growth of the wait from retry to retry", least=1, most=9)

    def build(self) -> RetryPolicy:
        """Without state."""
        if self.base_s is None:
            backoff: Backoff = FullJitter(Exponential(1.0, self.growth_factor))
        else:
            backoff = Exponential(self.base_s, self.growth_factor)
        statuses = _TRANSIENT | {429, 509}
        return Retry(
            self.max_attempts,
            backoff,
            AwsConditions(statuses, LEGACY_CODES, code_statuses=frozenset({400})),
        )


@dataclass(frozen=True)
class _Mode(Preset):
    """The parameters that all of the later modes have."""

    family = Family.SDKS

    max_attempts: int = parameter(3, "attempts, the first included", least=1, most=10_000)
    max_backoff_s: float = parameter(20.0, "the longest wait", least=0, most=86_400)
    quota: int = parameter(500, "units of the client's retry quota", least=0, most=10**9)
    retry_cost: int = parameter(14, "units that a retry takes", least=1, most=10**6)

    def _waits(self, base_s: float) -> Backoff:
        return FullJitter(Capped(Exponential(base_s), self.max_backoff_s))


@dataclass(frozen=True)
class Standard(_Mode):
    """One scale for all failures, and timeouts that cost more."""

    name = "botocore-standard"
    summary = "2 retries, full jitter from 1 s; a quota of 500 that a retry takes 5 or 10 of"
    source = "boto/botocore: retries/standard.py and quota.py, 1.43.127 by default"
    notes: ClassVar[tuple[str, ...]] = (
        "The rules of 1.43 and before; of its last versions unless AWS_NEW_RETRIES_2026=true.",
        "Compared once with 1.43.127, which cannot be installed beside 1.44: a table is left.",
        "Nothing that the server says about waiting is heeded.",
        _CODES_NOTE,
    )
    faults: ClassVar[tuple[Fault, ...]] = (_SHARED_QUOTA, _BARE_429)

    retry_cost: int = parameter(5, "units that a retry takes", least=1, most=10**6)
    timeout_cost: int = parameter(10, "units, after a timeout", least=1, most=10**6)
    throttled_statuses: frozenset[int] = parameter(
        frozenset(), "statuses whose answers carry a throttling error code"
    )

    def build(self) -> RetryPolicy:
        """A full quota."""
        return self._retry(guard=None)

    def _retry(self, guard: AwsAdaptive | None) -> Retry:
        throttling = Throttling(self.throttled_statuses)
        costs = (self.retry_cost, self.retry_cost, self.timeout_cost)
        return Retry(
            self.max_attempts,
            self._waits(1.0),
            AwsConditions(_TRANSIENT | self.throttled_statuses),
            budget=AwsQuota(*costs, size=self.quota, throttling=throttling),
            guard=guard,
        )


@dataclass(frozen=True)
class Adaptive(Standard):
    """Standard, and a rate limiter before every attempt."""

    name = "botocore-adaptive"
    summary = "botocore-standard behind a rate limiter that a throttling answer turns on"
    source = "boto/botocore: retries/adaptive.py, throttling.py and bucket.py, 1.43.127 by default"
    notes: ClassVar[tuple[str, ...]] = (
        *Standard.notes,
        "The limiter's clock begins with the first request, not with the client. A waiting attempt "
        "is not woken when the rate rises.",
    )
    faults: ClassVar[tuple[Fault, ...]] = (_RISES_IN_OUTAGE, *Standard.faults)

    def build(self) -> RetryPolicy:
        """A full quota, and a limiter that is off."""
        return self._retry(AwsAdaptive(Throttling(self.throttled_statuses)))


@dataclass(frozen=True)
class Standard144(_Mode):
    """Retries at once, unless throttled."""

    name = "botocore-1.44-standard"
    summary = "2 retries within 150 ms, or 3 s when throttled; a quota of 500: 14 or 5 a retry"
    source = "boto/botocore: retries/standard.py and quota.py, 1.44.8"
    compared_with = "botocore 1.44.8"
    notes: ClassVar[tuple[str, ...]] = (
        "The default mode since 1.44.0, which has no switch for the older rules; before, "
        "AWS_NEW_RETRIES_2026=true turned these on.",
        "Of DynamoDB: max_attempts=4 and base=25ms.",
        "Long polls (as SQS ReceiveMessage) that the quota stops wait once more before they fail; "
        "that wait is left out.",
        _CODES_NOTE,
    )
    faults: ClassVar[tuple[Fault, ...]] = (_SHARED_QUOTA,)

    base_s: float = parameter(0.05, "the first wait, before jitter", least=0, most=3600)
    throttled_base_s: float = parameter(1.0, "the same, when throttled", least=0, most=3600)
    throttled_cost: int = parameter(5, "units, when throttled", least=1, most=10**6)
    most_raised_s: float = parameter(
        5.0, "what x-amz-retry-after can add to a wait", least=0, most=86_400
    )
    throttled_statuses: frozenset[int] = parameter(
        frozenset({429}), "statuses that mean throttling, whatever their error code"
    )

    def build(self) -> RetryPolicy:
        """A full quota."""
        return self._retry(guard=None)

    def _retry(self, guard: AwsAdaptive | None) -> Retry:
        throttling = Throttling(self.throttled_statuses)
        costs = (self.retry_cost, self.throttled_cost, self.retry_cost)
        waits = self._waits(self.throttled_base_s), self._waits(self.base_s)
        return Retry(
            self.max_attempts,
            ByFailure(throttling, *waits),
            AwsConditions(_TRANSIENT | self.throttled_statuses),
            RaisedByAmzRetryAfter(self.most_raised_s),
            AwsQuota(*costs, size=self.quota, throttling=throttling),
            guard,
        )


@dataclass(frozen=True)
class Adaptive144(Standard144):
    """Standard, and a rate limiter before every attempt."""

    name = "botocore-1.44-adaptive"
    summary = "botocore-1.44-standard behind a rate limiter that a throttling answer turns on"
    source = "boto/botocore: retries/adaptive.py, throttling.py and bucket.py, 1.44.8"
    notes: ClassVar[tuple[str, ...]] = (*Standard144.notes[1:], Adaptive.notes[-1])
    faults: ClassVar[tuple[Fault, ...]] = (_RISES_IN_OUTAGE, _SHARED_QUOTA)

    def build(self) -> RetryPolicy:
        """A full quota, and a limiter that is off."""
        return self._retry(AwsAdaptive(Throttling(self.throttled_statuses)))


PRESETS = (Legacy, Standard, Adaptive, Standard144, Adaptive144)
