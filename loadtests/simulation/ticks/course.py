"""What a policy does after refusals and nothing else: asked of the policy's own loop."""

from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice

from loadtests.policies import Call, Outcome, RetryPolicy
from loadtests.policies.actions import Stop, StopReason, Wait
from loadtests.policies.backoff import (
    AddedJitter,
    AtLeast,
    Backoff,
    BandJitter,
    ByFailure,
    Capped,
    Doubling,
    Exponential,
    Fibonacci,
    FirstAtOnce,
    Fixed,
    FullJitter,
    Linear,
    LinearDraw,
    PowerJitter,
    StepJitter,
    WholeFullJitter,
    WholeGrowth,
)
from loadtests.policies.budgets import Budget, BulkBudget, EveryFailure
from loadtests.policies.retry import NoRetry, Retry
from loadtests.simulation.ticks.waits import Quantile

MOST_ATTEMPTS = 32
"""As many are told apart."""
_FAR = 1000
"""A policy that goes on unchanged for so many attempts has no end."""
_WRAPPERS = (
    AddedJitter, AtLeast, BandJitter, Capped, FirstAtOnce, FullJitter, PowerJitter, StepJitter,
    WholeFullJitter,
)  # fmt: skip
_FORGETFUL = (
    *_WRAPPERS, ByFailure, Doubling, Exponential, Fibonacci, Fixed, Linear, LinearDraw, WholeGrowth,
)  # fmt: skip
"""Backoffs whose wait depends on the number of the retry, and not on what was drawn before."""


class NotInTicksError(ValueError):
    """The policy cannot be played by counts; says why, as a clause."""


@dataclass(frozen=True, slots=True)
class Course:
    """A request all of whose attempts are refused: it makes `attempts` and fails for `reason`.

    `counted` has of each refusal, from the first, whether the budget counts it as a failure, and
    `waits_s` how long the wait after it is at most. `reason` None: it has no end, and from
    attempt number `attempts` on all are alike.
    """

    attempts: int
    reason: StopReason | None
    counted: tuple[bool, ...]
    waits_s: tuple[float, ...]


def course_of(policy: RetryPolicy, refusal: Outcome, path: str) -> Course:
    """Ask the policy, refusal by refusal. Raises `NotInTicksError`."""
    if isinstance(policy, NoRetry):
        return _driven(policy, refusal, path, _Noting(None))
    if type(policy) is not Retry:
        raise NotInTicksError("is no plain loop of attempts")
    if policy.guard is not None:
        raise NotInTicksError("has a breaker or a throttle before each attempt")
    if policy.budget is not None and bulk_of(policy.budget) is None:
        raise NotInTicksError("has a budget that is not asked for many requests at once")
    if policy.attempts != 1:
        _check_forgetful(policy.backoff)
    noting = _Noting(policy.budget)
    course = _driven(replace(policy, budget=noting, deadline=None), refusal, path, noting)
    _check_budget(policy.budget, course)
    return course


def _check_budget(budget: Budget | None, course: Course) -> None:
    """It may be told of failures that ask for no retry only where it takes from each."""
    bulk = bulk_of(budget) if budget is not None else None
    if (
        bulk is not None
        and not bulk.counts_failures
        and course.attempts > 1
        and any(course.counted)
    ):
        raise NotInTicksError("has a budget that gains from failures")


def bulk_of(budget: Budget) -> BulkBudget | None:
    """The one that counts, if it can for many at once; what it counts, `Course.counted` has."""
    found: object = budget.of if isinstance(budget, EveryFailure) else budget
    return found if isinstance(found, BulkBudget) else None


def _driven(policy: RetryPolicy, refusal: Outcome, path: str, noting: "_Noting") -> Course:
    rng = Quantile()
    rng.at = 1 - 2**-53  # no wait is longer than that of the largest draw
    course = policy.begin(Call(rng, path=path))
    course.start(0.0)
    waits_s: list[float] = []
    for attempt in range(1, _FAR + 1):
        rng.draws = 0
        action = course.finished(0.0, refusal)
        if isinstance(action, Stop):
            if attempt > MOST_ATTEMPTS:
                break
            return Course(attempt, action.reason, tuple(noting.counted), tuple(waits_s))
        if rng.draws > 1:
            raise NotInTicksError("draws more than one random number for a wait")
        if isinstance(action, Wait):
            waits_s.append(action.seconds)
            course.resumed(0.0)
    else:
        alike = zip(noting.counted, waits_s, strict=True)
        if isinstance(policy, Retry) and len(set(islice(alike, MOST_ATTEMPTS - 1, None))) == 1:
            first = slice(MOST_ATTEMPTS)
            return Course(MOST_ATTEMPTS, None, tuple(noting.counted[first]), tuple(waits_s[first]))
    raise NotInTicksError(f"may make more than {MOST_ATTEMPTS} attempts that are not alike")


def _check_forgetful(backoff: Backoff) -> None:
    """It, and those that it wraps."""
    if not isinstance(backoff, _FORGETFUL):
        text = backoff.describe()
        raise NotInTicksError(f"has waits that depend on more than their number: {text}")
    if isinstance(backoff, ByFailure):
        _check_forgetful(backoff.of_kind)
        _check_forgetful(backoff.of_others)
    elif isinstance(backoff, _WRAPPERS):
        _check_forgetful(backoff.of)


class _Noting:
    """Grants every retry, and notes which refusals the real budget would count as failures."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self.counted: list[bool] = []

    def requested(self, now_s: float) -> None:
        """Nothing is counted."""

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """Whether this changes the real one as it is at first."""
        probe = deepcopy(self._budget)
        if probe is not None:
            probe.observed(now_s, outcome, retryable, held)
        self.counted.append(probe != self._budget)

    def withdraw(self, now_s: float, outcome: Outcome) -> float:  # noqa: ARG002 - as all budgets
        """As many as are wanted."""
        return 0.0

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is held."""

    def describe(self) -> str:
        """Never shown."""
        return ""
