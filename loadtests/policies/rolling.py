"""Counts over the last while, in buckets of time: the windows of budgets and guards."""

from collections import deque
from dataclasses import dataclass, field

from loadtests.policies.checks import check_positive


@dataclass(slots=True)
class RollingCounts:
    """Counts of several kinds of thing over the last `window_s`, in buckets of `bucket_s`.

    A bucket begins with the first thing in it, or, where `aligned`, at a whole multiple of
    `bucket_s`. It is forgotten as a whole once it began `window_s` ago. Memory is bounded by the
    number of buckets. Under a clock that steps back nothing is forgotten until it has caught up.
    """

    window_s: float
    bucket_s: float
    kinds: int = 2
    aligned: bool = False
    counts: list[int] = field(init=False)
    """By kind, as of the last call."""
    _buckets: deque[tuple[float, list[int]]] = field(init=False, default_factory=deque)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a window or a bucket that is not above 0."""
        check_positive("window_s", self.window_s)
        check_positive("bucket_s", self.bucket_s)
        self.counts = [0] * self.kinds

    def add(self, now_s: float, kind: int, things: int = 1) -> None:
        """One more thing of this kind, or so many."""
        self.begin(now_s)
        self._buckets[-1][1][kind] += things
        self.counts[kind] += things

    def begin(self, now_s: float) -> None:
        """Begin a bucket if one is due, though there is nothing to put in it yet."""
        began_s = self._move_to(now_s)
        buckets = self._buckets
        if not buckets or began_s - buckets[-1][0] >= self.bucket_s:
            buckets.append((began_s, [0] * self.kinds))

    def at(self, now_s: float) -> list[int]:
        """The counts by kind as of now."""
        self._move_to(now_s)
        return self.counts

    def clear(self) -> None:
        """Forget all."""
        self._buckets.clear()
        self.counts = [0] * self.kinds

    def _move_to(self, now_s: float) -> float:
        """Forget what is too old. Returns when a bucket that begins now begins."""
        began_s = now_s // self.bucket_s * self.bucket_s if self.aligned else now_s
        buckets = self._buckets
        while buckets and began_s - buckets[0][0] >= self.window_s:
            _, old = buckets.popleft()
            for kind, count in enumerate(old):
                self.counts[kind] -= count
        return began_s
