"""The last so many calls, and how many of them failed or were slow."""

from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from loadtests.policies.rolling import RollingCounts

_CALLS, _FAILED, _SLOW = 0, 1, 2


class CallWindow(Protocol):
    """What a breaker judges by."""

    def record(self, now_s: float, failed: bool, slow: bool) -> tuple[int, int, int]:
        """One more call. Returns calls, failed ones and slow ones in the window."""
        ...


@dataclass(slots=True)
class LastCalls:
    """The last `size` calls, whenever they were."""

    size: int
    _calls: deque[tuple[bool, bool]] = field(init=False)
    _failed: int = field(init=False, default=0)
    _slow: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Empty."""
        self._calls = deque()

    def record(self, now_s: float, failed: bool, slow: bool) -> tuple[int, int, int]:
        """The oldest makes room."""
        if len(self._calls) == self.size:
            old_failed, old_slow = self._calls.popleft()
            self._failed -= old_failed
            self._slow -= old_slow
        self._calls.append((failed, slow))
        self._failed += failed
        self._slow += slow
        return len(self._calls), self._failed, self._slow


@dataclass(slots=True)
class LastSeconds:
    """The calls of the last `seconds` whole seconds, the present one included."""

    seconds: int
    _counts: RollingCounts = field(init=False)

    def __post_init__(self) -> None:
        """Empty."""
        self._counts = RollingCounts(float(self.seconds), 1.0, kinds=3, aligned=True)

    def record(self, now_s: float, failed: bool, slow: bool) -> tuple[int, int, int]:
        """What is too old is forgotten."""
        self._counts.add(now_s, _CALLS)
        if failed:
            self._counts.add(now_s, _FAILED)
        if slow:
            self._counts.add(now_s, _SLOW)
        calls, failures, slow_calls = self._counts.counts
        return calls, failures, slow_calls
