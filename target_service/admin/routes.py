"""The endpoints of the admin API. They hold no rules: those are the target's."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse

from target_service.admin.disorder_routes import add_actions, add_faults
from target_service.admin.errors import BadFieldError
from target_service.admin.models import CapacityIn, DipIn, DipOut, LanesIn
from target_service.admin.plans import action_out, dip_out, dip_plan, fault_out
from target_service.admin.replies import responses, unknown_lane
from target_service.admin.state_models import (
    LaneOut,
    LanesOut,
    RefusalOut,
    ServiceOut,
    StateOut,
    TickOut,
)
from target_service.admin.traces import add_traces
from target_service.lanes import UnknownLaneError
from target_service.levels import LevelDoesNotFitError
from target_service.limits import TICKS_PER_PAGE
from target_service.meter import FinishedTick
from target_service.target import Target
from target_service.ticker import Clock
from target_service.words import Word

# Lines encoded before others get a turn, so that a long page does not hold attempts up.
_LINES_AT_ONCE = 20

DipId = Annotated[str, Path(description="A dip's id.", examples=["dip-1"], max_length=64)]


def own_version() -> str:
    """The version of the distribution that is installed."""
    try:
        return version("aftershock")
    except PackageNotFoundError:
        return "unknown"


def _lanes_out(target: Target) -> dict[str, LaneOut]:
    return {
        lane.name: LaneOut(capacity_per_s=lane.usual_per_s, in_force_per_s=lane.in_force_per_s)
        for lane in target.lanes.values()
    }


@dataclass(frozen=True, slots=True)
class About:
    """What the state says that the target itself does not know."""

    word: Word | None = None
    """What goes with a refusal; None: a gateway, which refuses nothing."""
    shared_app: bool = False
    """The lanes lead to one app of somebody's."""


def _state_out(target: Target, now_s: float, about: About) -> StateOut:
    target.advance(now_s)
    return StateOut(
        now_s=now_s,
        epoch_s=time.time(),
        tick_s=target.grid.tick_s,
        seq=target.seq,
        capacity_per_s=target.capacity_per_s,
        lanes=_lanes_out(target),
        service=ServiceOut.of(target.service) if target.service else None,
        turn_away_cost=target.turn_away_cost,
        refusal=RefusalOut.of(about.word) if about.word else None,
        shared_app=about.shared_app,
        dips=[dip_out(target, dip) for dip in target.dips],
        faults=[fault_out(target, fault) for fault in target.disorder.faults],
        actions=[action_out(target, action) for action in target.disorder.actions],
        version=own_version(),
    )


def encode_tick(tick: FinishedTick) -> str:
    """A finished tick as a line of NDJSON."""
    line = {
        "seq": tick.seq,
        "t_s": tick.t_s,
        "lag_s": round(tick.lag_s, 6),
        "cpu_s": round(tick.cpu_s, 6),
        "lanes": {name: asdict(lane) for name, lane in tick.lanes.items()},
    }
    return json.dumps(line, separators=(",", ":")) + "\n"


async def _lines(ticks: Sequence[FinishedTick]) -> AsyncIterator[str]:
    for first in range(0, len(ticks), _LINES_AT_ONCE):
        yield "".join(encode_tick(tick) for tick in ticks[first : first + _LINES_AT_ONCE])
        await asyncio.sleep(0)


def _add_dips(router: APIRouter, target: Target, clock: Clock) -> None:
    @router.post(
        "/dips",
        status_code=201,
        summary="Plan a dip",
        responses=responses("bad-input", "too-many-dips"),
    )
    async def begin_dip(asked: DipIn) -> DipOut:
        """Lower capacity for a while.

        The dip begins with the next tick (or `after` later), for connections that are already open
        too, and ends by itself, whatever becomes of who asked. Where several overlap the lowest
        capacity wins.
        """
        try:
            return dip_out(target, target.begin_dip(dip_plan(asked), clock()))
        except UnknownLaneError as error:
            raise unknown_lane(target, error) from None
        except LevelDoesNotFitError as error:
            field = "workers" if asked.workers is not None else "service_time"
            raise BadFieldError(field, str(error)) from None

    @router.get("/dips", summary="List the dips", responses=responses())
    async def list_dips() -> list[DipOut]:
        """Dips pending, active and the last 100 that are over, the oldest first."""
        target.advance(clock())
        return [dip_out(target, dip) for dip in target.dips]

    @router.delete(
        "/dips/{dip_id}",
        summary="End a dip early",
        responses=responses("bad-input", "unknown-dip"),
    )
    async def end_dip(dip_id: DipId) -> DipOut:
        """End the dip when the running tick ends; one that has not begun is cancelled.

        Ending a dip that is over changes nothing.
        """
        return dip_out(target, target.end_dip(dip_id, clock()))


