"""Hedging: another attempt before the first has failed."""

from dataclasses import dataclass

from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.catalogue.rpc import MOST_ATTEMPTS, check_tokens, throttle
from loadtests.policies.conditions import SERVER_ERRORS, Conditions
from loadtests.policies.conditions.grpc import GRPC_CODES, GrpcCodes
from loadtests.policies.hedging import Hedging
from loadtests.policies.limits import Spans
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.words.grpc import GrpcPushback

TRANSIENT_STATUSES = frozenset({408, 429}) | SERVER_ERRORS
"""What Microsoft.Extensions.Http.Resilience calls transient."""


@dataclass(frozen=True)
class GrpcA6Hedging(Preset):
    """The `hedgingPolicy` of a service config."""

    name = "grpc-a6-hedging"
    family = Family.HEDGING
    summary = "up to 4 attempts, every 500 ms or at once after a failure; throttled like retries"
    source = "grpc/proposal A6-client-retries.md (grpc-java RetriableStream.java)"
    notes = (
        "gRPC itself hedges nothing until a service config says so: the defaults are the example "
        "of A6.",
        "A pushback of n ms puts the next attempt off by n ms, and a negative one stops more from "
        "being sent, as A6 says; grpc-java sends the next at once where n is above 0.",
    )

    max_attempts: int = parameter(
        4, "attempts, the first included; above 5 means 5", least=2, most=10_000
    )
    hedging_delay_s: float = parameter(
        0.5, "between attempts; 0: all at once", least=0, most=86_400
    )
    non_fatal_codes: frozenset[str] = parameter(
        frozenset({"UNAVAILABLE", "INTERNAL", "ABORTED"}),
        "gRPC statuses that do not end the request",
        choices=GRPC_CODES,
    )
    max_tokens: float = parameter(10.0, "tokens of the throttling; 0: none", least=0, most=1000)
    token_ratio: float = parameter(0.1, "tokens that a success gives", least=0.001, most=1000)
    timeout_s: float | None = parameter(
        None, "deadline over all attempts", least=0.001, most=86_400
    )

    def __post_init__(self) -> None:
        """Raises `ValueError` for less than a thousandth of a token, too."""
        super().__post_init__()
        check_tokens(self.name, self.max_tokens)

    def build(self) -> RetryPolicy:
        """The bucket is its scope's: gRPC has one per channel and server name."""
        return Hedging(
            min(self.max_attempts, MOST_ATTEMPTS),
            self.hedging_delay_s,
            GrpcCodes(self.non_fatal_codes),
            word=GrpcPushback(),
            budget=throttle(self.max_tokens, self.token_ratio),
            deadline=None if self.timeout_s is None else Spans(self.timeout_s),
        )


@dataclass(frozen=True)
class Polly8Hedging(Preset):
    """`HedgingStrategyOptions`."""

    name = "polly-8-hedging"
    family = Family.HEDGING
    summary = "one more attempt after 2 s, or at once after a failure"
    source = "App-vNext/Polly 8 Polly.Core/Hedging/HedgingResilienceStrategy.cs"
    faults = (
        Fault(
            "nothing bounds the hedges: a service that slows down below the delay gets twice the "
            "load when it can least take it",
            "grpc-a6-hedging",
        ),
    )
    notes = (
        "Polly hedges what its predicate names: any exception by default. The statuses are those "
        "of Microsoft.Extensions.Http.Resilience.",
    )

    max_hedged_attempts: int = parameter(1, "attempts beside the first", least=1, most=10)
    delay_s: float | None = parameter(
        2.0, "before the next; 0: all at once; none: only after a failure", least=0, most=86_400
    )
    statuses: frozenset[int] = parameter(TRANSIENT_STATUSES, "statuses that do not end the request")

    def build(self) -> RetryPolicy:
        """Without state."""
        non_fatal = Conditions(statuses=self.statuses)
        return Hedging(1 + self.max_hedged_attempts, self.delay_s, non_fatal)


PRESETS: tuple[type[Preset], ...] = (GrpcA6Hedging, Polly8Hedging)
