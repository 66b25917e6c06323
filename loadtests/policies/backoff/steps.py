"""Full jitter in whole steps, as article 000 draws it."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.rule import Backoff, BackoffState
from loadtests.policies.checks import check_positive
from loadtests.policies.units import duration

_CLOSE = 1e-9
"""A float holds 0.3 / 0.1 a hair below 3."""


@dataclass(frozen=True, slots=True)
class StepJitter:
    """``step · (1 + U{0 … w/step − 1})`` of the wait w of another: at least one step, at most w.

    Article 000's draw, in which a step is one of the service's ticks. Clients know nothing of
    these: a wait in whole ticks brings each one back at the very place in a tick at which it was
    turned away.
    """

    of: Backoff
    step_s: float = 0.1

    def __post_init__(self) -> None:
        """Raises `ValueError` for a step that is not above 0."""
        check_positive("step_s", self.step_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw; of a wait below two steps it is one."""
        steps = int(self.of.wait_s(state, rng) / self.step_s + _CLOSE)
        return self.step_s * (1 + int(rng.random() * max(1, steps)))

    def describe(self) -> str:
        """As in ``100 ms·(1 + U{0 … min(6.4 s, 100 ms·2^n)/100 ms − 1})``."""
        step = duration(self.step_s)
        return f"{step}·(1 + U{{0 … {self.of.describe()}/{step} − 1}})"
