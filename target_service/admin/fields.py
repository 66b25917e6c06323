"""The fields of the admin API that people write as text: durations, rates, levels, lane names."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, PlainValidator, WithJsonSchema

from aftershock_units import (
    DURATION_FORM,
    RATE_FORM,
    SHARE_FORM,
    parse_duration_s,
    parse_share,
)
from target_service.lanes import checked_name
from target_service.levels import (
    LEVEL_FORM,
    Level,
    ServiceTimeLevel,
    WorkersLevel,
    parse_capacity_per_s,
    parse_level,
    parse_service_time_level,
)
from target_service.limits import (
    MAX_ADDED_LATENCY_S,
    MAX_AFTER_S,
    MAX_DIP_S,
    MAX_LANE_NAME,
    MAX_RETRY_AFTER_S,
    MAX_WORKERS,
    MIN_DIP_S,
)


def _text(value: object, form: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text with {form}")
    return value


def _rate_per_s(value: object) -> float:
    return parse_capacity_per_s(_text(value, RATE_FORM))


def _level(value: object) -> Level:
    return parse_level(_text(value, LEVEL_FORM))


def _service_time(value: object) -> ServiceTimeLevel:
    return parse_service_time_level(_text(value, DURATION_FORM))


def _workers(value: object) -> WorkersLevel:
    if type(value) is not int or not 0 <= value <= MAX_WORKERS:
        raise ValueError(f"expected a whole number of workers from 0 to {MAX_WORKERS}")
    return WorkersLevel(value)


def _seconds(
    highest_s: float, problem: str, *, lowest_s: float = 0.0, whole: bool = False
) -> Callable[[object], float]:
    """Reads a duration from `lowest_s` to `highest_s`; `problem` says what is allowed."""

    def read(value: object) -> float:
        duration_s = parse_duration_s(_text(value, DURATION_FORM))
        if not lowest_s <= duration_s <= highest_s or (whole and not duration_s.is_integer()):
            raise ValueError(problem)
        return duration_s

    return read


_slow_start_s = _seconds(MAX_DIP_S, f"a slow start lasts at most {MAX_DIP_S:.0f}s")
_for_s = _seconds(MAX_DIP_S, f"it lasts from 1ms to {MAX_DIP_S:.0f}s", lowest_s=MIN_DIP_S)
_after_s = _seconds(MAX_AFTER_S, f"it begins at most {MAX_AFTER_S:.0f}s from now")
_latency_s = _seconds(
    MAX_ADDED_LATENCY_S, f"expected a latency of at most {MAX_ADDED_LATENCY_S:.0f}s"
)
_retry_after_s = _seconds(
    MAX_RETRY_AFTER_S, 'Retry-After is whole seconds up to 1h, as in "2s"', whole=True
)


def _share(value: object) -> float:
    return parse_share(_text(value, SHARE_FORM))


def _some(problem: str) -> Callable[[object], float]:
    """Reads a share above 0; `problem` says that it must be."""

    def read(value: object) -> float:
        share = _share(value)
        if share == 0:
            raise ValueError(problem)
        return share

    return read


_shed_share = _some("shed turns something away: above 0%")
_struck_share = _some("a fault strikes some attempts: above 0%")


def _step(value: object) -> float:
    step = _share(value)
    if step < 0.01:
        raise ValueError("a step is at least 1%")
    return step


def _schema(pattern: str) -> WithJsonSchema:
    schema: dict[str, Any] = {"type": "string", "maxLength": 32, "pattern": pattern}
    return WithJsonSchema(schema)


_NUMBER = r"^\s*\d+(\.\d+)?\s*"
_DURATION_SCHEMA = _schema(_NUMBER + r"(ms|s|m|h)\s*$")

RateText = Annotated[float, PlainValidator(_rate_per_s), _schema(_NUMBER + r"/\s*s\s*$")]
"""``"100/s"``, read as a number per second."""
LevelText = Annotated[Level, PlainValidator(_level), _schema(_NUMBER + r"(/\s*s|%)\s*$")]
"""``"20/s"`` or ``"20%"``."""
ServiceTimeText = Annotated[Level, PlainValidator(_service_time), _DURATION_SCHEMA]
"""``"100ms"``, the mean service time that a dip stretches to."""
Workers = Annotated[
    Level,
    PlainValidator(_workers),
    WithJsonSchema({"type": "integer", "minimum": 0, "maximum": MAX_WORKERS}),
]
"""The workers that a dip leaves."""
SlowStartText = Annotated[float, PlainValidator(_slow_start_s), _DURATION_SCHEMA]
"""``"5s"``, read as seconds: how long capacity climbs back."""
ForText = Annotated[float, PlainValidator(_for_s), _DURATION_SCHEMA]
"""``"5s"``, read as seconds: how long something planned lasts."""
SoonText = Annotated[float, PlainValidator(_after_s), _DURATION_SCHEMA]
"""``"0s"``, read as seconds: how soon something planned begins."""
LatencyText = Annotated[float, PlainValidator(_latency_s), _DURATION_SCHEMA]
"""``"200ms"``, read as seconds: latency that is added."""
RetryAfterText = Annotated[float, PlainValidator(_retry_after_s), _DURATION_SCHEMA]
"""``"2s"``, read as whole seconds."""
ShareText = Annotated[float, PlainValidator(_share), _schema(_NUMBER + r"%\s*$")]
"""``"50%"``, read as a fraction from 0 to 1."""
ShedShareText = Annotated[float, PlainValidator(_shed_share), _schema(_NUMBER + r"%\s*$")]
"""``"90%"``, read as a fraction above 0: what is shed."""
StruckShareText = Annotated[float, PlainValidator(_struck_share), _schema(_NUMBER + r"%\s*$")]
"""``"50%"``, read as a fraction above 0: what a fault strikes."""
StepText = Annotated[float, PlainValidator(_step), _schema(_NUMBER + r"%\s*$")]
"""``"20%"``, read as a fraction: the step of a reopening."""
LaneName = Annotated[
    str,
    AfterValidator(checked_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_LANE_NAME}),
]
"""The name of a lane, checked."""
