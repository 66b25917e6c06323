"""What the admin API takes and gives, with units and an example for every field."""

from typing import Self

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from target_service import limits
from target_service.admin.body import LANES, Body
from target_service.admin.disorder_models import ActionOut, FaultOut
from target_service.admin.fields import (
    AfterText,
    DipText,
    LaneName,
    LevelText,
    RateText,
    ServiceTimeText,
    SlowStartText,
    Workers,
)
from target_service.dips import Shape
from target_service.levels import Level
from target_service.timed import State


class DipIn(Body):
    """A dip to plan: to a capacity, a number of workers or a service time, one of the three."""

    capacity: LevelText | None = Field(
        None,
        description="What is left: attempts per second, or percent (0% to 100%) of each lane's "
        "capacity. A dip never raises capacity.",
        examples=["20/s", "20%"],
    )
    workers: Workers | None = Field(
        None,
        description="The workers that are left of each lane's, of a target that has workers.",
        examples=[None, 2],
    )
    service_time: ServiceTimeText | None = Field(
        None,
        description="The mean service time while it lasts, of a target that has a service time.",
        examples=[None, "100ms"],
    )
    for_s: DipText = Field(
        alias="for",
        description="How long: a duration in ms, s, m or h, above 0 and at most 1h; rounded "
        "to whole ticks, at least one.",
        examples=["2s", "500ms"],
    )
    after_s: AfterText = Field(
        0.0,
        alias="after",
        description="How soon from now: a duration in ms, s, m or h, at most 24h. The dip "
        "begins with the next tick after that. Default: 0s.",
        examples=["0s", "10s"],
    )
    lanes: list[LaneName] | None = Field(
        None,
        min_length=1,
        max_length=limits.MAX_LANES,
        description=LANES,
        examples=[None, ["full-jitter"]],
    )
    shape: Shape = Field(
        "step",
        description="`step`: down at once and up at once. `ramp`: falls evenly until the middle of "
        "the dip and climbs evenly until its end.",
        examples=["step"],
    )
    slow_start_s: SlowStartText = Field(
        0.0,
        alias="slow_start",
        description="After `for`, capacity climbs back evenly in this time, which belongs to the "
        "dip. Not with a ramp, which climbs anyway. Default: 0s.",
        examples=["0s", "5s"],
    )

    @model_validator(mode="after")
    def _one_level(self) -> Self:
        if self.shape == "ramp" and self.slow_start_s:
            problem = "a ramp climbs back by itself: use the shape step"
            raise PydanticCustomError("one_field", problem, {"field": "slow_start"})
        levels = [self.capacity, self.workers, self.service_time]
        if sum(level is not None for level in levels) != 1:
            problem = "give one of capacity, workers and service_time"
            raise PydanticCustomError("one_field", problem, {"field": "capacity"})
        return self

    def level(self) -> Level:
        """The one that was given."""
        level = self.capacity or self.workers or self.service_time
        assert level is not None  # noqa: S101 - `_one_level` has seen to it
        return level


class CapacityIn(Body):
    """A base capacity to set."""

    capacity: RateText = Field(
        description="The base capacity, attempts per second, from the next tick on; at most "
        "1000000/s.",
        examples=["120/s"],
    )
    lanes: list[LaneName] | None = Field(
        None,
        min_length=1,
        max_length=limits.MAX_LANES,
        description=LANES,
        examples=[None, ["full-jitter"]],
    )


class LanesIn(Body):
    """Lanes that shall exist."""

    lanes: list[LaneName] = Field(
        min_length=1,
        max_length=limits.MAX_LANES,
        description="Names: 1 to 64 printable ASCII characters. Those that exist stay as they are.",
        examples=[["no-retry", "full-jitter"]],
    )


