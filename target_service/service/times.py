"""How long a worker takes for one attempt: a distribution with a mean, in seconds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Protocol

from aftershock_units import parse_duration_s
from target_service.limits import MAX_SERVICE_S

TIME_FORM = (
    'a duration, as in "100ms", or "exponential 100ms", "lognormal 100ms 0.5" (mean and sigma), '
    '"file PATH" (one duration a line)'
)
MAX_SIGMA = 4.0
MAX_SAMPLES = 100_000
_MAX_FILE_BYTES = 4_000_000


class ServiceTime(Protocol):
    """A distribution of service times."""

    @property
    def text(self) -> str:
        """As it was given."""
        ...

    @property
    def mean_s(self) -> float:
        """Its mean, above 0."""
        ...

    def draw_s(self, rng: Random) -> float:
        """One service time."""
        ...


@dataclass(frozen=True, slots=True)
class Constant:
    """Every attempt takes as long."""

    text: str
    mean_s: float

    def draw_s(self, _rng: Random) -> float:
        """The mean."""
        return self.mean_s


@dataclass(frozen=True, slots=True)
class Exponential:
    """Without memory: density ``exp(-t / mean) / mean``."""

    text: str
    mean_s: float

    def draw_s(self, rng: Random) -> float:
        """As `Random.expovariate` draws, with one call less."""
        return -math.log(1.0 - rng.random()) / (1.0 / self.mean_s)


@dataclass(frozen=True, slots=True)
class Lognormal:
    """The logarithm is normal with deviation `sigma`; its middle is ``mean / exp(sigma² / 2)``."""

    text: str
    mean_s: float
    sigma: float

    def draw_s(self, rng: Random) -> float:
        """From the distribution."""
        return rng.lognormvariate(math.log(self.mean_s) - self.sigma**2 / 2, self.sigma)


@dataclass(frozen=True, slots=True)
class Samples:
    """Measured times, each as likely as it occurs among the samples."""

    text: str
    samples_s: Sequence[float]
    mean_s: float = field(init=False)

    def __post_init__(self) -> None:
        # Once: it is asked for in every tick.
        object.__setattr__(self, "mean_s", math.fsum(self.samples_s) / len(self.samples_s))

    def draw_s(self, rng: Random) -> float:
        """One of the samples."""
        return rng.choice(self.samples_s)


def parse_service_time(text: str) -> ServiceTime:
    """The distribution in ``"100ms"``, ``"exponential 100ms"`` and so on.

    Raises `ValueError` naming what is allowed.
    """
    kind, _, rest = text.strip().partition(" ")
    match kind, rest.split():
        case "exponential", [mean]:
            return Exponential(text.strip(), parse_mean_s(mean))
        case "lognormal", [mean, sigma]:
            return Lognormal(text.strip(), parse_mean_s(mean), _sigma(sigma))
        case "file", [_, *_]:
            return _samples(text.strip(), Path(rest.strip()))
        case _ if kind[:1].isdigit():
            return Constant(text.strip(), parse_mean_s(text))
    raise ValueError(f"{text[:64]!r} is not {TIME_FORM}")


def parse_mean_s(text: str) -> float:
    """The mean in ``"100ms"``. Raises `ValueError` naming what is allowed."""
    mean_s = parse_duration_s(text)
    if not 0 < mean_s <= MAX_SERVICE_S:
        raise ValueError(f"a service time is above 0s and at most {MAX_SERVICE_S:.0f}s")
    return mean_s


def _sigma(text: str) -> float:
    try:
        sigma = float(text)
    except ValueError:
        sigma = math.nan
    if not 0 < sigma <= MAX_SIGMA:
        raise ValueError(f"{text[:32]!r} is no sigma: expected above 0 and at most {MAX_SIGMA:g}")
    return sigma


def _samples(text: str, path: Path) -> Samples:
    name = "".join(c if c.isprintable() else "\ufffd" for c in str(path))  # it may be anything
    try:
        if not path.is_file():  # a device would never end
            raise ValueError(f"{name}: {'no plain file' if path.exists() else 'no such file'}")
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise ValueError(f"{name}: larger than {_MAX_FILE_BYTES:,} bytes")
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text in UTF-8"
        raise ValueError(f"{name}: {reason}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            found.append(parse_mean_s(line))
        except ValueError as error:
            raise ValueError(f"{name}, line {number}: {error}") from None
    if not 1 <= len(found) <= MAX_SAMPLES:
        raise ValueError(f"{name}: expected 1 to {MAX_SAMPLES:,} durations, one a line")
    return Samples(text, tuple(found))
