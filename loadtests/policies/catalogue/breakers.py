"""Circuit breakers. But for one, which has a retry around it, they make no retries."""

from dataclasses import dataclass, replace

from loadtests.policies.backoff import Fixed
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.catalogue.platforms import Resilience4j2
from loadtests.policies.conditions import Conditions
from loadtests.policies.guards import (
    FAILURE_STATUSES,
    AioBreaker,
    ConsecutiveBreaker,
    Failures,
    Guard,
    HystrixBreaker,
    PollyBreaker,
    PyBreaker,
    Resilience4jBreaker,
)
from loadtests.policies.guards.hystrix import MOST_SNAPSHOTS
from loadtests.policies.guards.resilience4j import Spells, Thresholds
from loadtests.policies.outcome import AttemptError
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.units import duration

_THROWN = frozenset(range(400, 600))
_LATE = "an attempt that was sent before it opened can decide a half-open breaker"
_WHO_FAILS = "which statuses are failures is up to who sets it up: see failure_statuses"


def _alone(guard: Guard, timeout_s: float | None = None) -> RetryPolicy:
    return Retry(1, Fixed(0.0), guard=guard, timeout_s=timeout_s)


@dataclass(frozen=True)
class Seed002Breaker(Preset):
    """Its text; its listing lets everyone through half-open, and never waits longer."""

    name = "seed-002-breaker"
    family = Family.ARTICLES
    summary = "open after 5 failures in a row; one trial; a failed trial waits longer"
    source = "article 002, fix four"
    notes = (
        "The article names no figures: threshold and cooldown are ours.",
        "The article's listing lets every call through once the cooldown has passed, and never "
        "lengthens it; this is what its text says.",
    )

    threshold: int = parameter(5, "failures in a row that open it", least=1, most=1_000_000)
    cooldown_s: float = parameter(5.0, "how long it is open at first", least=0.001, most=86_400)
    cooldown_multiplier: float = parameter(2.0, "growth by a failed trial", least=1, most=100)
    max_cooldown_s: float = parameter(60.0, "how long it is open at most", least=0.001, most=86_400)
    failure_statuses: frozenset[int] = parameter(FAILURE_STATUSES, "statuses that are failures")

    def build(self) -> RetryPolicy:
        """One state for the scope."""
        return _alone(
            ConsecutiveBreaker(
                threshold=self.threshold,
                cooldown_s=self.cooldown_s,
                multiplier=self.cooldown_multiplier,
                max_cooldown_s=self.max_cooldown_s,
                failures=Failures(self.failure_statuses),
            )
        )


@dataclass(frozen=True)
class Hystrix15(Preset):
    """`HystrixCircuitBreaker.HystrixCircuitBreakerImpl` and its health counts."""

    name = "hystrix-1.5"
    family = Family.BREAKERS
    summary = "open when 50% of at least 20 attempts in 10 s failed; after 5 s one trial"
    source = (
        "Netflix/Hystrix 1.5.13 HystrixCircuitBreaker.java (commit b5c1d20), "
        "HystrixCommandMetrics.java, metric/HealthCountsStream.java"
    )
    faults = (
        Fault(
            "one success closes it fully: everyone stampedes, and it collapses again, in a loop "
            "(Netflix/Hystrix#1647)",
            "resilience4j-2-breaker",
        ),
        Fault(_LATE, "seed-002-breaker"),
    )
    notes = (
        "Attempts are judged when a snapshot of 500 ms is complete: until then all are let out.",
        "Before 1.5.12 the next attempt judged, and not a timer; 1.5.18 is 1.5.11 again.",
        "Left out: the thread pool of 10 that bounds attempts in flight.",
        _WHO_FAILS + "; a HystrixBadRequestException, which is none, reopens a half-open breaker.",
    )

    request_volume: int = parameter(20, "attempts needed to judge", least=1, most=1_000_000)
    failure_rate_share: float = parameter(0.5, "failed share that opens it", least=0.01, most=1)
    window_s: float = parameter(10.0, "what is judged", least=0.1, most=86_400)
    snapshot_s: float = parameter(0.5, "how often", least=0.001, most=3600)
    sleep_window_s: float = parameter(5.0, "how long it is open", least=0.001, most=86_400)
    timeout_s: float | None = parameter(1.0, "the time of an attempt", least=0.001, most=86_400)
    failure_statuses: frozenset[int] = parameter(FAILURE_STATUSES, "statuses that are failures")

    def __post_init__(self) -> None:
        """Raises `ValueError` for more snapshots in the window than are worth keeping, too."""
        super().__post_init__()
        if self.window_s > MOST_SNAPSHOTS * self.snapshot_s:
            raise ValueError(
                f"{self.name}: snapshot is {duration(self.snapshot_s)}: expected "
                f"{duration(self.window_s / MOST_SNAPSHOTS)} at least, for a window of "
                f"{duration(self.window_s)}"
            )

    def build(self) -> RetryPolicy:
        """One state for the scope."""
        breaker = HystrixBreaker(
            volume=self.request_volume,
            failure_share=self.failure_rate_share,
            window_s=self.window_s,
            snapshot_s=self.snapshot_s,
            sleep_s=self.sleep_window_s,
            failures=Failures(self.failure_statuses),
        )
        return _alone(breaker, self.timeout_s)


