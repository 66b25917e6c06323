"""Where in a scenario's values a path such as ``dip.for`` leads."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from loadtests.imports import printable
from loadtests.policies import PRESETS
from loadtests.policies.catalogue.parameters import short_name
from loadtests.scenario import (
    ActionChoice,
    DipChoice,
    FaultChoice,
    Load,
    PolicyChoice,
    Scenario,
    ScenarioError,
    Simulation,
    SpikeChoice,
    Target,
)

_TOP = ("warm_up", "observation")
_TABLES: Mapping[str, type[BaseModel]] = {"load": Load, "target": Target, "simulation": Simulation}
_LISTS: Mapping[str, type[BaseModel]] = {
    "dips": DipChoice,
    "faults": FaultChoice,
    "spikes": SpikeChoice,
    "actions": ActionChoice,
}
ONE_OF = {"dip": "dips", "fault": "faults", "spike": "spikes", "action": "actions"}
"""The name by which the only member of a table can be called."""
POLICIES = "policies"
_OF_EVERY_POLICY = ("scope", "clients", "processes")
_NOT_VARIED = {"lanes", "path"}
_INSTEAD: Mapping[str, tuple[str, ...]] = {
    "load": ("rate", "utilisation"),
    "target": ("capacity", "workers"),
    "dips": ("capacity", "workers", "service_time"),
}
"""Keys that say the same thing in other words: one takes the place of the others."""


@dataclass(frozen=True, slots=True)
class Place:
    """A key of one table of a scenario: of `table`, of its member `index`, or of no table.

    In the table `policies` it is that of every policy that has such a parameter.
    """

    table: str
    index: int | None
    key: str

    @property
    def instead_of(self) -> tuple[str, ...]:
        """The other keys whose place it takes."""
        others = _INSTEAD.get(self.table, ())
        return tuple(key for key in others if key != self.key) if self.key in others else ()

    @property
    def field(self) -> str:
        """The same for all spellings of what can be said only once."""
        key = _INSTEAD[self.table][0] if self.instead_of else self.key
        where = [self.table, "" if self.index is None else str(self.index), key]
        return ".".join(part for part in where if part)


def place_of(path: str, values: Mapping[str, object]) -> Place:
    """Where `path` leads in a scenario of these values.

    Raises `ScenarioError`, naming the fields there are.
    """
    table, _, key = path.rpartition(".")
    head, _, number = table.partition(".")
    if not table and key in _TOP:
        return Place("", None, key)
    if head in _TABLES and not number:
        return Place(head, None, _known(path, table, key, _keys(_TABLES[head])))
    if head in _LISTS or head in ONE_OF:
        return _in_list(path, head, number, key, values)
    if table == "policy":
        return Place(POLICIES, None, _known(path, table, key, _parameters(values)))
    raise ScenarioError(_no_such(path, [*_TOP, *_all_fields(values)], _OVERVIEW))


_OVERVIEW = (
    f"expected {', '.join(_TOP)} or a key of {', '.join(_TABLES)}, dip, fault, spike, action "
    "or policy, as in dip.for"
)


def _in_list(path: str, head: str, number: str, key: str, values: Mapping[str, object]) -> Place:
    """``dip`` is the only dip; of several each is named by its number, as in ``dips.0``."""
    table = ONE_OF.get(head, head)
    members = members_of(values, table)
    one = {name: singular for singular, name in ONE_OF.items()}[table]
    if not members:
        raise ScenarioError(f"{printable(path)}: the scenario has no {table}")
    if head in ONE_OF and not number:
        if len(members) > 1:
            first, last = (f"{table}.{i}.{printable(key)}" for i in (0, len(members) - 1))
            raise ScenarioError(
                f"{printable(path)}: the scenario has {len(members)} {table}: "
                f"expected {first} to {last}"
            )
        return Place(table, 0, _known(path, one, key, _keys(_LISTS[table])))
    if head not in _LISTS or not (number.isdecimal() and len(number) < 4):
        raise ScenarioError(f"{printable(path)}: expected {one}.KEY or {table}.NUMBER.KEY")
    if int(number) >= len(members):
        raise ScenarioError(
            f"{printable(path)}: the numbers of the scenario's {table} are 0 to {len(members) - 1}"
        )
    return Place(table, int(number), _known(path, f"{table}.{number}", key, _keys(_LISTS[table])))


def members_of(values: Mapping[str, object], table: str) -> list[dict[str, object]]:
    """The members of a list of tables, with the one dip that a scenario has without saying.

    What is no list of tables is left for the scenario to refuse.
    """
    if table == "dips" and not {"dips", "faults", "spikes"} & values.keys():
        return [{}]
    if table == POLICIES and table not in values:
        return [{"name": choice.name} for choice in Scenario().policies]
    listed = values.get(table)
    if not isinstance(listed, list | tuple):
        return []
    return [dict(member) for member in listed if isinstance(member, dict)]


def parameters_of(policy: Mapping[str, object]) -> tuple[str, ...]:
    """What can be varied of one policy of a scenario: of one's own code, what it is given there."""
    choice = PolicyChoice.model_validate(policy)
    preset = PRESETS.get(choice.name)
    if preset is None:
        return (*_OF_EVERY_POLICY, *(choice.model_extra or {}))
    return (*_OF_EVERY_POLICY, *(short_name(item.name) for item in preset.parameters()))


def _parameters(values: Mapping[str, object]) -> list[str]:
    """Those that any of the policies has; a policy that cannot be is refused elsewhere."""
    found: dict[str, None] = {}
    for policy in members_of(values, POLICIES):
        try:
            found.update(dict.fromkeys(parameters_of(policy)))
        except ValueError:
            continue
    return list(found)


def _keys(model: type[BaseModel]) -> list[str]:
    names = [field.alias or name for name, field in model.model_fields.items()]
    return [name for name in names if name not in _NOT_VARIED]


def _all_fields(values: Mapping[str, object]) -> list[str]:
    lists = {one: _LISTS[table] for one, table in ONE_OF.items()}
    fields = [
        f"{name}.{key}" for name, model in {**_TABLES, **lists}.items() for key in _keys(model)
    ]
    return [*fields, *(f"policy.{key}" for key in _parameters(values))]


def _known(path: str, table: str, key: str, keys: Sequence[str]) -> str:
    if key not in keys:
        fields = [f"{table}.{known}" for known in keys]
        raise ScenarioError(_no_such(path, fields, f"expected {', '.join(fields)}"))
    return key


def _no_such(path: str, fields: Sequence[str], expected: str) -> str:
    close = difflib.get_close_matches(path, fields, n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    return f"{printable(path)}: there is no such field{meant}: {expected}"
