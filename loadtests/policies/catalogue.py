"""The presets by name: the five policies of article 000."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from loadtests.policies.backoff import Exponential, Fixed, FullJitter, check_positive
from loadtests.policies.budget import TokenBudget
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import NoRetry, Retry

MAX_ATTEMPTS = 32


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """A preset's name and its parameters; `build` makes a policy with fresh state.

    The defaults are those of article 000 with 100 ms for its tick. A parameter that a preset
    has no use for is ignored by it. Raises `ValueError`, naming the parameter and what is allowed.
    """

    name: str
    attempts: int = 4
    base_s: float = 0.1
    cap_s: float = 6.4
    budget_ratio: float = 0.1
    budget_size: float = 10.0

    def __post_init__(self) -> None:
        """Check the name and the bounds."""
        if self.name not in PRESETS:
            raise ValueError(f"unknown policy {self.name!r}: expected one of {', '.join(PRESETS)}")
        if not 1 <= self.attempts <= MAX_ATTEMPTS:
            raise ValueError(f"attempts is {self.attempts}: expected 1 to {MAX_ATTEMPTS}")
        check_positive("base_s", self.base_s)
        check_positive("cap_s", self.cap_s)
        TokenBudget(self.budget_ratio, self.budget_size)

    def build(self) -> RetryPolicy:
        """A new policy, its budget as at the beginning."""
        return PRESETS[self.name](self)

    def describe(self) -> str:
        """The policy in words and formulas, for the report."""
        return self.build().describe()


def _immediate(spec: PolicySpec) -> Retry:
    return Retry(spec.attempts, Fixed(spec.base_s))


def _exponential(spec: PolicySpec) -> Retry:
    return Retry(spec.attempts, Exponential(spec.base_s, spec.cap_s))


def _full_jitter(spec: PolicySpec) -> Retry:
    return Retry(spec.attempts, FullJitter(Exponential(spec.base_s, spec.cap_s)))


def _full_jitter_budget(spec: PolicySpec) -> Retry:
    backoff = FullJitter(Exponential(spec.base_s, spec.cap_s))
    return Retry(spec.attempts, backoff, TokenBudget(spec.budget_ratio, spec.budget_size))


PRESETS: Mapping[str, Callable[[PolicySpec], RetryPolicy]] = MappingProxyType(
    {
        "no-retry": lambda _spec: NoRetry(),
        "immediate": _immediate,
        "exponential": _exponential,
        "full-jitter": _full_jitter,
        "full-jitter-budget": _full_jitter_budget,
    }
)
"""Preset name → its maker, in the order of article 000."""