@dataclass(frozen=True)
class _Resilience4jBreaker(Preset):
    """The parameters of `CircuitBreakerConfig`."""

    window_type: str = parameter("count", "what the window counts", choices=("count", "time"))
    window_size: int = parameter(100, "its size in calls, or seconds", least=1, most=100_000)
    minimum_calls: int = parameter(100, "calls needed to judge", least=1, most=1_000_000)
    failure_rate_share: float = parameter(0.5, "failed share that opens it", least=0.001, most=1)
    slow_call_rate_share: float = parameter(1.0, "slow share that opens it", least=0.001, most=1)
    slow_call_s: float = parameter(60.0, "what is slow", least=0.001, most=86_400)
    wait_in_open_s: float = parameter(
        60.0, "how long it is open at first", least=0.001, most=86_400
    )
    wait_in_open_multiplier: float = parameter(
        1.0, "growth by a failed trial; 1: none", least=1, most=100
    )
    max_wait_in_open_s: float | None = parameter(
        None, "how long it is open at most", least=0.001, most=86_400
    )
    permitted_in_half_open: int = parameter(10, "calls let out half-open", least=1, most=100_000)
    max_wait_in_half_open_s: float = parameter(
        0.0, "after which it is open again; 0: never", least=0, most=86_400
    )
    automatic_half_open: bool = parameter(False, "half-open by a timer, not by the next call")
    failure_statuses: frozenset[int] = parameter(
        _THROWN, "statuses that are failures: all for which the client throws"
    )

    def _breaker(self) -> Resilience4jBreaker:
        thresholds = Thresholds(
            by_time=self.window_type == "time",
            window_size=self.window_size,
            minimum_calls=self.minimum_calls,
            failure_share=self.failure_rate_share,
            slow_share=self.slow_call_rate_share,
            slow_s=self.slow_call_s,
            permitted=self.permitted_in_half_open,
        )
        spells = Spells(
            open_s=self.wait_in_open_s,
            multiplier=self.wait_in_open_multiplier,
            max_open_s=self.max_wait_in_open_s,
            half_open_s=self.max_wait_in_half_open_s,
            by_itself=self.automatic_half_open,
        )
        return Resilience4jBreaker(thresholds, spells, Failures(self.failure_statuses))


_RESILIENCE4J_SOURCE = (
    "resilience4j/resilience4j 2 CircuitBreakerConfig.java, CircuitBreakerStateMachine.java, "
    "CircuitBreakerMetrics.java, core/metrics/SlidingTimeWindowMetrics.java"
)
_RESILIENCE4J_FAULTS = (
    Fault(_LATE, "seed-002-breaker"),
    Fault(
        "a call from before it opened that is given up half-open gives back a permit that it never "
        "took, and one more is let out",
        "seed-002-breaker",
    ),
)
_RESILIENCE4J_NOTES = (
    "Half-open, as many results as are permitted decide, or minimum_calls where that is less.",
    "Half-open has no limit of time by default: what never ends keeps its permit.",
    "An outcome is a failure or a success here. What the library calls ignored, and is neither, is "
    "modelled by an abandoned attempt alone: both give their permit back "
    "(resilience4j/resilience4j#544).",
)


@dataclass(frozen=True)
class Resilience4jBreaker2(_Resilience4jBreaker):
    """`CircuitBreakerConfig` alone."""

    name = "resilience4j-2-breaker"
    family = Family.BREAKERS
    summary = "open when 50% of the last 100 calls failed; after 60 s 10 trials"
    source = _RESILIENCE4J_SOURCE
    faults = _RESILIENCE4J_FAULTS
    notes = _RESILIENCE4J_NOTES

    def build(self) -> RetryPolicy:
        """One state for the scope."""
        return _alone(self._breaker())


@dataclass(frozen=True)
class Resilience4jRetryBreaker2(_Resilience4jBreaker, Resilience4j2):
    """A retry around a breaker: the order of resilience4j's aspects."""

    name = "resilience4j-2-retry-breaker"
    family = Family.BREAKERS
    summary = "3 attempts, each retry after 500 ms, around a breaker of the last 100 calls"
    source = _RESILIENCE4J_SOURCE + ", RetryConfig.java; the order of the aspects: its Spring guide"
    faults = (*Resilience4j2.faults, *_RESILIENCE4J_FAULTS)
    notes = (
        *_RESILIENCE4J_NOTES,
        "By default a call that the breaker does not permit is an exception like others, and is "
        "retried: it costs time and attempts, but sends nothing.",
    )

    retry_not_permitted: bool = parameter(True, "retry what the breaker did not let out")

    def build(self) -> RetryPolicy:
        """One breaker for the scope, asked before every attempt."""
        retry = super().build()
        assert isinstance(retry, Retry)  # noqa: S101 - what the preset beneath builds
        if not self.retry_not_permitted:
            return replace(retry, guard=self._breaker())
        any_error = Conditions(statuses=self.statuses, errors=frozenset(AttemptError))
        return replace(retry, guard=self._breaker(), retry_on=any_error)


