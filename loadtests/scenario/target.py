"""The service that a run starts when it is given none: its settings, as a target reads them."""

import re
from functools import lru_cache
from typing import Self

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from aftershock_units import format_rate
from loadtests.scenario.fields import Flag, Number, Part, PerSecond, Whole
from target_service.service.config import ServiceConfig
from target_service.settings import Settings
from target_service.words import Word


class Target(Part):
    """The target's settings: those that are None are left at the target's own default."""

    rate_per_s: PerSecond | None = Field(None, alias="capacity")
    workers: Whole | None = None
    service_time: str | None = None
    queue: Whole | None = None
    discipline: str | None = None
    abandoned: str | None = None
    turn_away_cost: Number | str | None = None
    max_wait: str | None = None
    shed_first: str | None = None
    heed_deadlines: Flag | None = None
    status: Whole | None = None
    retry_after: str | None = None
    retry_after_as: str | None = None
    pushback: str | None = None
    do_not_retry: Flag | None = None
    owns_errors: Flag | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_workers(cls, values: object) -> object:
        """The reject model: it has a capacity, which a record is to show."""
        if isinstance(values, dict) and not {"workers", "capacity"} & values.keys():
            return {**values, "capacity": "100/s"}
        return values

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._as_read_there()
        return self

    def settings(self) -> dict[str, str]:
        """The settings as the target reads them, by name; those that are not given are empty."""
        given = {name: getattr(self, name) for name in type(self).model_fields}
        rate_per_s = given.pop("rate_per_s")
        texts = {name: "" if value is None else _text(value) for name, value in given.items()}
        return {**texts, "capacity": "" if rate_per_s is None else format_rate(rate_per_s)}

    def service(self) -> ServiceConfig | None:
        """The queue and its workers; None for the reject model."""
        return self._as_read_there().service()

    def word(self) -> Word:
        """What goes with a refusal."""
        return self._as_read_there().word()

    @property
    def turn_away_share(self) -> float:
        """What turning an attempt away costs, as a share of a served one."""
        return self._as_read_there().turn_away_cost

    @property
    def capacity_per_s(self) -> float | None:
        """Attempts per second and lane; None where a worker takes as long as the app does."""
        settings = self._as_read_there()
        service = settings.service()
        return settings.capacity if service is None else service.capacity_per_s

    def _as_read_there(self) -> Settings:
        """What the target makes of it. Raises `ValueError`, naming each key that is wrong."""
        return _as_target_reads(self)

    def read(self) -> Settings:
        """The same, read anew."""
        given = {name: text for name, text in self.settings().items() if text}
        try:
            return _OnlyAsGiven(**given)  # type: ignore[arg-type]  # it reads text
        except ValidationError as error:
            problems = [
                ": ".join([*map(str, detail["loc"]), detail["msg"].removeprefix("Value error, ")])
                for detail in error.errors(include_url=False, include_input=False)
            ]
        # Where the target names an option, a scenario has a key.
        keys = [re.sub("--[a-z-]+", lambda option: _key(option[0]), text) for text in problems]
        raise ValueError("; ".join(keys))


@lru_cache(maxsize=64)
def _as_target_reads(target: Target) -> Settings:
    """A simulation asks for it many times a run, and reading takes longer than a short one."""
    return target.read()


class _OnlyAsGiven(Settings):
    """The settings without those of our own environment: a scenario is the same everywhere."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic passes all, by these names
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is passed alone."""
        return (init_settings,)


def _key(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
