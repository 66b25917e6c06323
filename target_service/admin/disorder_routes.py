"""The endpoints of faults and of an operator's actions. The rules are the target's."""

from typing import Annotated

from fastapi import APIRouter, Path

from target_service.admin.disorder_models import (
    ActionOut,
    BlockRetriesIn,
    FaultIn,
    FaultOut,
    ReopenIn,
    ShedIn,
)
from target_service.admin.plans import action_out, action_plan, fault_out, fault_plan
from target_service.admin.replies import responses, unknown_lane
from target_service.lanes import UnknownLaneError
from target_service.target import Target
from target_service.ticker import Clock

FaultId = Annotated[str, Path(description="A fault's id.", examples=["fault-1"], max_length=64)]
ActionId = Annotated[str, Path(description="An action's id.", examples=["action-1"], max_length=64)]


def add_faults(router: APIRouter, target: Target, clock: Clock) -> None:
    """``/admin/faults``."""

    @router.post(
        "/faults",
        status_code=201,
        summary="Plan a fault",
        responses=responses("bad-input", "too-many-faults"),
    )
    async def begin_fault(asked: FaultIn) -> FaultOut:
        """Let admitted attempts get something else than their answer, for a while.

        What is struck has used its capacity. The fault begins with the next tick (or `after` later)
        and ends by itself, whatever becomes of who asked. Several faults strike independently:
        latencies add up, and of other effects an attempt sees that of the oldest fault.
        """
        try:
            return fault_out(target, target.begin_fault(fault_plan(asked), clock()))
        except UnknownLaneError as error:
            raise unknown_lane(target, error) from None

    @router.get("/faults", summary="List the faults", responses=responses())
    async def list_faults() -> list[FaultOut]:
        """Faults pending, active and the last 100 that are over, the oldest first."""
        target.advance(clock())
        return [fault_out(target, fault) for fault in target.disorder.faults]

    @router.delete(
        "/faults/{fault_id}",
        summary="End a fault early",
        responses=responses("bad-input", "unknown-fault"),
    )
    async def end_fault(fault_id: FaultId) -> FaultOut:
        """End the fault when the running tick ends; one that has not begun is cancelled.

        Attempts that it has struck already stay struck. Ending one that is over changes nothing.
        """
        return fault_out(target, target.end_fault(fault_id, clock()))


def add_actions(router: APIRouter, target: Target, clock: Clock) -> None:
    """``/admin/shed``, ``/admin/block-retries``, ``/admin/reopen`` and ``/admin/actions``."""

    def begin(asked: ShedIn | BlockRetriesIn | ReopenIn) -> ActionOut:
        try:
            return action_out(target, target.begin_action(action_plan(asked), clock()))
        except UnknownLaneError as error:
            raise unknown_lane(target, error) from None

    problems = responses("bad-input", "too-many-actions")

    @router.post("/shed", status_code=201, summary="Shed a share of traffic", responses=problems)
    async def shed(asked: ShedIn) -> ActionOut:
        """Turn a random share of attempts away at the edge, before anything else, at no cost.

        They are counted as turned away and blocked. It begins with the next tick (or `after` later)
        and ends by itself. Several actions decide independently of one another.
        """
        return begin(asked)

    @router.post("/block-retries", status_code=201, summary="Block retries", responses=problems)
    async def block_retries(asked: BlockRetriesIn) -> ActionOut:
        """Turn attempts with a number above 1 away at the edge.

        An attempt that does not say its number is let through.
        """
        return begin(asked)

    @router.post("/reopen", status_code=201, summary="Reopen in steps", responses=problems)
    async def reopen(asked: ReopenIn) -> ActionOut:
        """Let one step of traffic through, and a step more each time that the last one went well.

        Every lane is decided on by itself. It is over when all lanes are open, or after `for`.
        """
        return begin(asked)

    @router.get("/actions", summary="List the actions", responses=responses())
    async def list_actions() -> list[ActionOut]:
        """Actions pending, active and the last 100 that are over, the oldest first."""
        target.advance(clock())
        return [action_out(target, action) for action in target.disorder.actions]

    @router.delete(
        "/actions/{action_id}",
        summary="End an action early",
        responses=responses("bad-input", "unknown-action"),
    )
    async def end_action(action_id: ActionId) -> ActionOut:
        """End the action when the running tick ends; one that has not begun is cancelled.

        From then on everything is let through. Ending one that is over changes nothing.
        """
        return action_out(target, target.end_action(action_id, clock()))
