"""Budgets and throttles that are not part of one retry library."""

from dataclasses import dataclass

from loadtests.policies.budgets import WindowBudget
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.catalogue.full_jitter import FullJitterPreset
from loadtests.policies.conditions import OVERLOAD_STATUSES, SERVER_ERRORS, Conditions
from loadtests.policies.guards import AdaptiveThrottle, AdmissionControl
from loadtests.policies.guards.adaptive import OVERLOADED
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry


@dataclass(frozen=True)
class SreClientBudget(FullJitterPreset):
    """A per-request limit and a per-client budget."""

    name = "sre-client-budget"
    family = Family.BUDGETS
    summary = "3 attempts; a retry only while retries are under 10% of requests"
    source = "Google, Site Reliability Engineering, chapter 21: Handling Overload"
    notes = (
        "The book names neither the time over which a client counts nor its waits: the window of "
        "2 min is that of its adaptive throttling, the waits are ours.",
        "It bounds a client. What it bounds for a fleet is a question of scope.",
    )

    budget_share: float = parameter(0.1, "retries allowed by a request", least=0, most=1)
    budget_window_s: float = parameter(120.0, "over which it counts", least=0.1, most=86_400)
    statuses: frozenset[int] = parameter(OVERLOAD_STATUSES, "statuses that are retried")

    def build(self) -> RetryPolicy:
        """One budget for the scope."""
        return Retry(
            self.max_attempts,
            self._backoff(),
            Conditions(statuses=self.statuses),
            budget=WindowBudget(self.budget_share, window_s=self.budget_window_s),
        )


@dataclass(frozen=True)
class SreAdaptiveThrottling(FullJitterPreset):
    """Clients that refuse their own requests."""

    name = "sre-adaptive-throttling"
    family = Family.BUDGETS
    summary = "refuses with P = (requests − 2·accepts)/(requests + 1) of 2 min; no retries"
    source = (
        "Google, Site Reliability Engineering, chapter 21: Handling Overload; "
        "apache/beam sdks/python/apache_beam/io/components/adaptive_throttler.py"
    )
    notes = (
        "What it refuses counts as a request: in a total outage P nears 1, and one in about "
        "requests + 1 attempts is let out.",
        "Its memory is the window: after a long outage, about as long again passes before it lets "
        "everything out, unless it is accepted.",
    )

    max_attempts: int = parameter(1, "attempts, the first included", least=1, most=10_000)
    k: float = parameter(2.0, "requests sent for one that is accepted", least=1, most=100)
    window_s: float = parameter(120.0, "over which it counts", least=0.1, most=86_400)
    rejection_statuses: frozenset[int] = parameter(
        OVERLOADED, "statuses by which a service does not accept"
    )

    def build(self) -> RetryPolicy:
        """One count for the scope."""
        throttle = AdaptiveThrottle(self.k, self.window_s, self.rejection_statuses)
        return Retry(self.max_attempts, self._backoff(), guard=throttle)


@dataclass(frozen=True)
class EnvoyAdmissionControl(FullJitterPreset):
    """The HTTP filter `envoy.filters.http.admission_control`."""

    name = "envoy-admission-control-1.40"
    family = Family.BUDGETS
    summary = "refuses with P = (n − s/0.95)/(n + 1) of 30 s, at most 80%; no retries"
    source = (
        "envoyproxy/envoy 1.40 source/extensions/filters/http/admission_control/"
        "admission_control.cc, thread_local_controller.cc"
    )
    faults = (
        Fault(
            "a 429 is a success by default: a service that sheds load by it is not spared",
            "sre-adaptive-throttling",
        ),
    )
    notes = (
        "What it refuses is not counted, unlike in the SRE book.",
        "Each worker thread of Envoy counts for itself; here the scope does.",
    )

    max_attempts: int = parameter(1, "attempts, the first included", least=1, most=10_000)
    sr_threshold_share: float = parameter(
        0.95, "success rate from which nothing is refused", least=0.01, most=1
    )
    aggression: float = parameter(1.0, "how soon it refuses much", least=1, most=1000)
    max_rejection_probability_share: float = parameter(0.8, "P at most", least=0, most=1)
    rps_threshold: int = parameter(
        0, "attempts a second below which nothing is refused", least=0, most=1_000_000
    )
    sampling_window_s: float = parameter(30.0, "over which it counts", least=1, most=86_400)
    failure_statuses: frozenset[int] = parameter(SERVER_ERRORS, "statuses that are failures")

    def build(self) -> RetryPolicy:
        """One count for the scope."""
        control = AdmissionControl(
            threshold=self.sr_threshold_share,
            aggression=self.aggression,
            most=self.max_rejection_probability_share,
            least_rps=self.rps_threshold,
            window_s=self.sampling_window_s,
            failures=self.failure_statuses,
        )
        return Retry(self.max_attempts, self._backoff(), guard=control)


PRESETS: tuple[type[Preset], ...] = (
    SreClientBudget,
    SreAdaptiveThrottling,
    EnvoyAdmissionControl,
)
