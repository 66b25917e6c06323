"""What the admin API takes, and gives of dips and errors; a unit and an example for every field."""

from typing import Self

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from target_service import limits
from target_service.admin.body import LANES, Body
from target_service.admin.disorder_models import Planned, TimedOut
from target_service.admin.fields import (
    LaneName,
    LevelText,
    RateText,
    ServiceTimeText,
    SlowStartText,
    Workers,
)
from target_service.dips import Shape
from target_service.levels import Level


class DipIn(Planned):
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


class DipOut(TimedOut):
    """A dip as it stands."""

    id: str = Field(description="Its id.", examples=["dip-1"])
    capacity: str = Field(
        description="What is left, as it was given, or in words.", examples=["20%", "2 workers"]
    )
    shape: Shape = Field(description="`step` or `ramp`.", examples=["step"])
    slow_start: str = Field(
        "0s", description="How long capacity climbs back at the end.", examples=["0s"]
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
