"""tenacity: its default, and its three exponential waits."""

from dataclasses import dataclass

from loadtests.policies.backoff import (
    AddedJitter,
    AtLeast,
    Backoff,
    Capped,
    Exponential,
    Fixed,
    FullJitter,
)
from loadtests.policies.catalogue.base import Fault, parameter
from loadtests.policies.catalogue.functions import NO_JITTER, FunctionPreset
from loadtests.policies.conditions.raised import raised
from loadtests.policies.limits.tenacity import TenacityStops
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry


@dataclass(frozen=True)
class _Tenacity(FunctionPreset):
    """When it stops, which is never by itself."""

    compared_with = "tenacity 9.2.1"
    source = "jd/tenacity, tenacity/wait.py and stop.py (9.2.1)"

    attempts: int | None = parameter(
        None, "stop_after_attempt: attempts, the first included", least=1, most=10_000
    )
    stop_after_delay_s: float | None = parameter(
        None, "no retry once this time has passed", least=0, most=86_400
    )
    stop_before_delay_s: float | None = parameter(
        None, "no wait that would end after this time", least=0, most=86_400
    )

    def build(self) -> RetryPolicy:
        """Without state."""
        after_s, before_s = self.stop_after_delay_s, self.stop_before_delay_s
        stops = None if after_s is before_s is None else TenacityStops(after_s, before_s)
        conditions = raised(self.statuses, self.errors)
        return Retry(self.attempts, self._backoff(), conditions, deadline=stops)

    def _backoff(self) -> Backoff:
        raise NotImplementedError


@dataclass(frozen=True)
class Tenacity(_Tenacity):
    """``@retry`` as it is."""

    name = "tenacity-9"
    summary = "any failure at once, for ever"
    faults = (
        Fault("no limit and no wait: a client asks as fast as it is refused", "stamina-26"),
        NO_JITTER,
    )

    wait_s: float = parameter(0.0, "wait_fixed: the wait", least=0, most=86_400)

    def _backoff(self) -> Backoff:
        return Fixed(self.wait_s)


@dataclass(frozen=True)
class _Exponential(_Tenacity):
    """The parameters of waits that grow."""

    multiplier_s: float = parameter(1.0, "the first wait", least=0, most=86_400)
    exp_base: float = parameter(2.0, "by which a wait grows", least=0.001, most=100)
    min_s: float = parameter(0.0, "the shortest wait, which overrules max", least=0, most=86_400)
    max_s: float | None = parameter(None, "the longest wait", least=0, most=86_400)

    def _growing(self, jitter_s: float | None = None) -> Backoff:
        """``max(min, min(multiplier·base^(n−1) + jitter, max))``."""
        wait: Backoff = Exponential(self.multiplier_s, self.exp_base)
        if jitter_s is not None:
            wait = AddedJitter(wait, jitter_s)
        if self.max_s is not None:
            wait = Capped(wait, self.max_s)
        return AtLeast(wait, self.min_s) if self.min_s else wait


@dataclass(frozen=True)
class TenacityExponential(_Exponential):
    """`wait_exponential`."""

    name = "tenacity-9-exponential"
    summary = "any failure, for ever, after 1, 2, 4 … s without jitter"
    faults = (NO_JITTER,)

    def _backoff(self) -> Backoff:
        return self._growing()


@dataclass(frozen=True)
class TenacityRandomExponential(_Exponential):
    """`wait_random_exponential`: the draw comes last, so that jitter is not lost at the cap."""

    name = "tenacity-9-random-exponential"
    summary = "any failure, for ever, after anything from 0 up to 1, 2, 4 … s"

    def _backoff(self) -> Backoff:
        return FullJitter(self._growing(), self.min_s)


@dataclass(frozen=True)
class TenacityExponentialJitter(_Exponential):
    """`wait_exponential_jitter`."""

    name = "tenacity-9-exponential-jitter"
    summary = "any failure, for ever, after 1, 2, 4 … s and up to 1 s more"
    faults = (
        Fault(
            "the clamp comes after the jitter (jd/tenacity#703): with a maximum of 60 s, every "
            "wait from the seventh on is exactly 60 s",
            "tenacity-9-random-exponential",
        ),
        Fault(
            "the jitter does not grow with the wait: a second of it spreads a fleet that waits "
            "for a minute over a second",
            "tenacity-9-random-exponential",
        ),
    )

    jitter_s: float = parameter(1.0, "what is added at most", least=0, most=86_400)

    def _backoff(self) -> Backoff:
        return self._growing(self.jitter_s)


PRESETS = (
    Tenacity,
    TenacityExponential,
    TenacityRandomExponential,
    TenacityExponentialJitter,
)
