"""What an operator turns away at the edge."""

from random import Random

import pytest

from target_service.disorder.actions import (
    Action,
    ActionPlan,
    Actions,
    BlockRetries,
    Measure,
    Reopen,
    Shed,
    turned_away_at_edge,
    type_of,
)
from tests.target_service.disorder.test_faults import N, within


def actions_of(*measures: Measure, lanes: tuple[str, ...] | None = None) -> list[Action]:
    """These measures, in force in the ticks 2, 3 and 4."""
    actions = Actions()
    for measure in measures:
        actions.plan(ActionPlan(measure, 0.3, lanes=lanes), start=2, length=3)
    return list(actions)


def turned_away(actions: list[Action], attempt: int = 1) -> int:
    """How many of `N` attempts are."""
    rng = Random("0/edge")
    return sum(turned_away_at_edge(actions, "a", attempt, 2, rng) for _ in range(N))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_a_share_is_shed(share: float) -> None:
    """By the binomial distribution, whatever the attempt's number."""
    for attempt in (0, 1, 2):
        assert within(share, turned_away(actions_of(Shed(share)), attempt))


def test_actions_decide_independently() -> None:
    """Half and half of what is left."""
    assert within(0.75, turned_away(actions_of(Shed(0.5), Shed(0.5))))


def test_retries_are_blocked_and_nothing_else() -> None:
    """An attempt that does not say its number is none."""
    actions = actions_of(BlockRetries())
    assert [turned_away(actions, attempt) for attempt in (0, 1, 2, 32)] == [0, 0, N, N]


def test_a_reopening_sheds_all_but_a_step_at_first() -> None:
    """In lanes that it has not seen yet."""
    assert within(0.8, turned_away(actions_of(Reopen(0.2))))


@pytest.mark.parametrize("measure", [Shed(1.0), BlockRetries()])
def test_an_action_acts_in_its_ticks_and_lanes_alone(measure: Measure) -> None:
    """[start, end)."""
    actions = actions_of(measure, lanes=("a",))
    rng = Random("0/edge")
    acted = [turned_away_at_edge(actions, "a", 2, seq, rng) for seq in range(7)]
    assert acted == [False, False, True, True, True, False, False]
    assert not turned_away_at_edge(actions, "b", 2, 2, rng)


def test_every_measure_has_its_name() -> None:
    """As the admin API has it."""
    names = [type_of(measure) for measure in (Shed(1), BlockRetries(), Reopen())]
    assert names == ["shed", "block-retries", "reopen"]
