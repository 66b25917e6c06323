"""When tenacity stops."""

from dataclasses import dataclass

from loadtests.policies.units import duration


@dataclass(frozen=True, slots=True)
class TenacityStops:
    """`stop_after_delay` and `stop_before_delay`: the first that says so. None: not given.

    After: the attempts and waits so far took as long; the last wait may go beyond. Before: they
    would with the wait that is due.
    """

    after_s: float | None = None
    before_s: float | None = None

    def wait_s(self, elapsed_s: float, wait_s: float) -> float | None:
        """The whole wait, or none."""
        if self.after_s is not None and elapsed_s >= self.after_s:
            return None
        if self.before_s is not None and elapsed_s + wait_s >= self.before_s:
            return None
        return wait_s

    def attempt_s(self, elapsed_s: float) -> float | None:
        """Attempts are not bounded."""
        return None

    def describe(self) -> str:
        """In words."""
        after = [] if self.after_s is None else [f"no retry after {duration(self.after_s)}"]
        if self.before_s is not None:
            after.append(f"no wait that would end at {duration(self.before_s)} or later")
        return "; ".join(after) or "none"
