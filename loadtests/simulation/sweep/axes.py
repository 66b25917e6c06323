"""What a sweep varies: a field of the scenario, and the values that it takes in turn."""

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from loadtests.imports import printable
from loadtests.policy_names import overridden
from loadtests.scenario import ScenarioError
from loadtests.simulation.sweep.paths import POLICIES, Place, members_of, parameters_of, place_of
from loadtests.simulation.sweep.quantities import Quantity, in_one_unit, parse_quantity

AXIS_FORM = "PATH=LOW:HIGH:STEP or PATH=VALUE,VALUE, as in dip.for=1s:60s:1s"
MAX_VALUES = 10_000
MAX_CELLS = 1_000_000
MAX_TEXT = 200
Values = dict[str, object]
_TEXT = "text"


@dataclass(frozen=True, slots=True)
class Axis:
    """A field by its path, and its values as a scenario would have them as text.

    `field` is the same for two paths that lead to one thing: `load.rate` and `load.utilisation`.
    """

    path: str
    values: tuple[str, ...]
    field: str


def parse_axis(text: str, scenario_values: Mapping[str, object]) -> Axis:
    """The axis in a text such as ``dip.for=1s:60s:1s``, ends included, or ``load.rate=5/s,9/s``.

    Numbers are put in their order.
    Raises `ScenarioError`, naming the axis and what is allowed.
    """
    path, equals, rest = text.partition("=")
    path = path.strip()
    if not equals or not path:
        raise ScenarioError(f"{printable(text)[:MAX_TEXT]!r} is no axis: expected {AXIS_FORM}")
    place = place_of(path, scenario_values)
    try:
        values = _steps(rest) if rest.count(":") == 2 and "," not in rest else _listed(rest)
    except ValueError as error:
        raise ScenarioError(f"{path}: {error}") from None
    return Axis(path, values, place.field)


def check_axes(axes: Sequence[Axis], policies: int = 1) -> None:
    """Raises `ScenarioError` where two axes are of one field, or there are too many cells."""
    spelt: dict[str, Axis] = {}
    for axis in axes:
        if axis.field in spelt:
            if spelt[axis.field].path == axis.path:
                raise ScenarioError(f"{axis.path} is given twice: expected it once")
            raise ScenarioError(
                f"{spelt[axis.field].path} and {axis.path} are two spellings of one field: "
                "vary one of them"
            )
        spelt[axis.field] = axis
    cells = prod(len(axis.values) for axis in axes) * policies
    if cells > MAX_CELLS:
        names = ", ".join(f"{axis.path} {len(axis.values)}" for axis in axes)
        raise ScenarioError(
            f"{cells} cells are too many ({names}, policies {policies}): "
            f"expected at most {MAX_CELLS}"
        )


def _steps(text: str) -> tuple[str, ...]:
    """LOW, and so on by STEP while it is not above HIGH: exact, so that HIGH is met where it is."""
    quantities = [parse_quantity(part) for part in text.split(":")]
    kinds = {quantity.kind for quantity in quantities}
    if len(kinds) > 1:
        raise ValueError(f"{text}: units differ: {', '.join(q.kind for q in quantities)}")
    low, high, step = in_one_unit(quantities)
    if step.number <= 0:
        raise ValueError(f"{text}: a step of {step.text} leads nowhere: expected more than 0")
    if low.number > high.number:
        raise ValueError(f"{text}: empty: {low.text} is above {high.text}: expected LOW:HIGH:STEP")
    count = int((high.number - low.number) / step.number) + 1
    if count > MAX_VALUES:
        raise ValueError(f"{text}: {count} values are too many: expected at most {MAX_VALUES}")
    return tuple(Quantity(low.number + i * step.number, low.unit).text for i in range(count))


def _listed(text: str) -> tuple[str, ...]:
    values = [part.strip() for part in text.split(",")]
    if not all(values):
        raise ValueError(f"a value is empty: expected {AXIS_FORM}")
    if len(values) > MAX_VALUES:
        raise ValueError(f"{len(values)} values are too many: expected at most {MAX_VALUES}")
    if too_long := next((value for value in values if len(value) > MAX_TEXT), None):
        raise ValueError(f"{printable(too_long)[:32]}…: expected at most {MAX_TEXT} characters")
    sizes = Counter(map(_size, values))
    kinds = dict.fromkeys(kind for kind, _ in sizes if kind != _TEXT)
    if len(kinds) > 1:
        raise ValueError(f"{printable(text)[:MAX_TEXT]}: units differ: {', '.join(kinds)}")
    if twice := next((value for value in values if sizes[_size(value)] > 1), None):
        raise ValueError(f"{printable(twice)} stands twice")
    if any(kind == _TEXT for kind, _ in sizes):
        return tuple(values)
    return tuple(sorted(values, key=lambda value: parse_quantity(value).size))


def _size(text: str) -> tuple[str, object]:
    """What is measured, and how much: equal for ``1s`` and ``1000ms``."""
    try:
        quantity = parse_quantity(text)
    except ValueError:
        return _TEXT, text
    return quantity.kind, quantity.size


def vary(values: Mapping[str, object], settings: Mapping[str, object]) -> Values:
    """The scenario's values with these settings by their paths; `values` stays as it is.

    Raises `ScenarioError` for a path that leads nowhere. Whether the values can be is for the
    scenario to say.
    """
    varied = copy.deepcopy(dict(values))
    for path, value in settings.items():
        place = place_of(path, varied)
        known = as_value(value) if isinstance(value, str) else value
        if place.table == POLICIES:
            varied[POLICIES] = _varied_policies(varied, place.key, known)
        elif place.index is not None:
            members = members_of(varied, place.table)
            members[place.index] = _set(members[place.index], place, known)
            varied[place.table] = members
        elif place.table:
            table = varied.get(place.table, {})
            if isinstance(table, dict):  # what is no table is refused with the rest
                varied[place.table] = _set(table, place, known)
        else:
            varied[place.key] = known
    return varied


def as_value(text: str) -> object:
    """As TOML would have it: a whole number, a number, true or false; all else is text."""
    if text in {"true", "false"}:
        return text == "true"
    try:
        quantity = parse_quantity(text)
    except ValueError:
        return text
    if quantity.unit:
        return text
    return int(text) if "." not in text else float(text)


def _set(table: Values, place: Place, value: object) -> Values:
    kept = {key: known for key, known in table.items() if key not in place.instead_of}
    return {**kept, place.key: value}


def _varied_policies(values: Mapping[str, object], key: str, value: object) -> list[Values]:
    """Of those that have such a parameter; the others stay as they are."""
    return [
        overridden(policy, {key: value}) if key in parameters_of(policy) else policy
        for policy in members_of(values, POLICIES)
    ]
