"""The fields of the admin API that people write as text: durations, rates, levels, lane names."""

from typing import Annotated, Any

from pydantic import AfterValidator, PlainValidator, WithJsonSchema

from aftershock_units import DURATION_FORM, RATE_FORM, parse_duration_s
from target_service.dips import LEVEL_FORM, Level, parse_capacity_per_s, parse_level
from target_service.lanes import checked_name
from target_service.limits import MAX_AFTER_S, MAX_DIP_S, MAX_LANE_NAME


def _text(value: object, form: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text with {form}")
    return value


def _rate_per_s(value: object) -> float:
    return parse_capacity_per_s(_text(value, RATE_FORM))


def _level(value: object) -> Level:
    return parse_level(_text(value, LEVEL_FORM))


def _dip_s(value: object) -> float:
    duration_s = parse_duration_s(_text(value, DURATION_FORM))
    if not 0 < duration_s <= MAX_DIP_S:
        raise ValueError(f"a dip lasts longer than 0s and at most {MAX_DIP_S:.0f}s")
    return duration_s


def _after_s(value: object) -> float:
    after_s = parse_duration_s(_text(value, DURATION_FORM))
    if after_s > MAX_AFTER_S:
        raise ValueError(f"a dip begins at most {MAX_AFTER_S:.0f}s from now")
    return after_s


def _schema(pattern: str) -> WithJsonSchema:
    schema: dict[str, Any] = {"type": "string", "maxLength": 32, "pattern": pattern}
    return WithJsonSchema(schema)


_NUMBER = r"^\s*\d+(\.\d+)?\s*"
_DURATION_SCHEMA = _schema(_NUMBER + r"(ms|s|m|h)\s*$")

RateText = Annotated[float, PlainValidator(_rate_per_s), _schema(_NUMBER + r"/\s*s\s*$")]
"""``"100/s"``, read as a number per second."""
LevelText = Annotated[Level, PlainValidator(_level), _schema(_NUMBER + r"(/\s*s|%)\s*$")]
"""``"20/s"`` or ``"20%"``."""
DipText = Annotated[float, PlainValidator(_dip_s), _DURATION_SCHEMA]
"""``"2s"``, read as seconds: how long a dip lasts."""
AfterText = Annotated[float, PlainValidator(_after_s), _DURATION_SCHEMA]
"""``"0s"``, read as seconds: how soon a dip begins."""
LaneName = Annotated[
    str,
    AfterValidator(checked_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_LANE_NAME}),
]
"""The name of a lane, checked."""
