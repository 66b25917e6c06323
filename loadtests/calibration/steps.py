"""One step of load: what is asked for, and what came of it. Pure; times are seconds."""

from array import array
from dataclasses import dataclass
from enum import StrEnum

BATCHES = 10
"""Parts of a measured window whose goodputs tell how noisy it was."""


class Purpose(StrEnum):
    """Why a step is made."""

    LIGHT = "light"
    GROW = "grow"
    NARROW = "narrow"
    FAR = "far"
    NEAR = "near"
    LOW = "low"
    HIGH = "high"
    CHECK = "check"


class Stopped(StrEnum):
    """Why a step ended before its time."""

    FAILURES = "too many failed"
    QUEUE = "too many waited"
    IN_FLIGHT = "the bound on requests in flight was reached"


@dataclass(frozen=True, slots=True)
class Step:
    """A constant rate of new requests; `bound_s` is the latency bound, once it is known."""

    rate_per_s: float
    purpose: Purpose
    bound_s: float | None = None


@dataclass(frozen=True, slots=True)
class StepLimits:
    """How long a step is, and when it is given up.

    The first `warm_up_s` are not measured, the next `measured_s` are. No more than `max_in_flight`
    requests are under way at once; a step that needs more ends there.
    """

    warm_up_s: float = 1.0
    measured_s: float = 4.0
    max_in_flight: int = 2000
    max_failed_share: float = 0.2


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of a step, in its measured window.

    `offered_per_s` counts requests due in the window, `goodput_per_s` successes that ended in it
    and `batches_per_s` the same for each tenth of it. Of the requests that were due in it,
    `succeeded_share` is the share of those that ended which succeeded, whenever that was, and
    `p50_s`, `p95_s` and `slow_share` are of these; latency runs from when a request was due.
    `late_p99_s` is how late requests were sent, `cpu` the share of a core that sending took and
    `machine_busy` the share of all cores of this machine that anything took.
    """

    step: Step
    measured_s: float
    offered_per_s: float
    goodput_per_s: float
    batches_per_s: tuple[float, ...]
    succeeded_share: float
    p50_s: float
    p95_s: float
    slow_share: float
    late_p99_s: float
    cpu: float
    stopped: Stopped | None = None
    machine_busy: float = 0.0


class StepCount:
    """Counts one step as it goes; times are seconds from its beginning."""

    def __init__(self, step: Step, limits: StepLimits) -> None:
        """Nothing has been sent."""
        self._step, self._limits = step, limits
        self._end_s = limits.warm_up_s + limits.measured_s
        self._due = array("d")
        self._late = array("d")
        # As columns: a step can have a million requests, and numbers need no objects.
        self._ended_due = array("d")
        self._ended_at = array("d")
        self._ended_ok = array("b")
        self._failed = 0
        self.in_flight = 0

    def left(self, due_s: float, now_s: float) -> None:
        """A request that was due at `due_s` is being sent."""
        self._due.append(due_s)
        self._late.append(now_s - due_s)
        self.in_flight += 1

    def ended(self, due_s: float, now_s: float, ok: bool) -> None:
        """It is over."""
        self.in_flight -= 1
        self._ended_due.append(due_s)
        self._ended_at.append(now_s)
        self._ended_ok.append(ok)
        if not ok:
            self._failed += 1

    def broken_down(self, now_s: float) -> Stopped | None:
        """Whether to stop: what is known by now is enough, and more would only hurt.

        The bound on what is in flight holds at any time, the other two after the warm-up and a
        quarter of the window. More than ``2 · rate · bound`` in flight means that a request that
        comes now takes about twice the bound (Little's law).
        """
        limits, step = self._limits, self._step
        if self.in_flight >= limits.max_in_flight:
            return Stopped.IN_FLIGHT
        if now_s < limits.warm_up_s + limits.measured_s / 4:
            return None
        ended = len(self._ended_ok)
        if ended >= 20 and self._failed > limits.max_failed_share * ended:
            return Stopped.FAILURES
        if step.bound_s is not None and self.in_flight > max(
            20.0, 2 * step.rate_per_s * step.bound_s
        ):
            return Stopped.QUEUE
        return None

    def result(
        self, cpu: float, stopped: Stopped | None = None, now_s: float | None = None
    ) -> StepResult:
        """The step's result; `now_s` is when a step that was stopped was stopped."""
        end_s = self._end_s if now_s is None else min(now_s, self._end_s)
        begin_s = self._limits.warm_up_s if end_s > self._limits.warm_up_s else 0.0
        measured_s = max(end_s - begin_s, 1e-9)
        batches = [0] * BATCHES
        latencies = array("d")
        ended = 0
        for due_s, at_s, ok in zip(self._ended_due, self._ended_at, self._ended_ok, strict=True):
            if begin_s <= due_s < end_s:
                ended += 1
                if ok:
                    latencies.append(at_s - due_s)
            if ok and begin_s <= at_s < end_s:
                batches[min(int((at_s - begin_s) / measured_s * BATCHES), BATCHES - 1)] += 1
        ordered = sorted(latencies)
        bound_s = self._step.bound_s
        slow = 0 if bound_s is None else sum(latency > bound_s for latency in ordered)
        due = sum(begin_s <= due_s < end_s for due_s in self._due)
        return StepResult(
            self._step,
            measured_s,
            due / measured_s,
            sum(batches) / measured_s,
            tuple(batch * BATCHES / measured_s for batch in batches),
            len(latencies) / ended if ended else 0.0,
            quantile(ordered, 0.50),
            quantile(ordered, 0.95),
            slow / len(ordered) if ordered else 0.0,
            quantile(sorted(self._late), 0.99),
            cpu,
            stopped,
        )


def quantile(ordered: list[float], share: float) -> float:
    """The smallest value that at least `share` of them do not exceed; 0 of none."""
    if not ordered:
        return 0.0
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
