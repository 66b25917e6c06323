"""The policies of the articles that this project comes from."""

from dataclasses import dataclass

from loadtests.policies.backoff import Capped, Exponential, Fixed, FullJitter
from loadtests.policies.budgets import RequestBucket
from loadtests.policies.catalogue.base import Family, Preset, parameter
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import NoRetry, Retry

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

    def _full_jitter(self) -> FullJitter:
        # The article draws ``1 + U{0 .. k - 1}`` whole ticks; this is the continuous draw with the
        # same range and mean. Clients know nothing of a service's ticks, and waits of whole ticks
        # bring each one back at the very place in a tick at which it was turned away.
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
class FullJitterBackoff(_Growing):
    """Spread in time, but as many."""

    name = "full-jitter"
    family = Family.ARTICLES
    summary = "3 retries after a random time of 100 ms up to 200, 400 and 800 ms"
    source = _DIP

    def build(self) -> RetryPolicy:
        """Full jitter."""
        return Retry(self.attempts, self._full_jitter())


@dataclass(frozen=True)
class FullJitterBudget(_Growing):
    """Spread in time, and bounded in number."""

    name = "full-jitter-budget"
    family = Family.ARTICLES
    summary = "the same, but retries are at most 10% of requests"
    source = _DIP

    budget_ratio: float = parameter(0.1, "retries earned by a request", least=0, most=1)
    budget_size: float = parameter(10.0, "retries that can be saved up", least=1, most=1e6)

    def build(self) -> RetryPolicy:
        """Full jitter and a bucket that starts empty."""
        bucket = RequestBucket(self.budget_ratio, self.budget_size)
        return Retry(self.attempts, self._full_jitter(), budget=bucket)
