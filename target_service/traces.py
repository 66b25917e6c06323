"""When attempts of marked requests arrived: what `aftershock audit` reads back.

A request with the header ``X-Aftershock-Trace: ID`` is remembered attempt by attempt, at the full
resolution of the clock. Whoever can send requests can send marks, so that all of it is bounded.
"""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from target_service.limits import MAX_TRACED_ATTEMPTS, MAX_TRACES

TRACE_ID_FORM: Final = "^[A-Za-z0-9_-]{1,64}$"

Admittance = Literal["admitted", "turned-away"]

_ID = re.compile(TRACE_ID_FORM.strip("^$").encode())


@dataclass(frozen=True, slots=True)
class TracedAttempt:
    """An attempt that arrived at `t_s`, seconds of the target's clock.

    `attempt` is the number it is counted under; `numbers` is what each header said for itself, by
    the header's name, as far as it was a number.
    """

    t_s: float
    attempt: int
    lane: str
    outcome: Admittance
    numbers: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class _Trace:
    attempts: list[TracedAttempt] = field(default_factory=list)
    left_off: int = 0


@dataclass(frozen=True, slots=True)
class Trace:
    """The attempts with one mark in the order they came, and how many came beyond the limit."""

    id: str
    attempts: tuple[TracedAttempt, ...]
    left_off: int


class Traces:
    """The last traces, each with its first attempts; the oldest trace is forgotten first."""

    def __init__(self, traces: int = MAX_TRACES, attempts: int = MAX_TRACED_ATTEMPTS) -> None:
        """Keep at most this many traces, and of each at most this many attempts."""
        self._most_traces = traces
        self._most_attempts = attempts
        self._by_id: dict[str, _Trace] = {}

    def note(self, mark: bytes, attempt: TracedAttempt) -> None:
        """Remember an attempt; `mark` is the header's value. One that is no id is nobody's."""
        if not _ID.fullmatch(mark):
            return
        trace_id = mark.decode("ascii")
        trace = self._by_id.get(trace_id)
        if trace is None:
            if len(self._by_id) >= self._most_traces:
                del self._by_id[next(iter(self._by_id))]  # dicts keep the order of insertion
            trace = self._by_id[trace_id] = _Trace()
        if len(trace.attempts) < self._most_attempts:
            trace.attempts.append(attempt)
        else:
            trace.left_off += 1

    def of(self, trace_id: str) -> Trace:
        """The trace with this id: without attempts where none came, or it has been forgotten."""
        trace = self._by_id.get(trace_id, _Trace())
        return Trace(trace_id, tuple(trace.attempts), trace.left_off)

    def clear(self) -> None:
        """Forget all of them."""
        self._by_id.clear()
