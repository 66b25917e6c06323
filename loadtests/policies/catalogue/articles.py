"""The policies of the articles that this project comes from."""

from dataclasses import dataclass

from loadtests.policies.backoff import (
    Backoff,
    Capped,
    Exponential,
    Fixed,
    FullJitter,
    StepJitter,
)
from loadtests.policies.budgets import (
    Bucket,
    EveryFailure,
    GrpcThrottle,
    ShareOf,
    WindowBudget,
)
from loadtests.policies.call import IDEMPOTENT_METHODS
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.catalogue.full_jitter import FullJitterPreset
from loadtests.policies.conditions import OVERLOAD_STATUSES, AtMost, Conditions, RetryOn
from loadtests.policies.limits import Spans, StopsBeforeWait
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import NoRetry, Retry
from loadtests.policies.words import AddedRetryAfter

_DIP = "article 000, the capacity dip; a tick of 100 ms"


@dataclass(frozen=True)
class Never(Preset):
    """What everything else is compared with."""

    name = "no-retry"
    family = Family.ARTICLES
    summary = "one attempt, whatever becomes of it"
    source = _DIP

    def build(self) -> RetryPolicy:
        """Without state."""
        return NoRetry()


@dataclass(frozen=True)
class Immediate(Preset):
    """The tick after, all together."""

    name = "immediate"
    family = Family.ARTICLES
    summary = "3 retries, each after 100 ms"
    source = _DIP

    attempts: int = parameter(4, "attempts, the first included", least=1, most=10_000)
    base_s: float = parameter(0.1, "the wait", least=0, most=3600)

    def build(self) -> RetryPolicy:
        """A fixed wait."""
        return Retry(self.attempts, Fixed(self.base_s))


@dataclass(frozen=True)
class _Growing(Preset):
    """The parameters of article 000's waits ``min(cap, base · 2^n)``."""

    attempts: int = parameter(4, "attempts, the first included", least=1, most=10_000)
    base_s: float = parameter(0.1, "half of the first wait", least=0, most=3600)
    cap_s: float = parameter(6.4, "the longest wait", least=0, most=86_400)

    def _exponential(self) -> Capped:
        return Capped(Exponential(self.base_s, first=0), self.cap_s)


@dataclass(frozen=True)
class _Jittered(_Growing):
    """And how they are drawn."""

    step_s: float | None = parameter(
        None,
        "waits are whole steps of this, at least one; none: any time from the base on",
        least=0.001,
        most=3600,
    )

    def _full_jitter(self) -> Backoff:
        """The article's own draw with a step of one tick, else any time of the same range.

        Clients know nothing of a service's ticks, and waits of whole ticks bring each one back at
        the very place in a tick at which it was turned away. The means are the same.
        """
        if self.step_s is not None:
            return StepJitter(self._exponential(), self.step_s)
        return FullJitter(self._exponential(), least_s=self.base_s)


@dataclass(frozen=True)
class ExponentialBackoff(_Growing):
    """All that failed together come back together."""

    name = "exponential"
    family = Family.ARTICLES
    summary = "3 retries after 200, 400 and 800 ms, without jitter"
    source = _DIP

    def build(self) -> RetryPolicy:
        """No jitter."""
        return Retry(self.attempts, self._exponential())


@dataclass(frozen=True)
class FullJitterBackoff(_Jittered):
    """Spread in time, but as many."""

    name = "full-jitter"
    family = Family.ARTICLES
    summary = "3 retries after a random time of 100 ms up to 200, 400 and 800 ms"
    source = _DIP

    def build(self) -> RetryPolicy:
        """Full jitter."""
        return Retry(self.attempts, self._full_jitter())


@dataclass(frozen=True)
class FullJitterBudget(_Jittered):
    """Spread in time, and bounded in number."""

    name = "full-jitter-budget"
    family = Family.ARTICLES
    summary = "the same, but retries are at most 10% of requests"
    source = _DIP

    budget_ratio: float = parameter(0.1, "retries earned by a request", least=0, most=1)
    budget_size: float = parameter(10.0, "retries that can be saved up", least=1, most=1e6)

    def build(self) -> RetryPolicy:
        """Full jitter and a bucket that starts empty."""
        bucket = Bucket.of_ratio(self.budget_ratio, self.budget_size)
        return Retry(self.attempts, self._full_jitter(), budget=bucket)


@dataclass(frozen=True)
class _SafeOnly(Preset):
    """Articles 001 to 003 repeat what is idempotent, or carries a key; and what can succeed."""

    statuses: frozenset[int] = parameter(OVERLOAD_STATUSES, "statuses that are retried")
    safe_only: bool = parameter(True, "only idempotent methods, or with an idempotency key")

    def _retry_on(self, statuses: frozenset[int]) -> Conditions:
        return Conditions(statuses, methods=IDEMPOTENT_METHODS if self.safe_only else None)


