"""Stands in for the module `time` in a real library: what it sleeps is written down, not slept."""

from dataclasses import dataclass, field


@dataclass
class FakeTime:
    """A clock that moves by what is slept and by `advance`."""

    now_s: float = 0.0
    sleeps: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        """Move on, and write it down."""
        self.sleeps.append(seconds)
        self.now_s += seconds

    def advance(self, seconds: float) -> None:
        """Move on unseen, as an attempt does."""
        self.now_s += seconds

    def monotonic(self) -> float:
        """Now."""
        return self.now_s

    def time(self) -> float:
        """Now, and the epoch began when the test did."""
        return self.now_s
