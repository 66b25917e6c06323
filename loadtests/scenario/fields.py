"""The kinds of values that the tables of a scenario have."""

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
    format_duration,
    format_rate,
    format_share,
    parse_duration_s,
    parse_rate_per_s,
    parse_share,
)


def _duration(value: object) -> object:
    return parse_duration_s(value) if isinstance(value, str) else value


def _share(value: object) -> object:
    return parse_share(value) if isinstance(value, str) else value


def _rate(value: object) -> object:
    return parse_rate_per_s(value) if isinstance(value, str) else value


Seconds = Annotated[
    float,
    BeforeValidator(_duration),
    PlainSerializer(format_duration, when_used="json"),
    Field(allow_inf_nan=False, ge=0, le=3600),
]
PerSecond = Annotated[
    float,
    BeforeValidator(_rate),
    PlainSerializer(format_rate, when_used="json"),
    Field(allow_inf_nan=False, gt=0, le=100_000),
]


Share = Annotated[
    float,
    BeforeValidator(_share),
    PlainSerializer(format_share, when_used="json"),
    Field(allow_inf_nan=False, ge=0, le=1),
]


class Part(BaseModel):
    """A table that cannot change; a key that it does not have is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_serializer(mode="wrap")
    def _as_given(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Without what nobody said: a record shows the settings that matter."""
        return {name: value for name, value in write(self).items() if value is not None}
