"""What the service can be told, by option or by an ``AFTERSHOCK_…`` environment variable."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from aftershock_units import parse_duration_s
from target_service.dips import parse_capacity_per_s

ENV_PREFIX = "AFTERSHOCK_"


class BadSettingError(ValueError):
    """One sentence that names the setting and what is allowed."""


def _tick_s(text: str) -> float:
    tick_s = parse_duration_s(text)
    if not 0.01 <= tick_s <= 10:
        raise ValueError("a tick lasts from 10ms to 10s")
    return tick_s


def _retry_after_s(text: str) -> int:
    retry_after_s = parse_duration_s(text)
    if not retry_after_s.is_integer() or retry_after_s > 3600:
        raise ValueError('Retry-After is whole seconds up to 1h, as in "2s"')
    return int(retry_after_s)


def _port(text: str) -> int:
    if not (text.isdecimal() and len(text) <= 5 and int(text) <= 65_535):
        raise ValueError("a port is a whole number from 0 (any free one) to 65535")
    return int(text)


def _status(text: str) -> int:
    if text not in {"503", "429"}:
        raise ValueError("an attempt is turned away with 503 or 429")
    return int(text)


def _token(text: str) -> str:
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("a token is printable ASCII without spaces")
    return text


class Settings(BaseSettings):
    """The service's settings; rates per second and durations in seconds once they are read.

    An empty variable counts as none: that is how a compose file passes on what is not set.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, env_ignore_empty=True, validate_default=False, extra="ignore"
    )

    host: str = Field("127.0.0.1", min_length=1, max_length=255)
    port: Annotated[int, BeforeValidator(_port)] = 8000
    capacity: Annotated[float, BeforeValidator(parse_capacity_per_s)] = 100.0
    tick: Annotated[float, BeforeValidator(_tick_s)] = 0.1
    status: Annotated[Literal[503, 429], BeforeValidator(_status)] = 503
    retry_after: Annotated[int | None, BeforeValidator(_retry_after_s)] = None
    admin_token: Annotated[SecretStr | None, BeforeValidator(_token)] = None
    parent_pid: int | None = None


def read_settings(**given: str | None) -> Settings:
    """The settings given; what is None comes from the environment, and the rest is the default.

    Raises `BadSettingError` for the first that is wrong, without repeating a token.
    """
    unknown = given.keys() - Settings.model_fields.keys()
    if unknown:
        raise BadSettingError(
            f"{sorted(unknown)[0]}: no such setting: expected one of "
            f"{', '.join(Settings.model_fields)}"
        )
    options: dict[str, Any] = {name: text for name, text in given.items() if text is not None}
    try:
        return Settings(**options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
    name = str(first["loc"][0]).lower()
    option = f"--{name.replace('_', '-')}" if name in options else f"{ENV_PREFIX}{name.upper()}"
    raise BadSettingError(f"{option}: {first['msg'].removeprefix('Value error, ')}")
