"""What a preset is: a frozen set of checked parameters that builds a policy."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from loadtests.policies.catalogue.parameters import (
    NONE,
    Parameter,
    Parameterised,
    Value,
    parameter,
)
from loadtests.policies.policy import RetryPolicy

__all__ = ["NONE", "Family", "Fault", "Parameter", "Preset", "Value", "parameter"]


class Family(StrEnum):
    """Where presets stand in a list; the order is that of the list."""

    ARTICLES = "the articles"
    HTTP_CLIENTS = "HTTP clients"
    RETRY_LIBRARIES = "retry libraries"
    SDKS = "cloud SDKs"
    RPC = "RPC frameworks"
    MESHES = "proxies and meshes"
    BUDGETS = "budgets and throttles"
    BREAKERS = "breakers"
    HEDGING = "hedging"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the real library that matters in a storm, and the preset that has it not.

    `text` is a clause: without a capital, unless a name begins it, and without a full stop.
    """

    text: str
    sound: str


@dataclass(frozen=True)
class Preset(Parameterised):
    """The base of all presets. `retry_policy = preset("urllib3-2", total=3)` in a user class."""

    family: ClassVar[Family]
    summary: ClassVar[str]
    """One line."""
    source: ClassVar[str]
    """Repository and path, or document, with the version."""
    faults: ClassVar[tuple[Fault, ...]] = ()
    notes: ClassVar[tuple[str, ...]] = ()
    """What else to know: what is left out of the model, and what is not obvious."""
    compared_with: ClassVar[str] = ""
    """The package and version that a test drives beside it, as in ``urllib3 2.8.0``."""

    def build(self) -> RetryPolicy:
        """A new policy with its state as at the beginning."""
        raise NotImplementedError

    def describe(self) -> str:
        """The policy in words and formulas, for the report."""
        return self.build().describe()
