"""Runs a real library beside a preset of ours: the same outcomes in, the same waits and stops out.

A `Script` says what each attempt meets; a `World` plays it to the real library under a fake clock,
which its sleeps move. The wall clock stands still at `EPOCH_S`, for headers that name a date.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from email.utils import formatdate
from random import Random

from loadtests.policies import AttemptError, Outcome, Preset, StopReason
from loadtests.policies.outcome import REJECTED, TRANSPORT_ERRORS
from tests.loadtests.policies.drive import drive

EPOCH_S = 1_790_000_000.0

STATUSES = (400, 404, 408, 413, 429, 429, 500, 501, 502, 503, 503, 503, 504, 599)
RETRY_AFTERS = (
    "0",
    "1",
    "7",
    " 4 ",
    "007",
    "121",
    "7200",
    "99999",
    "123456789012",
    "1.5",
    "-5",
    "+5",
    "",
    "soon",
    "Wed",
    formatdate(EPOCH_S + 30, usegmt=True),
    formatdate(EPOCH_S + 40_000, usegmt=True),
    formatdate(EPOCH_S - 30, usegmt=True),
    formatdate(EPOCH_S + 90).replace(" -0000", ""),
    formatdate(EPOCH_S + 90).replace("-0000", "-0500"),
    "Sun, 06 Nov 2094 08:49:37 EST",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "Sun, 99 Foo 1994 08:49:37 GMT",
)


@dataclass(frozen=True)
class Trace:
    """One request as it went: the waits between its attempts, and whether one succeeded."""

    waits: list[float]
    attempts: int
    succeeded: bool


class World:
    """What a real library meets: attempts end as the script has it, and sleeping takes no time."""

    def __init__(self, script: Sequence[Outcome]) -> None:
        self.now_s = 1000.0
        self._outcomes = iter(script)
        self._attempts = 0
        self._slept_s = 0.0
        self._waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        """In place of the library's sleep."""
        assert seconds >= 0
        self.now_s += seconds
        self._slept_s += seconds

    async def sleep_async(self, seconds: float) -> None:
        """The same, for libraries that await it."""
        self.sleep(seconds)

    def monotonic(self) -> float:
        """In place of its clock."""
        return self.now_s

    def attempt(self) -> Outcome:
        """What the attempt that the library makes now ends in."""
        if self._attempts:
            self._waits.append(self._slept_s)
        self._slept_s = 0.0
        self._attempts += 1
        outcome = next(self._outcomes)
        self.now_s += outcome.elapsed_s
        return outcome

    def trace(self, succeeded: bool) -> Trace:
        """What was seen."""
        return Trace(self._waits, self._attempts, succeeded)


class FailedError(Exception):
    """What a function raises in these tests, for libraries that retry functions."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome.kind))
        self.outcome = outcome


def call(world: World) -> None:
    """One attempt that raises when it fails, as `raise_for_status` does."""
    outcome = world.attempt()
    if not outcome.succeeded:
        raise FailedError(outcome)


def ours(preset: Preset, script: Sequence[Outcome], seed: int, method: str = "GET") -> Trace:
    """The same script through the preset, with jitter drawn from the same seed."""
    driven = drive(preset.build(), script, rng=Random(seed), method=method, start_s=1000.0)
    return Trace(driven.waits, driven.attempts, driven.reason is StopReason.SUCCEEDED)


def random_script(
    rng: Random, *, length: int = 14, rejected: bool = False, slow: bool = False
) -> list[Outcome]:
    """Up to `length` failures of one to three kinds, and then a success.

    Few kinds, since one that the library does not retry ends the request.
    """
    kinds = [_random_failure(rng, rejected) for _ in range(rng.randint(1, 3))]
    script = [rng.choice(kinds) for _ in range(rng.randrange(length))]
    if slow:
        script = [replace(outcome, elapsed_s=rng.uniform(0, 8)) for outcome in script]
    return [*script, Outcome(status=200)]


def _random_failure(rng: Random, rejected: bool) -> Outcome:
    if rng.random() < 0.4:
        errors = sorted(TRANSPORT_ERRORS)
        return Outcome(status=None, error=rng.choice(errors))
    if rejected and rng.random() < 0.1:
        return REJECTED
    headers = {} if rng.random() < 0.4 else {"retry-after": rng.choice(RETRY_AFTERS)}
    return Outcome(status=rng.choice(STATUSES), headers=headers, received_epoch_s=EPOCH_S)


def same_failure(kind: int | AttemptError, times: int) -> list[Outcome]:
    """The one failure again and again."""
    if isinstance(kind, AttemptError):
        return [Outcome(status=None, error=kind)] * times
    return [Outcome(status=kind, received_epoch_s=EPOCH_S)] * times
