"""What goes wrong at the target besides a dip, and what operators do about it: pure, no clock.

Time is an argument and randomness is passed in, so that the live target and a simulation play the
same faults and actions from the same plans.
"""

from target_service.disorder.actions import (
    Action,
    ActionPlan,
    BlockRetries,
    Reopen,
    Shed,
    turned_away_at_edge,
)
from target_service.disorder.disorder import Disorder
from target_service.disorder.faults import (
    AddedLatency,
    Blow,
    Cut,
    Error,
    Fault,
    FaultPlan,
    Hang,
    Reset,
    fault_for,
)

__all__ = [
    "Action",
    "ActionPlan",
    "AddedLatency",
    "BlockRetries",
    "Blow",
    "Cut",
    "Disorder",
    "Error",
    "Fault",
    "FaultPlan",
    "Hang",
    "Reopen",
    "Reset",
    "Shed",
    "fault_for",
    "turned_away_at_edge",
]
