"""What presets have in common that make some attempts with capped full jitter between them."""

from dataclasses import dataclass

from loadtests.policies.backoff import Capped, Exponential, FullJitter
from loadtests.policies.catalogue.base import Preset, parameter


@dataclass(frozen=True)
class FullJitterPreset(Preset):
    """Waits of ``U(0, min(cap, base · 2^(n−1)))``."""

    max_attempts: int = parameter(3, "attempts, the first included", least=1, most=10_000)
    base_s: float = parameter(0.1, "the first wait before jitter", least=0, most=3600)
    cap_s: float = parameter(5.0, "the longest wait before jitter", least=0, most=86_400)

    def _backoff(self) -> FullJitter:
        return FullJitter(Capped(Exponential(self.base_s), self.cap_s))
