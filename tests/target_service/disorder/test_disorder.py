"""Faults and actions move with the target's ticks, and are out of the way where there are none."""

from random import Random

import pytest

from target_service.disorder import (
    ActionPlan,
    Blow,
    Disorder,
    FaultPlan,
    Hang,
    Reopen,
    Shed,
)
from target_service.meter import LaneTick
from target_service.target import Target
from target_service.ticks import TickGrid
from target_service.timed import UnknownIdError

IDLE = LaneTick(100.0)


def disorder_of(seed: int = 0) -> Disorder:
    """One with ticks of 100 ms."""
    return Disorder(TickGrid(0.1), lambda lane: Random(f"{seed}/{lane}"))


def run_to(disorder: Disorder, seqs: range, *lanes: str) -> None:
    """Close and open these ticks."""
    for seq in seqs:
        disorder.close_tick(seq, dict.fromkeys(lanes, IDLE))
        disorder.open_tick(seq + 1)


def test_what_is_planned_begins_with_the_next_tick_and_is_out_of_the_way_before_and_after() -> None:
    """The hot path looks at two tuples that are empty."""
    disorder = disorder_of()
    disorder.begin_fault(FaultPlan(Hang(), 0.2), 0, 0.05)
    disorder.begin_action(ActionPlan(Shed(1.0), 0.1, after_s=0.1), 0, 0.05)
    seen = []
    for seq in range(5):
        seen.append((len(disorder.striking), len(disorder.acting)))
        run_to(disorder, range(seq, seq + 1))
    assert seen == [(0, 0), (1, 0), (1, 1), (0, 0), (0, 0)]
    assert [fault.state(5) for fault in disorder.faults] == ["ended"]


def test_an_early_end_takes_hold_with_the_next_tick() -> None:
    """The running one is whole."""
    disorder = disorder_of()
    fault = disorder.begin_fault(FaultPlan(Hang(), 60), 0, 0.0)
    action = disorder.begin_action(ActionPlan(Shed(1.0), 60), 0, 0.0)
    run_to(disorder, range(1))
    disorder.end_fault(fault.id, 1)
    disorder.end_action(action.id, 1)
    assert disorder.blow("a", 1) == Blow(0.0, Hang())
    assert disorder.turns_away("a", 1, 1)
    run_to(disorder, range(1, 2))
    assert not disorder.striking
    assert not disorder.acting


def test_a_reopening_is_over_when_all_is_open() -> None:
    """With the tick after the last step, in the lanes it is for."""
    disorder = disorder_of()
    plan = ActionPlan(Reopen(0.5, every_s=0.2), 60, lanes=("a",))
    action = disorder.begin_action(plan, 0, 0.0)
    run_to(disorder, range(3), "a", "b")
    assert (action.start, action.end, action.state(3)) == (1, 3, "ended")
    assert action.reopening is not None
    assert action.reopening.shares() == {"a": 0.0}
    assert disorder.acting == ()


def test_a_reopening_that_was_ended_is_not_moved_on() -> None:
    """Its end stays, and its share is the one at its end."""
    disorder = disorder_of()
    action = disorder.begin_action(ActionPlan(Reopen(0.25, every_s=0.1), 60), 0, 0.0)
    run_to(disorder, range(3), "a")
    disorder.end_action(action.id, 2)
    run_to(disorder, range(3, 10), "a")
    assert action.end == 3
    assert action.reopening is not None
    assert action.reopening.shares() == {"a": 0.25}


def test_lanes_do_not_draw_from_one_another() -> None:
    """What befalls one lane does not depend on how many attempts another has."""

    def blows(busy: bool) -> list[Blow | None]:
        disorder = disorder_of()
        disorder.begin_fault(FaultPlan(Hang(), 60, share=0.5), 0, 0.0)
        run_to(disorder, range(1))
        seen = []
        for _ in range(50):
            if busy:
                disorder.blow("b", 1)
            seen.append(disorder.blow("a", 1))
        return seen

    assert blows(busy=False) == blows(busy=True)


def test_forgetting_is_at_once() -> None:
    """And ids go on."""
    disorder = disorder_of()
    fault = disorder.begin_fault(FaultPlan(Hang(), 60), 0, 0.0)
    disorder.begin_action(ActionPlan(Shed(1.0), 60), 0, 0.0)
    run_to(disorder, range(1))
    disorder.clear()
    assert not disorder.striking
    assert not disorder.acting
    assert not [*disorder.faults, *disorder.actions]
    with pytest.raises(UnknownIdError):
        disorder.end_fault(fault.id, 1)
    assert disorder.begin_fault(FaultPlan(Hang(), 60), 1, 0.1).id == "fault-2"


def test_the_target_moves_them_with_its_ticks() -> None:
    """Also over ticks in which nobody came."""
    target = Target(100.0)
    target.begin_fault(FaultPlan(Hang(), 0.2), 0.0)
    target.begin_action(ActionPlan(Shed(1.0), 0.2), 0.0)
    target.advance(0.15)
    assert (len(target.disorder.striking), len(target.disorder.acting)) == (1, 1)
    target.advance(60.0)
    assert not target.disorder.striking
    assert not target.disorder.acting
