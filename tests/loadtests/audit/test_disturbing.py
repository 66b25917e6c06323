"""What an attempt may have met in place of the refusal, by what the target says of itself."""

from dataclasses import replace

import pytest

from faults.statuses import ActionStatus, DipStatus, FaultStatus
from faults.wire import LaneState, TargetState
from loadtests.audit.disturbing import disturbances, in_use
from tests.loadtests.audit.made import attempts

BEFORE = TargetState(
    now_s=10.0,
    epoch_s=0.0,
    tick_s=0.1,
    seq=100,
    capacity_per_s=100.0,
    lanes={"audit": LaneState(100.0, 100.0)},
    dips=(),
    version="1",
)
OWN = FaultStatus("fault-9", 9.9, 60.0, "hang", 50.1, ("audit",), "active", 1.0)
AFTER = replace(BEFORE, now_s=12.0, faults=(OWN,))
SERVED = attempts((10.5,))
TURNED_AWAY = attempts((10.5,), outcome="turned-away")


def fault(start_s: float, end_s: float, state: str, *lanes: str) -> FaultStatus:
    """Somebody else's."""
    return FaultStatus(
        "fault-1", start_s, end_s, "error", end_s - start_s, lanes or None, state, 1.0, status=500
    )


def dip(start_s: float, end_s: float, state: str) -> DipStatus:
    """Of all lanes."""
    return DipStatus("dip-1", start_s, end_s, "0%", end_s - start_s, None, "step", state)


def test_the_own_refusal_alone_disturbs_nothing() -> None:
    """Nor does a request that is to be served, of which none is in force."""
    assert disturbances(SERVED, "audit", BEFORE, AFTER, OWN.id) == ()
    assert disturbances(SERVED, "audit", BEFORE, BEFORE, None) == ()


def test_whoever_is_turned_away_was_not_refused_as_asked() -> None:
    """By the capacity of the target, where nothing else was in force."""
    met = ("the target's own capacity turned attempts away (give it more)",)
    assert disturbances(TURNED_AWAY, "audit", BEFORE, AFTER, OWN.id) == met
    assert disturbances((*SERVED, *TURNED_AWAY), "audit", BEFORE, BEFORE, None) == met


@pytest.mark.parametrize(
    ("start_s", "end_s", "state"),
    [(5.0, 10.1, "ended"), (11.9, 20.0, "active"), (9.0, 20.0, "active")],
    ids=["ended meanwhile", "began meanwhile", "throughout"],
)
def test_what_was_in_force_meanwhile_disturbs(start_s: float, end_s: float, state: str) -> None:
    """However short: a dip, which is then why attempts were turned away, or a fault."""
    dipped = replace(AFTER, dips=(dip(start_s, end_s, state),))
    assert disturbances(TURNED_AWAY, "audit", BEFORE, dipped, OWN.id) == (
        "the dip dip-1 (0%) was in force",
    )
    struck = replace(AFTER, faults=(fault(start_s, end_s, state), OWN))
    [why] = disturbances(SERVED, "audit", BEFORE, struck, OWN.id)
    assert why.startswith("the fault fault-1 (error 500")


def test_an_operators_action_disturbs_too() -> None:
    """It turns attempts away."""
    action = ActionStatus("action-1", 11.0, 20.0, "block-retries", 9.0, None, "active")
    after = replace(AFTER, actions=(action,))
    [why] = disturbances(TURNED_AWAY, "audit", BEFORE, after, OWN.id)
    assert why.startswith("the action action-1 (block-retries")


@pytest.mark.parametrize(
    "other",
    [
        fault(5.0, 10.0, "ended"),
        fault(12.1, 20.0, "pending"),
        fault(11.0, 11.0, "cancelled"),
        fault(9.0, 20.0, "active", "other"),
    ],
    ids=["before", "later", "cancelled", "in another lane"],
)
def test_what_was_not_in_force_does_not_disturb(other: FaultStatus) -> None:
    """In this lane, at this time."""
    after = replace(AFTER, faults=(other, OWN))
    assert disturbances(SERVED, "audit", BEFORE, after, OWN.id) == ()


@pytest.mark.parametrize("left", [(), (replace(OWN, state="ended", end_s=11.0),)])
def test_a_refusal_that_ended_early_is_none(left: tuple[FaultStatus, ...]) -> None:
    """Somebody ended it, or reset the target."""
    after = replace(AFTER, faults=left)
    assert disturbances(SERVED, "audit", BEFORE, after, OWN.id) == (
        "the refusal was taken back by somebody else",
    )


def test_a_lane_is_in_use_until_all_in_it_is_over() -> None:
    """Also by what is to come."""
    assert in_use(replace(BEFORE, faults=(fault(5.0, 9.0, "ended"),)), "audit") is None
    assert in_use(replace(BEFORE, faults=(fault(9.0, 11.0, "active", "other"),)), "audit") is None
    assert in_use(replace(BEFORE, dips=(dip(11.0, 12.0, "pending"),)), "audit") == (
        "the dip dip-1 (0%) is pending"
    )
