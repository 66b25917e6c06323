"""Policies by what people call them: a preset, or code of their own as ``package.module:factory``.

Text names a preset with parameters after a colon: ``urllib3-2:total=3,backoff_factor=100ms``.
"""

import importlib
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from loadtests.policies import PRESETS, RetryPolicy, preset

MAX_LANE = 64
"""Characters in the name of a lane."""
_FACTORY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Described(Protocol):
    """What loads a lane. Can be hashed."""

    @property
    def name(self) -> str:
        """What it is called in tables, and its lane unless said otherwise."""
        ...

    def describe(self) -> str:
        """In words and formulas."""
        ...


class PolicySource(Described, Protocol):
    """Where policies come from. Equal ones build equal policies."""

    def build(self) -> RetryPolicy:
        """A new policy with its state as at the beginning."""
        ...


@dataclass(frozen=True, slots=True)
class OwnPolicy:
    """A policy from code: `factory` of `module` is called with the parameters for each new one."""

    name: str
    parameters: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        """Raises `ValueError` when it cannot be imported, called, or is no policy."""
        policy = self.build()
        for method in ("begin", "describe"):
            if not callable(getattr(policy, method, None)):
                raise ValueError(
                    f"{self.name} made a {type(policy).__name__}, which has no method `{method}`: "
                    "expected a RetryPolicy (loadtests/policies/policy.py)"
                )

    def build(self) -> RetryPolicy:
        """Call the factory. Raises `ValueError` with what it raised."""
        module_name, _, attribute = self.name.partition(":")
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.append(here)  # as Python does for `-m`: the user's module is where they are
        try:
            factory = getattr(importlib.import_module(module_name), attribute)
            made: RetryPolicy = factory(**dict(self.parameters))
        except Exception as error:
            raise ValueError(f"{self.name}: {type(error).__name__}: {error}") from error
        return made

    def describe(self) -> str:
        """As it says itself."""
        return self.build().describe()


def policy_of(name: str, parameters: Mapping[str, object]) -> PolicySource:
    """The policy of that name. Raises `ValueError`, naming what is wrong and what is allowed."""
    if _FACTORY.fullmatch(name) and name not in PRESETS:
        return OwnPolicy(name, tuple(sorted(parameters.items())))
    return preset(name, **parameters)


def parse_policy(text: str) -> tuple[str, dict[str, object]]:
    """Name and parameters in ``name:key=value,key=value``. Raises `ValueError`."""
    name, colon, rest = text.partition(":")
    if not colon or _FACTORY.fullmatch(text):
        return text, {}
    parameters: dict[str, object] = {}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"{text!r}: expected NAME:parameter=value,parameter=value")
        parameters[key.strip()] = value.strip()
    return name, parameters


def policy_table(text: str) -> dict[str, object]:
    """What a scenario's `[[policies]]` has for this text; what has parameters is a lane of its own.

    Raises `ValueError` as `parse_policy`.
    """
    name, parameters = parse_policy(text)
    return {"name": name, **parameters, **({"lane": text[:MAX_LANE]} if parameters else {})}
