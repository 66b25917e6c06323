"""What the admin API takes and gives about faults and an operator's actions."""

from typing import Self

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from target_service import limits
from target_service.admin.body import LANES, Body
from target_service.admin.fields import (
    ForText,
    LaneName,
    LatencyText,
    RetryAfterText,
    ShareText,
    ShedShareText,
    SoonText,
    StepText,
    StruckShareText,
)
from target_service.disorder.actions import ActionType
from target_service.disorder.faults import FaultType
from target_service.timed import State

_SPECIFIC = {"add": "latency", "spread": "latency", "status": "error", "retry_after": "error"}


class Planned(Body):
    """When and where: what every call that plans something says."""

    for_s: ForText = Field(
        alias="for",
        description="How long: a duration in ms, s, m or h, 1ms to 1h; rounded "
        "to whole ticks, at least one.",
        examples=["5s", "500ms"],
    )
    after_s: SoonText = Field(
        0.0,
        alias="after",
        description="How soon from now: a duration in ms, s, m or h, at most 24h. It begins with "
        "the next tick after that. Default: 0s.",
        examples=["0s", "10s"],
    )
    lanes: list[LaneName] | None = Field(
        None,
        min_length=1,
        max_length=limits.MAX_LANES,
        description=LANES,
        examples=[None, ["full-jitter"]],
    )

    @property
    def where(self) -> tuple[str, ...] | None:
        """The lanes, as a plan has them."""
        return None if self.lanes is None else tuple(self.lanes)


class FaultIn(Planned):
    """A fault to plan."""

    type: FaultType = Field(
        description="`latency`: the answer comes later. `error`: an answer with an error of the "
        "service. `hang`: no answer. `reset`: the connection is reset. `cut`: half of the body, "
        "then the connection is closed.",
        examples=["latency"],
    )
    share: StruckShareText = Field(
        1.0,
        description="Which share of the admitted attempts, drawn at random: above 0%, at most "
        "100%. Default: 100%.",
        examples=["50%"],
    )
    add: LatencyText | None = Field(
        None,
        description="For `latency`, and needed there: how much later, a duration of at most "
        "300s; above 0s, unless there is a spread.",
        examples=["200ms"],
    )
    spread: LatencyText | None = Field(
        None,
        description="For `latency`: each attempt gets `add` ± up to this, uniform, never less "
        "than 0. Default: 0s.",
        examples=["50ms"],
    )
    status: int | None = Field(
        None,
        ge=400,
        le=599,
        strict=True,  # neither text nor `true`, as in a scenario
        description="For `error`: the status, 400 to 599. Default: 500.",
        examples=[500],
    )
    retry_after: RetryAfterText | None = Field(
        None,
        description="For `error`: sent as `Retry-After`; whole seconds up to 1h. Default: not "
        "sent.",
        examples=["2s"],
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for name, of_type in _SPECIFIC.items():
            if getattr(self, name) is not None and self.type != of_type:
                problem = f"is for {of_type} only, not for {self.type}"
                raise PydanticCustomError("unknown_field", problem, {"field": name})
        if self.type == "latency" and self.add is None:
            raise PydanticCustomError("unknown_field", "is required for latency", {"field": "add"})
        if self.add == 0 and not self.spread:
            problem = "latency adds some time: above 0s, unless there is a spread"
            raise PydanticCustomError("unknown_field", problem, {"field": "add"})
        return self


class ShedIn(Planned):
    """A share of traffic to shed at the edge."""

    share: ShedShareText = Field(
        description="Which share of the attempts that arrive is turned away, drawn at random: "
        "above 0%, at most 100%.",
        examples=["90%"],
    )


class BlockRetriesIn(Planned):
    """Retries to turn away at the edge."""


class ReopenIn(Planned):
    """A reopening in steps."""

    for_s: ForText = Field(
        600.0,
        alias="for",
        description="How long at most: a duration in ms, s, m or h, 1ms to 1h. "
        "After that everything is let through. Default: 10m.",
        examples=["10m"],
    )
    step: StepText = Field(
        0.2,
        description="How much more is let through with each step: 1% to 100%. The first is taken "
        "at the start. Default: 20%.",
        examples=["20%"],
    )
    every: ForText = Field(
        5.0,
        description="How long a step lasts at least: a duration of at most 1h; rounded to whole "
        "ticks. Default: 5s.",
        examples=["5s"],
    )
    max_errors: ShareText = Field(
        0.05,
        description="The next step is taken if at most this share of what was let through during "
        "the last one went wrong (turned away for lack of capacity, shed, failed or abandoned). "
        "Default: 5%.",
        examples=["5%"],
    )


class TimedOut(BaseModel):
    """Something planned as it stands. Times are seconds of the target's clock, on whole ticks."""

    id: str = Field(description="Its id.", examples=["fault-1"])
    start_s: float = Field(
        description="When it begins, seconds of the target's clock.", examples=[10.0]
    )
    end_s: float = Field(
        description="When it ends or did end, seconds of the target's clock; the first instant "
        "that is no longer in it. Equal to `start_s` when it was cancelled before it began.",
        examples=[15.0],
    )
    state: State = Field(
        description="`pending`, `active`, `ended`, or `cancelled` (ended before it began).",
        examples=["active"],
    )
    lanes: list[str] | None = Field(
        description="The lanes it is for; null: every lane.", examples=[None]
    )
    for_s: str = Field(
        serialization_alias="for",
        description="How long it was asked to last, with its unit (seconds).",
        examples=["5s"],
    )


class FaultOut(TimedOut):
    """A fault as it stands; what does not belong to its type is null."""

    type: FaultType = Field(description="What it does.", examples=["latency"])
    share: str = Field(description="The share of attempts that it strikes.", examples=["50%"])
    add: str | None = Field(description="`latency`: how much later.", examples=["0.2s"])
    spread: str | None = Field(description="`latency`: ± up to this.", examples=["0.05s"])
    status: int | None = Field(description="`error`: the status.", examples=[500])
    retry_after: str | None = Field(description="`error`: its `Retry-After`.", examples=["2s"])


class ActionOut(TimedOut):
    """An operator's action as it stands; what does not belong to it is null."""

    id: str = Field(description="Its id.", examples=["action-1"])
    action: ActionType = Field(description="What it does.", examples=["reopen"])
    share: str | None = Field(
        description="The share of attempts that it turns away, when it is in force: now, or at "
        "its end if it is over. Of a reopening that of the lane that is least open.",
        examples=["80%"],
    )
    shares: dict[str, str] | None = Field(
        description="`reopen`: the share turned away in each lane that it has seen.",
        examples=[{"full-jitter": "40%"}],
    )
    step: str | None = Field(description="`reopen`: as it was asked for.", examples=["20%"])
    every: str | None = Field(description="`reopen`: as it was asked for.", examples=["5s"])
    max_errors: str | None = Field(description="`reopen`: as it was asked for.", examples=["5%"])
