"""The kinds of values that the tables of a scenario have."""

import re
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from aftershock_units import (
    DURATION_FORM,
    format_duration,
    format_rate,
    format_share,
    parse_duration_s,
    parse_rate_per_s,
    parse_share,
)

LONGEST_S = 3600.0
LATEST_S = 86_400.0
HIGHEST_UTILISATION = 100.0
FASTEST_PER_S = 100_000.0
UTILISATION_FORM = 'a part of the capacity, as in "95%" or 0.95'
_UTILISATION = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]{1,12})?)\s*(%?)\s*")


def _some_time(value: object) -> float:
    """A number alone could be seconds or milliseconds."""
    if not isinstance(value, str):
        raise ValueError(f"expected text with {DURATION_FORM}")
    return parse_duration_s(value)


def _duration(value: object) -> float:
    duration_s = _some_time(value)
    if duration_s > LONGEST_S:
        raise ValueError(f"{str(value)[:32]!r} is longer than 1h")
    return duration_s


def _instant(value: object) -> float:
    """As late as the last of what is repeated may begin."""
    instant_s = _some_time(value)
    if instant_s > LATEST_S:
        raise ValueError(f"{str(value)[:32]!r} is later than 24h")
    return instant_s


def _share(value: object) -> object:
    return parse_share(value) if isinstance(value, str) else value


def _rate(value: object) -> object:
    rate_per_s = parse_rate_per_s(value) if isinstance(value, str) else value
    if isinstance(rate_per_s, float | int) and not 0 < rate_per_s <= FASTEST_PER_S:
        allowed = f"more than 0/s, up to {format_rate(FASTEST_PER_S)}"
        raise ValueError(f"{str(value)[:32]} is out of bounds: expected {allowed}")
    return rate_per_s


def _utilisation(value: object) -> object:
    """A part of the capacity, as a number or in percent."""
    match = _UTILISATION.fullmatch(value) if isinstance(value, str) else None
    if isinstance(value, bool) or (isinstance(value, str) and match is None):
        raise ValueError(f"{str(value)[:32]!r} is not {UTILISATION_FORM}")
    share = float(match[1]) / (100 if match[2] else 1) if match else value
    if isinstance(share, float | int) and not 0 < share <= HIGHEST_UTILISATION:
        allowed = f"more than 0%, up to {format_share(HIGHEST_UTILISATION)}"
        raise ValueError(f"{str(value)[:32]} is out of bounds: expected {allowed}")
    return share


Seconds = Annotated[
    float,
    BeforeValidator(_duration),
    PlainSerializer(format_duration, when_used="json"),
]
Instant = Annotated[
    float,
    BeforeValidator(_instant),
    PlainSerializer(format_duration, when_used="json"),
]
"""Seconds from the beginning of the load."""
PerSecond = Annotated[
    float,
    BeforeValidator(_rate),
    PlainSerializer(format_rate, when_used="json"),
    Field(allow_inf_nan=False, strict=True),
]

Utilisation = Annotated[float, BeforeValidator(_utilisation), Field(allow_inf_nan=False)]
Share = Annotated[
    float,
    BeforeValidator(_share),
    PlainSerializer(format_share, when_used="json"),
    Field(allow_inf_nan=False, ge=0, le=1, strict=True),
]
Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
"""Neither text nor ``true``, which would count as 1."""
Whole = Annotated[int, Field(strict=True)]
"""Likewise, and nothing behind a point."""
Flag = Annotated[bool, Field(strict=True)]
"""Neither text nor a number."""


class Part(BaseModel):
    """A table that cannot change; a key that it does not have is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_serializer(mode="wrap")
    def _as_given(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Without what nobody said: a record shows the settings that matter."""
        return {name: value for name, value in write(self).items() if value is not None}