@dataclass(frozen=True)
class Polly8Breaker(Preset):
    """`CircuitBreakerStrategyOptions`."""

    name = "polly-8-breaker"
    family = Family.BREAKERS
    summary = "open when 10% of at least 100 attempts in 30 s failed; after 5 s one trial"
    source = (
        "App-vNext/Polly 8 Polly.Core/CircuitBreaker/Controller/CircuitStateController.cs, "
        "AdvancedCircuitBehavior.cs, Health/RollingHealthMetrics.cs"
    )
    faults = (
        Fault(
            "one success closes it fully, and a probe that was cancelled is one",
            "resilience4j-2-breaker",
        ),
        Fault(_LATE, "seed-002-breaker"),
    )
    notes = (
        "Since 8.3.1 an outcome that it does not handle closes a half-open breaker; before, it "
        "stayed half-open for ever (App-vNext/Polly#1979).",
        _WHO_FAILS + ".",
    )

    failure_ratio_share: float = parameter(0.1, "failed share that opens it", least=0, most=1)
    minimum_throughput: int = parameter(100, "attempts needed to judge", least=2, most=1_000_000)
    sampling_s: float = parameter(30.0, "what is judged", least=0.5, most=86_400)
    break_s: float = parameter(5.0, "how long it is open", least=0.5, most=86_400)
    failure_statuses: frozenset[int] = parameter(FAILURE_STATUSES, "statuses that are failures")

    def build(self) -> RetryPolicy:
        """One state for the scope."""
        return _alone(
            PollyBreaker(
                failure_share=self.failure_ratio_share,
                throughput=self.minimum_throughput,
                sampling_s=self.sampling_s,
                break_s=self.break_s,
                failures=Failures(self.failure_statuses),
            )
        )


@dataclass(frozen=True)
class PyBreaker14(Preset):
    """`CircuitBreaker.call`."""

    name = "pybreaker-1.4"
    family = Family.BREAKERS
    summary = "open after 5 failures in a row, for 60 s; one attempt at a time"
    source = "danielfm/pybreaker 1.4.1 src/pybreaker/__init__.py"
    faults = (
        Fault(
            "its lock is held through each call: a process makes one attempt at a time, however "
            "many threads it has, and what waits for the lock piles up while the service is slow",
            "seed-002-breaker",
        ),
        Fault("one success closes it fully", "resilience4j-2-breaker"),
    )
    notes = (
        "The lock hides a storm: at most one attempt is in flight for each breaker. Whoever waits "
        "for it is modelled by asking again when those before it are expected to be done.",
        "Any exception is a failure unless excluded, and so is whatever ends a call early.",
        "The library measures by the wall clock, which can step; this does not.",
    )
    compared_with = "pybreaker 1.4.1"

    fail_max: int = parameter(5, "failures in a row that open it", least=1, most=1_000_000)
    reset_timeout_s: float = parameter(60.0, "how long it is open", least=0.001, most=86_400)
    success_threshold: int = parameter(1, "successes that close it", least=1, most=1_000_000)
    serialised: bool = parameter(True, "one attempt at a time")
    failure_statuses: frozenset[int] = parameter(_THROWN, "statuses that are failures")

    def build(self) -> RetryPolicy:
        """One state for the scope."""
        return _alone(
            PyBreaker(
                fail_max=self.fail_max,
                timeout_s=self.reset_timeout_s,
                success_threshold=self.success_threshold,
                serialised=self.serialised,
                failures=Failures(self.failure_statuses),
            )
        )


@dataclass(frozen=True)
class AioBreaker12(Preset):
    """`CircuitBreaker.call_async`."""

    name = "aiobreaker-1.2"
    family = Family.BREAKERS
    summary = "open after 5 failures in a row, for 60 s; then everyone tries"
    source = "arlyon/aiobreaker 1.2.0 aiobreaker/circuitbreaker.py, state.py"
    faults = (
        Fault("half-open lets everyone through until the first of them ends", "seed-002-breaker"),
        Fault(
            "a failure of an attempt from before it opened begins the whole time anew",
            "seed-002-breaker",
        ),
    )
    notes = (
        "Any exception is a failure unless excluded; a cancelled task is none.",
        "The library measures by the wall clock, which can step; this does not.",
    )
    compared_with = "aiobreaker 1.2.0"

    fail_max: int = parameter(5, "failures in a row that open it", least=1, most=1_000_000)
    timeout_s: float = parameter(60.0, "how long it is open", least=0.001, most=86_400)
    failure_statuses: frozenset[int] = parameter(_THROWN, "statuses that are failures")

    def build(self) -> RetryPolicy:
        """One state for the scope."""
        return _alone(AioBreaker(self.fail_max, self.timeout_s, Failures(self.failure_statuses)))


PRESETS: tuple[type[Preset], ...] = (
    Hystrix15,
    Resilience4jBreaker2,
    Resilience4jRetryBreaker2,
    Polly8Breaker,
    PyBreaker14,
    AioBreaker12,
)
