"""The four backoffs of the AWS Architecture Blog's simulator, "Exponential Backoff And Jitter"."""

from dataclasses import dataclass

from loadtests.policies.backoff import (
    Backoff,
    BandJitter,
    Capped,
    DecorrelatedJitter,
    Exponential,
    FullJitter,
)
from loadtests.policies.catalogue.base import Family, Fault, Preset, parameter
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry

_NOTES = (
    "The simulator's clients contend for one row and go on until they have written it: there is "
    "no limit on attempts. Here what overload calls for is retried, by any method.",
    "The simulator counts its first failure as n = 1, so the first wait comes from 2·base.",
)


@dataclass(frozen=True)
class _AwsBlog(Preset):
    """The parameters of all four."""

    family = Family.ARTICLES
    source = "aws-samples/aws-arch-backoff-simulator, src/backoff_simulator.py"
    notes = _NOTES

    base_s: float = parameter(0.005, "half of the first wait, before jitter", least=0, most=3600)
    cap_s: float = parameter(2.0, "the longest wait", least=0, most=86_400)
    attempts: int | None = parameter(None, "attempts, the first included", least=1, most=10_000)

    def build(self) -> RetryPolicy:
        """Without state."""
        return Retry(self.attempts, self._backoff())

    def _exponential(self) -> Capped:
        return Capped(Exponential(self.base_s, first=0), self.cap_s)

    def _backoff(self) -> Backoff:
        raise NotImplementedError


@dataclass(frozen=True)
class AwsBlogExponential(_AwsBlog):
    """Clients that failed together stay together."""

    name = "aws-blog-exponential"
    summary = "10, 20, 40 ms … 2 s, without jitter, until it succeeds"
    faults = (Fault("no jitter: all that failed together come back together", "aws-blog-full"),)

    def _backoff(self) -> Backoff:
        return self._exponential()


@dataclass(frozen=True)
class AwsBlogFullJitter(_AwsBlog):
    """What the article recommends. The jitter is drawn below the cap, and so is never lost."""

    name = "aws-blog-full"
    summary = "anything from 0 up to 10, 20, 40 ms … 2 s, until it succeeds"

    def _backoff(self) -> Backoff:
        return FullJitter(self._exponential())


@dataclass(frozen=True)
class AwsBlogEqualJitter(_AwsBlog):
    """Half of the wait is kept."""

    name = "aws-blog-equal"
    summary = "half of 10, 20, 40 ms … 2 s and up to as much again, until it succeeds"

    def _backoff(self) -> Backoff:
        return BandJitter(self._exponential(), 0.5, 1.0)


@dataclass(frozen=True)
class AwsBlogDecorrelatedJitter(_AwsBlog):
    """Each wait is drawn from the one before."""

    name = "aws-blog-decorrelated"
    summary = "from 5 ms up to three times the wait before, 2 s at most, until it succeeds"
    faults = (
        Fault(
            "the clamp comes after the draw: in a long outage one wait in four is the cap itself",
            "aws-blog-full",
        ),
    )

    def _backoff(self) -> Backoff:
        return DecorrelatedJitter(self.base_s, self.cap_s)


PRESETS = (AwsBlogExponential, AwsBlogFullJitter, AwsBlogEqualJitter, AwsBlogDecorrelatedJitter)
