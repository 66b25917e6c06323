"""RPC frameworks: gRPC and Finagle."""

from dataclasses import dataclass

from loadtests.policies.backoff import BandJitter, Capped, Exponential
from loadtests.policies.backoff.rising import RisingJitter
from loadtests.policies.budgets.finagle import FinagleBudget
from loadtests.policies.budgets.grpc import GrpcThrottle
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.conditions import Conditions
from loadtests.policies.conditions.grpc import GRPC_CODES, GrpcCodes
from loadtests.policies.limits import Spans
from loadtests.policies.outcome import CONNECT_ERRORS
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.words.grpc import GrpcPushback

MOST_ATTEMPTS = 5
"""Where a service config asks for more, gRPC makes this many."""


def throttle(max_tokens: float, token_ratio: float) -> GrpcThrottle | None:
    """The throttling of a scope; none where `max_tokens` is 0."""
    return GrpcThrottle(max_tokens, token_ratio) if max_tokens else None


def check_tokens(preset: str, max_tokens: float) -> None:
    """Raises `ValueError` for less than a thousandth, of which gRPC counts whole ones."""
    if 0 < max_tokens < 0.001:
        raise ValueError(f"{preset}: max_tokens is {max_tokens:g}: expected 0, or 0.001 to 1,000")


@dataclass(frozen=True)
class GrpcA6(Preset):
    """The `retryPolicy` of a service config, with its `retryThrottling`."""

    name = "grpc-a6"
    family = Family.RPC
    summary = (
        "4 attempts, exponential ±20% after the cap; throttled when half of the tokens are gone"
    )
    source = (
        "grpc/proposal A6-client-retries.md (jitter as of 2024); grpc-go stream.go, clientconn.go"
    )
    notes = (
        "gRPC itself retries nothing until a service config says so: the defaults are the example "
        "of A6.",
        "An answer's grpc-status counts; without one its HTTP status does, by gRPC's own mapping, "
        "and a broken connection is UNAVAILABLE.",
        "Left out: transparent retries, of which A6 allows one where the service has not seen the "
        "attempt.",
        "Left out: the header grpc-timeout (at most 8 digits and a unit), by which gRPC tells a "
        "service how long is left. Our clients do not send it; timeout ends a request here alone.",
    )

    max_attempts: int = parameter(
        4, "attempts, the first included; above 5 means 5", least=2, most=10_000
    )
    initial_backoff_s: float = parameter(0.1, "the first wait", least=1e-6, most=86_400)
    max_backoff_s: float = parameter(1.0, "the longest, before jitter", least=1e-6, most=86_400)
    multiplier: float = parameter(2.0, "growth of the wait", least=1e-3, most=1000)
    codes: frozenset[str] = parameter(
        frozenset({"UNAVAILABLE"}), "gRPC statuses that are retried", choices=GRPC_CODES
    )
    max_tokens: float = parameter(10.0, "tokens of the throttling; 0: none", least=0, most=1000)
    token_ratio: float = parameter(0.1, "tokens that a success gives", least=0.001, most=1000)
    timeout_s: float | None = parameter(
        None, "deadline over all attempts and waits", least=0.001, most=86_400
    )

    def __post_init__(self) -> None:
        """Raises `ValueError` for less than a thousandth of a token, too."""
        super().__post_init__()
        check_tokens(self.name, self.max_tokens)

    def build(self) -> RetryPolicy:
        """The bucket is its scope's: gRPC has one per channel and server name."""
        grown = Exponential(self.initial_backoff_s, self.multiplier)
        return Retry(
            min(self.max_attempts, MOST_ATTEMPTS),
            BandJitter(Capped(grown, self.max_backoff_s), 0.8, 1.2),
            GrpcCodes(self.codes),
            word=GrpcPushback(),
            budget=throttle(self.max_tokens, self.token_ratio),
            deadline=None if self.timeout_s is None else Spans(self.timeout_s),
        )


@dataclass(frozen=True)
class Finagle24(Preset):
    """`RetryPolicy.tries` with the default `RetryBudget`."""

    name = "finagle-24"
    family = Family.RPC
    summary = "3 tries, 5 to 200 ms; a budget of 20% + 10/s, 100 of them at once"
    source = "twitter/finagle 24.2 RetryPolicy.scala, Backoff.scala, RetryBudget.scala"
    faults = (
        Fault(
            "its jitter draws from the wait before upwards, so waits only grow and gather at the "
            "longest: the more retries, the more in step",
            "aws-blog-decorrelated",
        ),
        Fault(
            "its budget has 100 retries in reserve before any request was made, in every process: "
            "of many clients with little traffic it bounds nothing",
            "full-jitter-budget",
        ),
    )
    notes = (
        "Finagle retries what it could not write, and what a server refused to take (a nack). A "
        "503 stands for a nack here.",
        "Left out: the requeues of its own that Finagle makes without waiting, from the same "
        "budget, below this policy.",
    )

    tries: int = parameter(
        3, "attempts, the first included (Finagle has no default)", least=1, most=10_000
    )
    start_s: float = parameter(0.005, "the first wait, without jitter", least=1e-6, most=3600)
    max_backoff_s: float = parameter(0.2, "the longest wait", least=1e-6, most=86_400)
    ttl_s: float = parameter(10.0, "how long the budget remembers", least=1, most=60)
    min_retries_per_second: int = parameter(
        10, "retries allowed whatever the traffic", least=0, most=1_000_000
    )
    retry_ratio_share: float = parameter(0.2, "retries to a request", least=0, most=1000)
    statuses: frozenset[int] = parameter(frozenset({503}), "statuses that count as a nack")

    def build(self) -> RetryPolicy:
        """The budget is its scope's: Finagle has one per client."""
        longest_s = max(self.start_s, self.max_backoff_s)
        return Retry(
            self.tries,
            RisingJitter(self.start_s, longest_s),
            Conditions(statuses=self.statuses, errors=CONNECT_ERRORS),
            budget=FinagleBudget(self.ttl_s, self.min_retries_per_second, self.retry_ratio_share),
        )


PRESETS: tuple[type[Preset], ...] = (GrpcA6, Finagle24)
