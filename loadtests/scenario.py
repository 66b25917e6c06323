"""One scenario: who sends what, what goes wrong, and how long we watch. Frozen and validated.

Read from TOML; it drives a live run and a simulated one alike.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from aftershock_units import (
    format_duration,
    format_rate,
    parse_duration_s,
    parse_rate_per_s,
)
from faults.dip import Dip
from loadtests.arrivals import Arrivals
from loadtests.opaque.base import OpaqueSource
from loadtests.opaque.catalogue import OPAQUE, opaque
from loadtests.policies.scope import StateScope, count_states
from loadtests.policy_names import (
    PolicySource,
    imported_policy,
    lane_of,
    overridden,
    policy_of,
    policy_table,
)

MAX_SCENARIO_BYTES = 1 << 20
ARTICLE_000 = ("no-retry", "immediate", "exponential", "full-jitter", "full-jitter-budget")


class ScenarioError(ValueError):
    """The scenario cannot be used; the message names each field and what is allowed there."""


def _duration(value: object) -> object:
    return parse_duration_s(value) if isinstance(value, str) else value


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


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Load(_Part):
    """How new requests come to each lane."""

    rate_per_s: PerSecond = Field(95.0, alias="rate")
    arrivals: Arrivals = Arrivals.CONSTANT
    timeout_s: Seconds = Field(5.0, alias="timeout", gt=0)
    path: str = Field("/work", pattern=r"^/[!-~]*$", max_length=2000)


class Target(_Part):
    """The service that the run starts when it is given none."""

    capacity_per_s: PerSecond = Field(100.0, alias="capacity")


class PolicyChoice(BaseModel):
    """A policy by name with its parameters, the lane that it loads, and who shares its state."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = Field(max_length=500)
    lane: str = Field("", pattern=r"^([!-~]([ -~]*[!-~])?)?$", max_length=64)
    scope: StateScope = StateScope.PROCESS
    clients: int = 1
    processes: int = 1

    @model_validator(mode="before")
    @classmethod
    def _read_file(cls, values: object) -> object:
        """A file's policy becomes its preset with parameters: a record needs no file beside it."""
        name = values.get("name") if isinstance(values, dict) else None
        imported = imported_policy(name) if isinstance(name, str) else None
        if imported is None or not isinstance(values, dict):
            return values
        own = {key: value for key, value in values.items() if key not in cls.model_fields}
        fields = {key: value for key, value in values.items() if key in cls.model_fields}
        return {
            **fields,
            "name": imported.preset_name,
            "lane": fields.get("lane") or lane_of(imported),
            **overridden(imported.parameters, own),
        }

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.source()
        count_states(self.scope, self.clients, self.processes)
        return self

    def source(self) -> PolicySource | OpaqueSource:
        """The policy with these parameters, or a library in its place.

        The parameters are what the table has beside the fields above.
        """
        parameters = self.model_extra or {}
        if self.name in OPAQUE:
            return opaque(self.name, **parameters)
        return policy_of(self.name, parameters)

    @property
    def lane_name(self) -> str:
        """The lane: the policy's name unless said otherwise."""
        return self.lane or self.name


def choose_policy(text: str) -> PolicyChoice:
    """The policy that text such as ``urllib3-2:total=3`` names. Raises `ScenarioError`."""
    try:
        return PolicyChoice.model_validate(policy_table(text))
    except ValidationError as error:
        raise ScenarioError(_in_words(error)) from None
    except ValueError as error:
        raise ScenarioError(str(error)) from None


class DipChoice(_Part):
    """A dip: at, for how long, to what capacity."""

    capacity: str = "20%"
    for_s: Seconds = Field(2.0, alias="for")
    at_s: Seconds | None = Field(None, alias="at")
    shape: str = "step"
    lanes: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.dip(0.0)
        return self

    def dip(self, default_at_s: float) -> Dip:
        """The dip; one without `at` begins when the warm-up is over."""
        at_s = default_at_s if self.at_s is None else self.at_s
        return Dip(
            capacity=self.capacity,
            for_s=self.for_s,
            at_s=at_s,
            shape=self.shape,  # type: ignore[arg-type]  # Dip checks the name and says what is allowed
            lanes=self.lanes,
        )


class Scenario(_Part):
    """The whole of it. The defaults are the run of article 000 at a tenth of its load."""

    name: str = Field("one-dip", pattern=r"^[ -~]{1,80}$")
    seed: int = Field(0, ge=0, le=2**53)
    warm_up_s: Seconds = Field(10.0, alias="warm_up")
    observation_s: Seconds = Field(30.0, alias="observation")
    load: Load = Field(default_factory=Load)
    target: Target = Field(default_factory=Target)
    policies: tuple[PolicyChoice, ...] = Field(
        default_factory=lambda: tuple(PolicyChoice(name=name) for name in ARTICLE_000),
        min_length=1,
        max_length=32,
    )
    dips: tuple[DipChoice, ...] = Field(
        default_factory=lambda: (DipChoice(capacity="20%"),), max_length=100
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        lanes = Counter(choice.lane_name for choice in self.policies)
        twice = [lane for lane, count in lanes.items() if count > 1]
        if twice:
            raise ValueError(
                f"policies: lane {twice[0]!r} is named twice; give each policy its own `lane`"
            )
        for dip in self.dips:
            unknown = set(dip.lanes or ()) - set(lanes)
            if unknown:
                raise ValueError(
                    f"dips: unknown lane {sorted(unknown)[0]!r}: expected {', '.join(lanes)}"
                )
        return self

    def schedule(self) -> tuple[Dip, ...]:
        """The dips with their instants, in seconds from the beginning of the load."""
        return tuple(choice.dip(self.warm_up_s) for choice in self.dips)

    @property
    def planned_end_s(self) -> float:
        """The end of the observation, in seconds from the beginning of the load."""
        last_s = max((dip.at_s + dip.for_s for dip in self.schedule()), default=self.warm_up_s)
        return last_s + self.observation_s


def parse_scenario(values: Mapping[str, object]) -> Scenario:
    """A scenario from its TOML or JSON values. Raises `ScenarioError`."""
    try:
        return Scenario.model_validate(values)
    except ValidationError as error:
        raise ScenarioError(_in_words(error)) from None


def load_scenario_values(path: Path) -> dict[str, object]:
    """The values in a scenario's file: TOML, or JSON when it is called so.

    Raises `ScenarioError` when there is no such file or it cannot be read.
    """
    try:
        if path.stat().st_size > MAX_SCENARIO_BYTES:
            raise ScenarioError(f"{path}: larger than {MAX_SCENARIO_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
        values = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except RecursionError:
        raise ScenarioError(f"{path}: nested too deeply") from None
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{path}: {_sentence(error)}") from None
    if not isinstance(values, dict):
        raise ScenarioError(f"{path}: expected a table of settings")
    return values


def _sentence(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _in_words(error: ValidationError) -> str:
    lines = []
    details = error.errors(include_url=False, include_input=False)
    nested = {detail["loc"][0] for detail in details if len(detail["loc"]) > 1}
    for detail in details:
        if detail["type"] == "too_short" and detail["loc"][0] in nested:
            continue  # what is wrong with its members is said already
        where = ".".join(str(part) for part in detail["loc"])
        message = detail["msg"].removeprefix("Value error, ")
        if detail["type"] == "extra_forbidden":
            message = "there is no such setting"
        lines.append(f"{where}: {message}" if where else message)
    return "\n".join(lines)
