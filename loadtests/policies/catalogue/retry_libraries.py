"""Libraries of Python that retry a function, beside tenacity: stamina and backoff."""

from dataclasses import dataclass
from typing import ClassVar

from loadtests.policies.backoff import (
    AddedJitter,
    Backoff,
    Capped,
    Exponential,
    Fibonacci,
    Fixed,
    FullJitter,
)
from loadtests.policies.catalogue.base import Fault, parameter
from loadtests.policies.catalogue.functions import FUNCTION_NOTE, FunctionPreset
from loadtests.policies.conditions.raised import raised
from loadtests.policies.limits import StopsAfter
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.policies.wrappers.cut_waits import Counted, CutWaits


@dataclass(frozen=True)
class Stamina(FunctionPreset):
    """``@stamina.retry(on=…)``."""

    name = "stamina-26"
    summary = "9 retries after 0.1, 0.2, 0.4 … s and up to 1 s more, 5 s at most; 45 s"
    source = "hynek/stamina, src/stamina/_core.py (26.1.0)"
    compared_with = "stamina 26.1.0"
    faults = (
        Fault(
            "the clamp comes after the jitter: every wait from the seventh on is exactly 5 s",
            "aws-blog-full",
        ),
    )
    notes: ClassVar[tuple[str, ...]] = (
        FUNCTION_NOTE,
        "The 45 s stop retries that would begin later than that after a failure; the attempt or "
        "the wait in progress then may go beyond.",
    )

    attempts: int | None = parameter(10, "attempts, the first included", least=1, most=10_000)
    timeout_s: float | None = parameter(
        45.0, "no retry once this time has passed", least=0, most=86_400
    )
    wait_initial_s: float = parameter(0.1, "the first wait, without jitter", least=0, most=86_400)
    wait_max_s: float = parameter(5.0, "the longest wait, with jitter", least=0, most=86_400)
    wait_jitter_s: float = parameter(1.0, "what is added at most", least=0, most=86_400)
    wait_exp_base: float = parameter(2.0, "by which a wait grows", least=0.001, most=100)

    def build(self) -> RetryPolicy:
        """Without state."""
        wait: Backoff = Exponential(self.wait_initial_s, self.wait_exp_base)
        if self.wait_jitter_s:
            wait = AddedJitter(wait, self.wait_jitter_s)
        return Retry(
            self.attempts,
            Capped(wait, self.wait_max_s),
            raised(self.statuses, self.errors),
            deadline=None if self.timeout_s is None else StopsAfter(self.timeout_s),
        )


@dataclass(frozen=True)
class BackoffLibrary(FunctionPreset):
    """``@backoff.on_exception(backoff.expo, …)``."""

    name = "backoff-2.2"
    summary = "any failure, for ever, after anything from 0 up to 1, 2, 4 … s"
    source = "litl/backoff, backoff/_wait_gen.py, _jitter.py and _sync.py (2.2.1)"
    compared_with = "backoff 2.2.1"
    faults = (
        Fault(
            "`max_time` is counted to the beginning of the last attempt, not to its end: however "
            "long that took, there is one more",
            "stamina-26",
        ),
        Fault("`max_time` is of the wall clock, which steps (litl/backoff#149)", "stamina-26"),
    )
    notes: ClassVar[tuple[str, ...]] = (
        FUNCTION_NOTE,
        "The wall clock's steps are left out of the model.",
        "With `max_time` the last wait is cut to end with it, and one more attempt is made then.",
    )

    wait_gen: str = parameter("expo", "how waits grow", choices=("expo", "fibo", "constant"))
    jitter: str | None = parameter(
        "full", "full: U(0, w); random: w + U(0, 1 s)", choices=("full", "random")
    )
    max_tries: int | None = parameter(None, "attempts, the first included", least=1, most=10_000)
    max_time_s: float | None = parameter(None, "the time to try for", least=0.001, most=86_400)
    base: float = parameter(2.0, "expo: by which a wait grows", least=0.001, most=100)
    factor_s: float = parameter(1.0, "expo: the first wait, before jitter", least=0, most=86_400)
    interval_s: float = parameter(1.0, "constant: the wait, before jitter", least=0, most=86_400)
    max_value_s: float | None = parameter(
        None, "expo, fibo: the longest wait, before jitter", least=0, most=86_400
    )

    def build(self) -> RetryPolicy:
        """Without state."""
        conditions = raised(self.statuses, self.errors)
        retry = Retry(self.max_tries, self._jittered(self._growing()), conditions)
        if self.max_time_s is None:
            return retry
        return CutWaits(retry, self.max_time_s, Counted.UNTIL_SENT)

    def _growing(self) -> Backoff:
        if self.wait_gen == "constant":
            return Fixed(self.interval_s)
        expo = self.wait_gen == "expo"
        wait: Backoff = Exponential(self.factor_s, self.base) if expo else Fibonacci()
        return wait if self.max_value_s is None else Capped(wait, self.max_value_s)

    def _jittered(self, wait: Backoff) -> Backoff:
        if self.jitter == "full":
            return FullJitter(wait)
        return AddedJitter(wait, 1.0) if self.jitter == "random" else wait


PRESETS = (Stamina, BackoffLibrary)