class DipOut(BaseModel):
    """A dip as it stands. Times are seconds of the target's clock, on whole ticks."""

    id: str = Field(description="Its id.", examples=["dip-1"])
    start_s: float = Field(
        description="When it begins, seconds of the target's clock.", examples=[10.0]
    )
    end_s: float = Field(
        description="When it ends or did end, seconds of the target's clock; the first instant "
        "that is no longer in it. Equal to `start_s` when it was cancelled before it began.",
        examples=[12.0],
    )
    capacity: str = Field(
        description="What is left, as it was given, or in words.", examples=["20%", "2 workers"]
    )
    for_s: str = Field(
        serialization_alias="for",
        description="How long it was asked to last, with its unit.",
        examples=["2s"],
    )
    lanes: list[str] | None = Field(
        description="The lanes it is for; null: every lane.", examples=[None]
    )
    shape: Shape = Field(description="`step` or `ramp`.", examples=["step"])
    slow_start: str = Field(
        "0s", description="How long capacity climbs back at the end.", examples=["0s"]
    )
    state: State = Field(
        description="`pending`, `active`, `ended`, or `cancelled` (ended before it began).",
        examples=["active"],
    )


class LaneOut(BaseModel):
    """A lane's capacity."""

    capacity_per_s: float = Field(
        description="Base capacity, attempts per second.", examples=[100.0]
    )
    in_force_per_s: float = Field(
        description="Capacity in force in this tick, attempts per second.", examples=[20.0]
    )


class LanesOut(BaseModel):
    """The lanes that exist."""

    lanes: dict[str, LaneOut] = Field(
        description="Each lane by its name.",
        examples=[{"full-jitter": {"capacity_per_s": 100.0, "in_force_per_s": 20.0}}],
    )


class LimitsOut(BaseModel):
    """What cannot be exceeded."""

    lanes: int = Field(limits.MAX_LANES, description="Lanes.", examples=[64])
    lane_name_characters: int = Field(
        limits.MAX_LANE_NAME, description="Characters in a lane's name.", examples=[64]
    )
    attempt_number: int = Field(
        limits.MAX_ATTEMPT,
        description="The highest attempt number; higher ones count here.",
        examples=[32],
    )
    dips: int = Field(
        limits.MAX_DIPS, description="Dips pending or active at once.", examples=[100]
    )
    dip_s: float = Field(
        limits.MAX_DIP_S,
        description="The longest dip, fault or action, seconds.",
        examples=[3600.0],
    )
    faults: int = Field(
        limits.MAX_FAULTS, description="Faults pending or active at once.", examples=[100]
    )
    actions: int = Field(
        limits.MAX_ACTIONS, description="Actions pending or active at once.", examples=[100]
    )
    added_latency_s: float = Field(
        limits.MAX_ADDED_LATENCY_S,
        description="The most latency that a fault adds, seconds.",
        examples=[300.0],
    )
    hang_s: float = Field(
        limits.MAX_HANG_S,
        description="How long an attempt that hangs is held at most, seconds.",
        examples=[300.0],
    )
    after_s: float = Field(
        limits.MAX_AFTER_S,
        description="How far ahead a dip, fault or action may begin, seconds.",
        examples=[86400.0],
    )
    capacity_per_s: float = Field(
        limits.MAX_CAPACITY_PER_S,
        description="The highest capacity, attempts per second.",
        examples=[1e6],
    )
    kept_ticks: int = Field(
        limits.KEPT_TICKS, description="Finished ticks that can be read.", examples=[3000]
    )
    ticks_per_page: int = Field(
        limits.TICKS_PER_PAGE, description="Ticks in one answer.", examples=[600]
    )
    body_bytes: int = Field(
        limits.MAX_BODY_BYTES, description="Bytes in the body of a call.", examples=[65536]
    )


