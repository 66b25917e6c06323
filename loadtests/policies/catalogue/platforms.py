"""Retry libraries of .NET and of the JVM: Polly and resilience4j."""

from dataclasses import dataclass
from typing import ClassVar

from loadtests.policies.backoff import Backoff, BandJitter, Capped, Exponential, Fixed, Linear
from loadtests.policies.backoff.smoothed import SmoothedJitter
from loadtests.policies.backoff.whole import WholeGrowth
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.catalogue.hedging import TRANSIENT_STATUSES
from loadtests.policies.conditions import Conditions
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry


@dataclass(frozen=True)
class Polly8(Preset):
    """`RetryStrategyOptions`."""

    name = "polly-8"
    family = Family.RETRY_LIBRARIES
    summary = "3 retries, each after 2 s, without jitter"
    source = (
        "App-vNext/Polly 8.4.1 (RetryHelper.cs at commit 156a9bb) Polly.Core/Retry/RetryHelper.cs, "
        "RetryStrategyOptions.TResult.cs"
    )
    faults = (
        Fault("no jitter by default: what failed together comes back together", "full-jitter"),
        Fault("max_delay clamps after the jitter: at the cap all wait the same", "grpc-a6"),
    )
    notes = (
        "Polly retries what its predicate names: any exception by default. The statuses are those "
        "of Microsoft.Extensions.Http.Resilience, whose own defaults are exponential with jitter.",
        "Jitter is ±25% for constant and linear (at first, App-vNext/Polly#1445, U(1, 1.5) times "
        "the wait), and smoothed decorrelated for exponential.",
    )

    max_retry_attempts: int = parameter(3, "retries", least=1, most=10_000)
    backoff_type: str = parameter(
        "constant", "how waits grow", choices=("constant", "linear", "exponential")
    )
    delay_s: float = parameter(2.0, "the first wait", least=0, most=86_400)
    max_delay_s: float | None = parameter(None, "the longest wait", least=0, most=86_400)
    use_jitter: bool = parameter(False, "whether waits are drawn")
    statuses: frozenset[int] = parameter(TRANSIENT_STATUSES, "statuses that are retried")

    def build(self) -> RetryPolicy:
        """Without state."""
        backoff = self._backoff()
        if self.max_delay_s is not None:
            backoff = Capped(backoff, self.max_delay_s)
        return Retry(1 + self.max_retry_attempts, backoff, Conditions(statuses=self.statuses))

    def _backoff(self) -> Backoff:
        if self.backoff_type == "exponential":
            return SmoothedJitter(self.delay_s) if self.use_jitter else Exponential(self.delay_s)
        linear = self.backoff_type == "linear"
        grown: Backoff = Linear(self.delay_s, self.delay_s) if linear else Fixed(self.delay_s)
        return BandJitter(grown, 0.75, 1.25) if self.use_jitter else grown


@dataclass(frozen=True)
class Resilience4j2(Preset):
    """`RetryConfig`."""

    name = "resilience4j-2"
    family = Family.RETRY_LIBRARIES
    summary = "3 attempts, each retry after 500 ms, without jitter"
    source = (
        "resilience4j/resilience4j, RetryConfig.java and IntervalFunction.java after 2.2.0 "
        "(commit 010b8d2)"
    )
    faults: ClassVar[tuple[Fault, ...]] = (
        Fault("no jitter by default: what failed together comes back together", "full-jitter"),
        Fault(
            "every exception is retried by default, and HTTP clients of the JVM throw one for a "
            "400 as for a 503",
            "full-jitter",
        ),
        Fault("max_wait clamps after the jitter: at the cap all wait the same", "grpc-a6"),
    )
    notes: ClassVar[tuple[str, ...]] = (
        "Asked for exponential or random waits without a figure, the library takes a multiplier of "
        "1.5 and a randomization of 0.5.",
        "Up to 2.2.0 a draw went up to 1 ms further than U(1 − randomization, 1 + randomization) "
        "(resilience4j/resilience4j#2109).",
    )

    max_attempts: int = parameter(3, "attempts, the first included", least=1, most=10_000)
    wait_s: float = parameter(0.5, "the first wait; 0: at once", least=0, most=86_400)
    multiplier: float = parameter(1.0, "growth of the wait; 1: none", least=1, most=1000)
    randomization: float = parameter(0.0, "how far a draw goes, as a share of it", least=0, most=1)
    max_wait_s: float | None = parameter(None, "the longest wait", least=0.001, most=86_400)
    statuses: frozenset[int] = parameter(
        frozenset(range(400, 600)), "statuses for which the client throws"
    )

    def build(self) -> RetryPolicy:
        """Without state."""
        grown = WholeGrowth(self.wait_s, self.multiplier, self.randomization, self.max_wait_s)
        return Retry(self.max_attempts, grown, Conditions(statuses=self.statuses))


PRESETS: tuple[type[Preset], ...] = (Polly8, Resilience4j2)
