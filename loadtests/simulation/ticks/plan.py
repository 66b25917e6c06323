"""Whether a lane can be played by counts, and all that is known of it before the first tick."""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from loadtests.policies import RetryPolicy
from loadtests.policies.budgets import Budget
from loadtests.policies.retry import Retry
from loadtests.policy_names import PolicySource
from loadtests.scenario import Admits, PolicyChoice, Scenario
from loadtests.simulation import whole_ticks
from loadtests.simulation.fleet import source_of, states_of
from loadtests.simulation.stage import TICK_S
from loadtests.simulation.ticks.course import Course, NotInTicksError, bulk_of, course_of
from loadtests.simulation.ticks.purses import purses_of
from loadtests.simulation.ticks.waits import Laws
from loadtests.simulation.whole_ticks import in_ticks
from target_service.words import RetryAfterAs, Word

MOST_STATES = 64
"""Beyond that each client is kept by itself."""
MOST_CLIENTS = 10_000_000
"""Each of which is kept by itself: some numbers of 8 bytes for each."""
MOST_NEW_IN_TICK = 1_000_000
"""Requests of such clients: there are columns of all that are on their way."""
MOST_CELLS = 50_000_000
"""Numbers of 8 bytes in which waiting requests are counted."""
IN_ORDER = (
    "requests are served in order (simulation.admits is in-order), and it does not know who comes "
    "first within a tick"
)
"""The obstacle of a lane that has no other one."""


def why_not(scenario: Scenario, choice: PolicyChoice) -> str | None:
    """What of this lane the engine cannot do, as a clause; None: it can."""
    try:
        plan_of(scenario, choice)
    except NotInTicksError as error:
        return str(error)
    return None


@dataclass(frozen=True, slots=True)
class Plan:
    """A lane: what its policy does, how long it waits, and how many states there are of it.

    `laws` None: it never waits. `budget` is one as at the beginning.
    """

    course: Course
    laws: Laws | None
    budget: Budget | None
    states: int

    @property
    def is_each_by_itself(self) -> bool:
        """Whether there are too many states to count by them."""
        return self.states > MOST_STATES


def plan_of(scenario: Scenario, choice: PolicyChoice) -> Plan:
    """Raises `NotInTicksError`."""
    if obstacle := whole_ticks.obstacle(scenario, choice):
        raise NotInTicksError(obstacle)
    word = scenario.target.word()
    if not _is_same(word):
        raise NotInTicksError("what the server says differs from answer to answer")
    ticks = round(scenario.planned_end_s / TICK_S) + 1
    try:
        course, laws, budget = _prepared(source_of(choice), word, scenario.load.path, ticks)
        # All that there is to share is a budget.
        plan = Plan(course, laws, budget, 1 if budget is None else states_of(scenario, choice))
        if plan.is_each_by_itself:
            _check_each(plan, scenario)
        else:
            _check(plan, ticks)
    except NotInTicksError as error:
        raise NotInTicksError(f"{choice.name} {error}") from None
    # The last one: whoever has no other obstacle can change it with a word.
    if scenario.simulation.admits is Admits.IN_ORDER:
        raise NotInTicksError(IN_ORDER)
    return plan


@lru_cache(maxsize=128)
def _prepared(
    source: PolicySource, word: Word, path: str, ticks: int
) -> tuple[Course, Laws | None, Budget | None]:
    """The same for every seed: with many runs most of the work is done once."""
    policy: RetryPolicy = source.build()
    refusal = whole_ticks.refusal(word, 0.0, Random(0))
    course = course_of(policy, refusal, path)
    if not isinstance(policy, Retry):
        return course, None, None
    return course, Laws(policy, refusal, ticks), policy.budget


def _is_same(word: Word) -> bool:
    """Whether every refusal says the same."""
    spans = [span for span in (word.retry_after, word.pushback) if span is not None]
    names_date = word.retry_after is not None and word.retry_after_as is RetryAfterAs.DATE
    return not names_date and all(span.low_s == span.high_s for span in spans)


def _check(plan: Plan, ticks: int) -> None:
    """Waiting requests are counted by state, attempt, and when they arrive and were due."""
    waits = [min(ticks, in_ticks(wait_s)) + 1 for wait_s in plan.course.waits_s]
    ages = ticks if plan.course.reason is None else min(ticks, sum(waits))
    if plan.states * (plan.course.attempts + 1) * max(waits, default=0) * ages > MOST_CELLS:
        raise NotInTicksError("waits so long, in a run so long, that counting it needs much memory")


def _check_each(plan: Plan, scenario: Scenario) -> None:
    assert plan.budget is not None  # noqa: S101 - else there is one state
    purses_of(bulk_of(plan.budget), 1)
    if plan.states > MOST_CLIENTS:
        raise NotInTicksError(
            f"has {plan.states:,} clients with a budget each: expected at most {MOST_CLIENTS:,}"
        )
    factor = max([1.0, *(spike.factor for spike in scenario.spike_schedule())])
    new = scenario.load.rate_per_s * scenario.simulation.scale * factor * TICK_S
    if new > MOST_NEW_IN_TICK:
        raise NotInTicksError(
            f"has a budget in each client, and {new:,.0f} new requests a tick: expected at most "
            f"{MOST_NEW_IN_TICK:,}"
        )
