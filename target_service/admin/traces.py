"""The endpoint of traces, and what it gives."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from target_service.admin.replies import responses
from target_service.target import Target
from target_service.traces import TRACE_ID_FORM, Admittance, Trace

TraceId = Annotated[
    str,
    Path(
        description="What the header `X-Aftershock-Trace` said: 1 to 64 of A-Z, a-z, 0-9, _ and -.",
        examples=["audit-1"],
        pattern=TRACE_ID_FORM,
    ),
]


class TracedAttemptOut(BaseModel):
    """One attempt of a marked request."""

    t_s: float = Field(
        description="When it arrived: seconds of the target's clock, not rounded to ticks.",
        examples=[11.731482],
    )
    attempt: int = Field(
        description="The attempt number it is counted under; 0: unknown.", examples=[1]
    )
    lane: str = Field(description="Its lane.", examples=["audit"])
    outcome: Admittance = Field(
        description="`admitted`, perhaps to a queue, or `turned-away`.", examples=["admitted"]
    )
    numbers: dict[str, int] = Field(
        description="What each header that counts attempts said, where it was a number.",
        examples=[{"x-aftershock-attempt": 1, "x-envoy-attempt-count": 2}],
    )


class TraceOut(BaseModel):
    """What was seen of a marked request."""

    id: str = Field(description="The mark.", examples=["audit-1"])
    attempts: list[TracedAttemptOut] = Field(
        description="In the order they came, at most 500; none where no attempt has come with this "
        "mark, or it has been forgotten.",
        examples=[[]],
    )
    left_off: int = Field(description="Attempts that came beyond those 500.", examples=[0])


def _trace_out(trace: Trace) -> TraceOut:
    attempts = [
        TracedAttemptOut(
            t_s=attempt.t_s,
            attempt=attempt.attempt,
            lane=attempt.lane,
            outcome=attempt.outcome,
            numbers=dict(attempt.numbers),
        )
        for attempt in trace.attempts
    ]
    return TraceOut(id=trace.id, attempts=attempts, left_off=trace.left_off)


def add_traces(router: APIRouter, target: Target) -> None:
    """``/admin/traces/{id}``."""

    @router.get(
        "/traces/{trace_id}",
        summary="The attempts of a marked request",
        responses=responses("bad-input"),
    )
    async def trace(trace_id: TraceId) -> TraceOut:
        """When each attempt arrived that had this mark in the header `X-Aftershock-Trace`.

        200 marks are kept; the oldest is forgotten first.
        """
        return _trace_out(target.traces.of(trace_id))