@dataclass(frozen=True)
class Seed001GrpcBudget(FullJitterPreset, _SafeOnly):
    """`withRetry` and `RetryBudget`."""

    name = "seed-001-grpc-budget"
    family = Family.ARTICLES
    summary = "3 attempts, full jitter of 100 and 200 ms, a budget like that of gRPC"
    source = "article 001, retry.mjs"
    faults = (
        Fault(
            "a failure that is not retried takes a token too: a flood of 400s stops the retries of "
            "all others (as in aws/aws-sdk-js-v3#4754)",
            "grpc-a6",
        ),
    )
    notes = (
        "The article's helper retries every error unless told otherwise; its text and its example "
        "retry 503 and timeouts, and only what is safe to repeat.",
    )

    max_tokens: float = parameter(10.0, "tokens at first and at most", least=0.001, most=1000)
    token_ratio: float = parameter(0.1, "tokens that a success gives", least=0.001, most=1000)
    step_s: float | None = parameter(
        None,
        "waits are rounded up to whole steps of this, as the article's simulation has them",
        least=0.001,
        most=3600,
    )

    def build(self) -> RetryPolicy:
        """One budget for the scope."""
        jitter = self._backoff()
        return Retry(
            self.max_attempts,
            jitter if self.step_s is None else StepJitter(jitter.of, self.step_s),
            self._retry_on(self.statuses),
            budget=EveryFailure(GrpcThrottle(self.max_tokens, self.token_ratio)),
        )


@dataclass(frozen=True)
class Seed002SuccessBudget(_SafeOnly):
    """Fixes one to three, and retrying less."""

    name = "seed-002-success-budget"
    family = Family.ARTICLES
    summary = "5 attempts, full jitter of 100 to 800 ms, retries under 10% of recent successes"
    source = "article 002, fixes one to three"
    notes = (
        "The article names no time over which successes are recent: 10 s are ours.",
        "The caller's deadline, if there is one, bounds all attempts and waits.",
    )

    max_attempts: int = parameter(5, "attempts, the first included", least=1, most=10_000)
    base_s: float = parameter(0.1, "the first wait before jitter", least=0, most=3600)
    budget_share: float = parameter(0.1, "retries allowed by a success", least=0, most=1)
    budget_window_s: float = parameter(10.0, "how long successes count", least=0.1, most=86_400)
    deadline_s: float | None = parameter(None, "the caller's deadline", least=0.001, most=86_400)

    def build(self) -> RetryPolicy:
        """One budget for the scope."""
        return Retry(
            self.max_attempts,
            FullJitter(Exponential(self.base_s)),
            self._retry_on(self.statuses),
            budget=WindowBudget(self.budget_share, ShareOf.SUCCESSES, self.budget_window_s),
            deadline=None if self.deadline_s is None else Spans(self.deadline_s),
        )


@dataclass(frozen=True)
class Seed003Credits(FullJitterPreset, _SafeOnly):
    """`fetch_with_retries` and `RetryBudget`."""

    name = "seed-003-credits"
    family = Family.ARTICLES
    summary = "4 attempts within 3 s, full jitter plus Retry-After, a budget in credits"
    source = "article 003, fetch_with_retries"
    notes = (
        "The article's listing does not retry a 500, its text allows one retry: retries_of_500.",
    )

    max_attempts: int = parameter(4, "attempts, the first included", least=1, most=10_000)
    base_s: float = parameter(0.2, "the first wait before jitter", least=0, most=3600)
    deadline_s: float | None = parameter(
        3.0, "no wait would end after it", least=0.001, most=86_400
    )
    retry_cost: int = parameter(10, "credits for a retry", least=1, most=1_000_000)
    max_credits: int = parameter(100, "credits at first and at most", least=1, most=1_000_000)
    retries_of_500: int = parameter(0, "how often a 500 is retried", least=0, most=10_000)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a retry that costs more than there can be, too."""
        super().__post_init__()
        if self.retry_cost > self.max_credits:
            raise ValueError(
                f"{self.name}: retry_cost is {self.retry_cost}: expected at most max_credits, "
                f"{self.max_credits}"
            )

    def build(self) -> RetryPolicy:
        """One budget for the scope."""
        retry_on: RetryOn = self._retry_on(self.statuses)
        if self.retries_of_500:
            retry_on = AtMost(self._retry_on(self.statuses | {500}), 500, self.retries_of_500)
        return Retry(
            self.max_attempts,
            self._backoff(),
            retry_on,
            AddedRetryAfter(),
            Bucket(cost=self.retry_cost, most=self.max_credits),
            deadline=None if self.deadline_s is None else StopsBeforeWait(self.deadline_s),
        )
