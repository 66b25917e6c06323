"""What the admin API gives of the target as it stands, and of its finished ticks."""

from typing import Self

from pydantic import BaseModel, Field

from aftershock_units import format_brief
from target_service import limits
from target_service.admin.disorder_models import ActionOut, FaultOut
from target_service.admin.models import DipOut
from target_service.service.config import Order, ServiceConfig
from target_service.words import NEVER, Span, Word


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


class ServiceOut(BaseModel):
    """The workers of each lane and the queue before them, as they were configured."""

    workers: int = Field(description="Attempts served at once.", examples=[5])
    service_time: str | None = Field(
        description="How long a worker takes, as it was given; null: as long as the app behind "
        "the gate.",
        examples=["100ms", "exponential 100ms", None],
    )
    queue: int = Field(description="Attempts that may wait.", examples=[1000])
    discipline: str = Field(
        description="Who is next: `fifo`, `lifo`, or `codel` with its target and interval.",
        examples=["fifo", "codel 5ms 100ms"],
    )
    abandoned: str = Field(
        description="Work whose client has gone: `finish`, `drop` or `stop`.", examples=["finish"]
    )
    max_wait: str | None = Field(
        description="What waited longer is refused; null: however long it waits.",
        examples=[None, "500ms"],
    )
    shed_first: str = Field(
        description="Who goes when the queue is full: `arriving`, `priority` or `attempt`.",
        examples=["arriving"],
    )
    heed_deadlines: bool = Field(
        description="Whether no work is done after a deadline.", examples=[False]
    )

    @classmethod
    def of(cls, service: ServiceConfig) -> Self:
        """In the words of the target's options."""
        told = service.discipline
        codel = f" {format_brief(told.target_s)} {format_brief(told.interval_s)}"
        return cls(
            workers=service.workers,
            service_time=service.time.text if service.time else None,
            queue=service.queue,
            discipline=told.order + (codel if told.order is Order.CODEL else ""),
            abandoned=service.abandoned,
            max_wait=None if service.max_wait_s is None else format_brief(service.max_wait_s),
            shed_first=service.shed_first,
            heed_deadlines=service.heed_deadlines,
        )


class RefusalOut(BaseModel):
    """What goes with an attempt that is turned away, as it was configured."""

    status: int = Field(description="The status, 503 or 429.", examples=[503])
    retry_after: str | None = Field(
        description="Retry-After, or the range it is drawn from; null: none is sent.",
        examples=[None, "2s", "1s..5s"],
    )
    retry_after_as: str = Field(
        description="The form of Retry-After: `seconds` or `date`.", examples=["seconds"]
    )
    pushback: str | None = Field(
        description="gRPC pushback, or the range it is drawn from; `never`: do not retry; null: "
        "none is sent.",
        examples=[None, "100ms", "never"],
    )
    do_not_retry: bool = Field(
        description="Whether `X-Should-Retry: false` is sent.", examples=[False]
    )
    owns_errors: bool = Field(
        description="Whether `X-Aftershock-Error-Owned: true` is sent.", examples=[True]
    )

    @classmethod
    def of(cls, word: Word) -> Self:
        """In the words of the target's options."""
        return cls(
            status=word.status,
            retry_after=_span(word.retry_after),
            retry_after_as=word.retry_after_as,
            pushback="never" if word.pushback == NEVER else _span(word.pushback),
            do_not_retry=word.do_not_retry,
            owns_errors=word.owns_errors,
        )


def _span(span: Span | None) -> str | None:
    if span is None:
        return None
    ends = sorted({span.low_s, span.high_s})
    return "..".join(format_brief(end_s) for end_s in ends)


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
    service: ServiceOut | None = Field(
        description="Workers and queue; null: attempts over capacity are turned away at once.",
        examples=[None],
    )
    turn_away_cost: float = Field(
        description="What refusing an attempt costs, as a share of serving it.", examples=[0.0]
    )
    refusal: RefusalOut | None = Field(
        description="What goes with a refusal; null: a gateway, which has no capacity.",
        examples=[{"status": 503, "retry_after": "2s"}],
    )
    shared_app: bool = Field(
        description="Whether all lanes lead to one app behind the gate: each has the capacity "
        "above, and the app has to bear the sum.",
        examples=[False],
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
