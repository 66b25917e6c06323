"""Policies by what people call them: a preset, a configuration file, or code of their own.

Text names a preset with parameters after a colon, ``urllib3-2:total=3,backoff_factor=100ms``; a
file, ``service_config.json`` or ``envoy.yaml#orders``; or code, ``package.module:factory``.
"""

import importlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from loadtests.imports import (
    Imported,
    import_policy,
    looks_like_file,
    printable,
    split_select,
)
from loadtests.policies import PRESETS, Preset, RetryPolicy, preset
from loadtests.policies.catalogue.parameters import short_name

MAX_LANE = 64
"""Characters in the name of a lane."""
_FACTORY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_FACTORY_CALL = re.compile(rf"(?P<name>{_FACTORY.pattern}):(?P<rest>[^:].*)")
_KEY_VALUE = r"\s*[a-z]\w*\s*=[^,]*"
_WITH_PARAMETERS = re.compile(rf"(?P<name>[^:]*(?::[^:=,]*)*?):{_KEY_VALUE}(?:,{_KEY_VALUE})*")
"""A file's name may have colons of its own: what stands after one is a parameter if ``k=v``."""


class Described(Protocol):
    """What loads a lane. Can be hashed."""

    def __hash__(self) -> int: ...

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
    """A policy from code: `factory` of `module` is called with the parameters for each new one.

    The parameters are kept as JSON, so that it can be hashed whatever they are.
    """

    name: str
    parameters: str = "{}"

    def __post_init__(self) -> None:
        """Raises `ValueError` when it cannot be imported, called, or is no policy."""
        policy = self.build()
        for method in ("begin", "describe"):
            if not callable(getattr(policy, method, None)):
                raise ValueError(
                    f"{self.name} made a {type(policy).__name__}, which has no method `{method}`: "
                    "expected a RetryPolicy (loadtests/policies/policy.py)"
                )
        try:
            described: object = policy.describe()
        except Exception as error:
            raise ValueError(f"{self.name}: describe: {type(error).__name__}: {error}") from error
        if not isinstance(described, str):
            raise ValueError(f"{self.name}: describe answers {described!r}: expected text")

    def build(self) -> RetryPolicy:
        """Call the factory. Raises `ValueError` with what it raised."""
        module_name, _, attribute = self.name.partition(":")
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.append(here)  # as Python does for `-m`: the user's module is where they are
        try:
            factory = getattr(importlib.import_module(module_name), attribute)
            made: RetryPolicy = factory(**json.loads(self.parameters))
        except (Exception, SystemExit) as error:
            raise ValueError(f"{self.name}: {type(error).__name__}: {error}") from error
        return made

    def describe(self) -> str:
        """As it says itself."""
        return self.build().describe()


@dataclass(frozen=True, slots=True)
class FilePolicy:
    """A preset with the parameters that a file has, called as the file is."""

    name: str
    preset: Preset

    def build(self) -> RetryPolicy:
        """As the preset does."""
        return self.preset.build()

    def describe(self) -> str:
        """As the preset does."""
        return self.preset.describe()


def policy_file(path: str | Path, select: str | None = None) -> FilePolicy:
    """The policy of a configuration file: of a service config, an Envoy route and the like.

    `select` chooses where it holds several, as ``FILE#NAME`` does. Raises `ValueError`, naming the
    place in the file and what was expected there.
    """
    file, own = split_select(str(path))
    imported = import_policy(file, select or own, os.environ)
    return FilePolicy(lane_of(imported), imported.preset())


def imported_policy(name: str) -> Imported | None:
    """What the file of that name has; None where the name means no file. Raises as above."""
    if not is_policy_file(name):
        return None
    file, select = split_select(name)
    return import_policy(file, select, os.environ)


def file_remarks(name: str) -> list[str]:
    """What to say of the file of that name: what was left out, and what was read otherwise."""
    imported = imported_policy(name)
    if imported is None:
        return []
    file = printable(name)
    left_out = [f"{file}: left out {item.path}: {item.why}" for item in imported.ignored]
    return left_out + [f"{file}: {note}" for note in imported.notes]


def is_policy_file(name: str) -> bool:
    """Whether a name, without parameters, means a configuration file."""
    if name.partition(":")[0] in PRESETS or _FACTORY.fullmatch(name):
        return False
    return looks_like_file(name)


def lane_of(imported: Imported) -> str:
    """The file's name as a lane's: printable ASCII, and not too long."""
    return as_lane(imported.name) or imported.preset_name


def overridden(parameters: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """`parameters` with one's own in their place, with or without their ``_s`` and ``_share``."""
    kept = {
        name: value
        for name, value in parameters.items()
        if name not in own and short_name(name) not in own
    }
    return {**kept, **own}


def policy_of(name: str, parameters: Mapping[str, object]) -> PolicySource:
    """The preset or the factory of that name.

    Raises `ValueError`, naming what is wrong and what is allowed.
    """
    if _FACTORY.fullmatch(name) and name not in PRESETS:
        return OwnPolicy(name, _as_json(name, parameters))
    return preset(name, **parameters)


def _as_json(name: str, parameters: Mapping[str, object]) -> str:
    try:
        return json.dumps(dict(parameters), sort_keys=True)
    except (TypeError, RecursionError) as error:
        raise ValueError(
            f"{name}: {error}: expected text, numbers, true, false, and lists and tables of these"
        ) from None


def parse_policy(text: str) -> tuple[str, dict[str, object]]:
    """Name and parameters in ``name:key=value,key=value``. Raises `ValueError`.

    A factory gets numbers, true and false as such, and all else as text; a preset reads its own.
    """
    name, colon, rest = text.partition(":")
    match = _WITH_PARAMETERS.fullmatch(text)
    call = _FACTORY_CALL.fullmatch(text)
    if call:
        name, rest = call["name"], call["rest"]
    elif match and is_policy_file(match["name"]):
        name, rest = match["name"], text[len(match["name"]) + 1 :]
    elif not colon or _FACTORY.fullmatch(text) or is_policy_file(text):
        return text, {}
    parameters: dict[str, object] = {}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"{text!r}: expected NAME:parameter=value,parameter=value")
        if key.strip() in parameters:
            raise ValueError(f"{text!r}: {key.strip()} stands twice")
        parameters[key.strip()] = _literal(value.strip()) if call else value.strip()
    return name, parameters


def _literal(text: str) -> object:
    """As JSON reads it, where that is a number or a truth value."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int | float) else text


def policy_table(text: str) -> dict[str, object]:
    """What a scenario's `[[policies]]` has for this text; what has parameters is a lane of its own.

    Raises `ValueError` as `parse_policy`.
    """
    name, parameters = parse_policy(text)
    if "name" in parameters:
        raise ValueError(f"{text!r}: name is no parameter")
    lane = {"lane": as_lane(text)} if parameters else {}
    return {**lane, "name": name, **parameters, **_numbers_of_the_table(parameters)}


def _numbers_of_the_table(parameters: Mapping[str, object]) -> dict[str, int]:
    """What a scenario has as numbers. Those of a policy are read by it; what is none is told."""
    said = {name: str(parameters.get(name, "")) for name in ("clients", "processes")}
    return {name: int(text) for name, text in said.items() if text.isascii() and text.isdigit()}


def as_lane(text: str) -> str:
    """Text as a lane's name: printable ASCII, cut in the middle, since variants end differently."""
    plain = "".join(c if " " <= c <= "~" else "_" for c in text).strip()
    return plain if len(plain) <= MAX_LANE else f"{plain[:28]}..{plain[30 - MAX_LANE :]}"