class StateOut(BaseModel):
    """The target as it stands."""

    now_s: float = Field(
        description="Now: seconds since the target started, monotonic.", examples=[11.73]
    )
    epoch_s: float = Field(
        description="Now by the wall clock, seconds since 1970; for information only.",
        examples=[1796033711.8],
    )
    tick_s: float = Field(description="The length of a tick, seconds.", examples=[0.1])
    seq: int = Field(
        description="The number of the tick that is running; it began at seq · tick_s.",
        examples=[117],
    )
    capacity_per_s: float = Field(
        description="Base capacity of lanes to come, attempts per second.", examples=[100.0]
    )
    lanes: dict[str, LaneOut] = Field(
        description="Each lane by its name.",
        examples=[{"full-jitter": {"capacity_per_s": 100.0, "in_force_per_s": 20.0}}],
    )
    dips: list[DipOut] = Field(
        description="Dips pending, active and lately over, the oldest first.", examples=[[]]
    )
    faults: list[FaultOut] = Field(description="Other faults, likewise.", examples=[[]])
    actions: list[ActionOut] = Field(description="An operator's actions, likewise.", examples=[[]])
    limits: LimitsOut = Field(
        default_factory=LimitsOut,
        description="The limits of lanes, dips, ticks and bodies.",
        examples=[{"lanes": 64}],
    )
    version: str = Field(description="The version of Aftershock.", examples=["0.1.0"])


class LaneTickOut(BaseModel):
    """One lane in one tick.

    Lists count attempts by attempt number, place 0 is unknown numbers; zeros at the end are left
    off.
    """

    capacity_per_s: float = Field(
        description="Capacity in force, attempts per second.", examples=[20.0]
    )
    offered: list[int] = Field(description="Attempts that arrived.", examples=[[0, 9, 4]])
    admitted: list[int] = Field(description="Attempts let in.", examples=[[0, 2]])
    turned_away: list[int] = Field(description="Attempts turned away.", examples=[[0, 7, 4]])
    blocked: list[int] = Field(
        description="Of the attempts turned away, those that an operator's action turned away.",
        examples=[[]],
    )
    completed: list[int] = Field(
        description="Attempts whose response became complete in this tick.", examples=[[0, 2]]
    )
    shed: list[int] = Field(
        description="Of the completed ones, those refused after they had waited.", examples=[[]]
    )
    failed: list[int] = Field(
        description="Of the completed ones, those answered with an error that was no refusal: of "
        "the service behind the gate, or a fault's.",
        examples=[[]],
    )
    abandoned: list[int] = Field(
        description="Attempts whose client was seen gone in this tick, before the response was "
        "complete.",
        examples=[[]],
    )
    queue: int = Field(description="Attempts waiting at the end of the tick.", examples=[0])
    in_flight: int = Field(
        description="Attempts at the end of the tick that were admitted and are neither completed "
        "nor abandoned.",
        examples=[2],
    )


class TickOut(BaseModel):
    """A finished tick: one line of `GET /admin/ticks`."""

    seq: int = Field(description="Its number; there are no gaps.", examples=[117])
    t_s: float = Field(description="When it began, seconds of the target's clock.", examples=[11.7])
    lag_s: float = Field(
        description="How late the event loop came to its end, seconds.", examples=[0.0004]
    )
    cpu_s: float = Field(description="CPU time of the process in it, seconds.", examples=[0.021])
    lanes: dict[str, LaneTickOut] = Field(
        description="Each lane that existed, by its name.",
        examples=[{"full-jitter": {"capacity_per_s": 20.0, "offered": [0, 9, 4]}}],
    )


class FieldProblem(BaseModel):
    """One field that is wrong."""

    field: str = Field(description="The field's name.", examples=["capacity"])
    problem: str = Field(
        description="What is right.",
        examples=["'20/m' is not a rate per second, as in \"100/s\""],
    )


class ErrorOut(BaseModel):
    """The one shape of every error."""

    error: str = Field(description="Which error, for programs.", examples=["bad-input"])
    message: str = Field(
        description="A sentence for people.", examples=["capacity: a share is 0% to 100%"]
    )
    fields: list[FieldProblem] = Field(
        description="The fields that are wrong, if it is about fields.",
        examples=[[{"field": "capacity", "problem": "a share is 0% to 100%"}]],
    )
