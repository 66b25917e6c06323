"""A policy of a scenario: which, with what parameters, in which lane, behind which gateways."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

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
from loadtests.scenario.errors import ScenarioError, in_words
from loadtests.scenario.fields import Whole

MAX_LAYERS = 6


class PolicyChoice(BaseModel):
    """A policy by name with its parameters, the lane that it loads, and who shares its state."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = Field(max_length=500)
    lane: str = Field("", pattern=r"^([!-~]([ -~]*[!-~])?)?$", max_length=64)
    scope: StateScope = StateScope.PROCESS
    clients: Whole = 1
    processes: Whole = 1
    layer_policies: tuple[str, ...] = Field(
        (), max_length=MAX_LAYERS, serialization_alias="layers", exclude_if=lambda given: not given
    )
    """The policies of the gateways between, the outermost first: the list `layers`."""

    @model_validator(mode="before")
    @classmethod
    def _read_layers(cls, values: object) -> object:
        """A list `layers` is gateways; a number of that name is a parameter of the policy."""
        layers = values.get("layers") if isinstance(values, dict) else None
        if isinstance(layers, str) and not layers.strip().isdigit():
            raise ValueError('layers: expected a list, as in ["immediate:attempts=3"]')
        if not isinstance(values, dict) or not isinstance(layers, list | tuple):
            return values
        rest = {key: value for key, value in values.items() if key != "layers"}
        return {**rest, "layer_policies": layers}

    @field_validator("layer_policies")
    @classmethod
    def _check_layers(cls, layers: tuple[str, ...]) -> tuple[str, ...]:
        for text in layers:
            if choose_policy(text).name in OPAQUE:
                raise ValueError(f"{text}: a gateway needs a policy, and this is a real library")
        return layers

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
        if self.layer_policies and "=" in self.lane_name:
            raise ValueError(
                f"lane: {self.lane_name!r} has layers, so it can have no = in its name"
            )
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
        raise ScenarioError(in_words(error, PolicyChoice)) from None
    except ValueError as error:
        raise ScenarioError(str(error)) from None