def _add_capacity(router: APIRouter, target: Target, clock: Clock, about: About) -> None:
    @router.put("/capacity", summary="Set the base capacity", responses=responses("bad-input"))
    async def set_capacity(asked: CapacityIn) -> StateOut:
        """Change the base capacity from the next tick on.

        Without `lanes` it holds for every lane, also those to come.
        """
        now_s = clock()
        try:
            target.set_capacity(asked.capacity, asked.lanes, now_s)
        except UnknownLaneError as error:
            raise unknown_lane(target, error) from None
        return _state_out(target, now_s, about)


def _add_lanes(router: APIRouter, target: Target, clock: Clock) -> None:
    @router.post(
        "/lanes",
        summary="Make lanes exist",
        responses=responses("bad-input", "too-many-lanes"),
    )
    async def register_lanes(asked: LanesIn) -> LanesOut:
        """Make lanes exist before their first attempt, so that they are metered from the start.

        Lanes that exist stay as they are. Where one does not fit, none is made.
        """
        target.register(asked.lanes, clock())
        return LanesOut(lanes=_lanes_out(target))


def _add_reading(router: APIRouter, target: Target, clock: Clock, about: About) -> None:
    @router.get("/state", summary="The target as it stands", responses=responses())
    async def state() -> StateOut:
        """Clock, capacity, lanes, workers and queue, dips, faults, actions and limits."""
        return _state_out(target, clock(), about)

    @router.get(
        "/ticks",
        summary="Finished ticks",
        response_class=StreamingResponse,
        responses={
            200: {
                "description": "One JSON object a line, the schema being that of `TickOut`.",
                "model": TickOut,
                "content": {"application/x-ndjson": {}},
            },
            **responses("bad-input"),
        },
    )
    async def ticks(
        after: Annotated[
            int | None,
            Query(
                ge=-1,
                le=2**53,
                description="Only ticks with a higher number; left off: from the oldest kept.",
                examples=[116],
            ),
        ] = None,
    ) -> StreamingResponse:
        """What was metered, as NDJSON, one line a tick, in order and without gaps.

        An answer has at most 600 ticks: ask again after the last until it is empty. The last 3000
        ticks are kept.
        """
        page = target.meter.finished(after, TICKS_PER_PAGE)
        return StreamingResponse(_lines(page), media_type="application/x-ndjson")


def _add_reset(router: APIRouter, target: Target, clock: Clock, about: About) -> None:
    @router.post("/reset", summary="Forget everything", responses=responses())
    async def reset() -> StateOut:
        """Drop dips, faults, actions, lanes and kept ticks; restore the configured capacity.

        Tick numbers, ids and the clock go on. Doing it twice is doing it once.
        """
        now_s = clock()
        target.reset(now_s)
        return _state_out(target, now_s, about)


def reading_router(target: Target, clock: Clock) -> APIRouter:
    """What reads the meter, and what opens lanes in it: the admin API of what cannot dip."""
    router = APIRouter(prefix="/admin", tags=["admin"])
    _add_lanes(router, target, clock)
    _add_reading(router, target, clock, About())
    add_traces(router, target)
    return router


def admin_router(target: Target, clock: Clock, about: About) -> APIRouter:
    """The admin API of this target."""
    router = APIRouter(prefix="/admin", tags=["admin"])
    _add_dips(router, target, clock)
    add_faults(router, target, clock)
    add_actions(router, target, clock)
    _add_capacity(router, target, clock, about)
    _add_lanes(router, target, clock)
    _add_reading(router, target, clock, about)
    _add_reset(router, target, clock, about)
    add_traces(router, target)
    return router
