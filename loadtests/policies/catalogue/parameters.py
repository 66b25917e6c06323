"""Parameters that are declared once: their bounds, their meaning and how text of them is read.

The fields of a `Parameterised` dataclass are made by `parameter`; their annotations say how text is
read, and their bounds are checked when one is made::

    @dataclass(frozen=True)
    class Urllib3(Preset):
        name = "urllib3-2"
        ...
        total: int | None = parameter(10, "retries of every kind", least=0, most=10_000)
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from types import UnionType
from typing import Any, ClassVar, Self, cast, get_args, get_type_hints

from aftershock_units import parse_duration_s
from loadtests.policies.units import duration

Value = bool | int | float | str | frozenset[int] | frozenset[str] | None
NONE = "none"
"""How no value at all, such as no limit, is written."""
EMPTY = '""'
"""How a text or a set with nothing in it is written."""
MOST_SHOWN = 60
"""Characters of a wrong value that its error shows."""
_BETWEEN = re.compile(r"[+,\s]+")
_STATUSES = re.compile(r"(?P<first>[0-9]{3})(?:[-–](?P<last>[0-9]{3}))?")


def parameter(
    default: Any,
    meaning: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """A parameter of a preset: what it means, and its bounds or its allowed words.

    Numbers need bounds. Names end in ``_s`` for seconds and in ``_share`` for a share of 1.
    """
    bounds = {"meaning": meaning, "least": least, "most": most, "choices": choices}
    return field(default=default, metadata=bounds)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as lists show it. `kind` is what is expected, in words."""

    name: str
    default: Value
    meaning: str
    kind: str


@dataclass(frozen=True)
class Parameterised:
    """Something with a name and parameters; one that exists has been checked."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        """Raises `ValueError`, naming the parameter and what is allowed."""
        for item in fields(self):
            _check(self.name, item, getattr(self, item.name), _types(type(self))[item.name])

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Self:
        """A preset with these parameters, by name, with or without their ``_s`` and ``_share``.

        Durations, shares and sets may be text. Raises `ValueError` as above.
        """
        known = {item.name: item for item in fields(cls)}
        short = {short_name(name): name for name in known}
        read: dict[str, Any] = {}
        for key, value in values.items():
            name = short.get(key, key)
            if name not in known:
                expected = ", ".join(short) or "no parameters"
                raise ValueError(
                    f"{cls.name} has no parameter {key[:MOST_SHOWN]!r}: expected {expected}"
                )
            read[name] = _read(cls.name, known[name], value, _types(cls)[name])
        return cls(**read)

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Its parameters in order."""
        types = _types(cls)
        return tuple(
            Parameter(
                item.name,
                cast("Value", item.default),
                item.metadata["meaning"],
                _expected(item, types[item.name]),
            )
            for item in fields(cls)
        )

    @property
    def changed(self) -> dict[str, Value]:
        """The parameters that differ from the defaults."""
        values = {item.name: (getattr(self, item.name), item.default) for item in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}


def short_name(name: str) -> str:
    """A parameter's name as it is typed: without its unit."""
    return name.removesuffix("_s").removesuffix("_share")


_TYPES: dict[type, dict[str, Any]] = {}


def _types(preset: type[Parameterised]) -> dict[str, Any]:
    """The annotations of a preset's fields, looked up once."""
    if preset not in _TYPES:
        _TYPES[preset] = get_type_hints(preset)
    return _TYPES[preset]


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _expected(item: "Field[Any]", type_: object) -> str:  # noqa: PLR0911 - one case a type
    """In words, what a parameter may be."""
    least, most, choices = (item.metadata[key] for key in ("least", "most", "choices"))
    none = f", or {NONE}" if type(None) in get_args(type_) else ""
    if choices:
        which = "any" if frozenset[str] in (type_, *get_args(type_)) else "one"
        return f"{which} of {', '.join(choices)}{none}"
    if type_ is bool:
        return "true or false"
    if frozenset[int] in (type_, *get_args(type_)):
        return f"HTTP statuses{none}"
    if frozenset[str] in (type_, *get_args(type_)):
        return f"a list of words{none}"
    if least is None:
        return f"text{none}"
    bounds = f"{_figure(least)} to {_figure(most)}"
    if item.name.endswith("_s"):
        return f"a duration, {duration(least)} to {duration(most)}{none}"
    if item.name.endswith("_share"):
        return f"a share, {least * 100:g}% to {most * 100:g}%{none}"
    whole = "a whole number" if int in (type_, *get_args(type_)) else "a number"
    return f"{whole}, {bounds}{none}"


def _wrong(preset: str, item: "Field[Any]", value: object, type_: object) -> ValueError:
    name = short_name(item.name)
    return ValueError(f"{preset}: {name} is {_shown(value)!r}: expected {_expected(item, type_)}")


def _shown(value: object) -> str:
    """The value in at most 60 characters."""
    try:
        members = sorted(map(str, value)) if isinstance(value, frozenset) else [str(value)]
    except ValueError:
        return "a number of thousands of digits"  # which Python does not write out
    return ",".join(members)[:MOST_SHOWN]


def _check(preset: str, item: "Field[Any]", value: object, type_: object) -> None:
    if not _allows(item, value, type_):
        raise _wrong(preset, item, value, type_)


def _allows(item: "Field[Any]", value: object, type_: object) -> bool:
    """Whether it is of the type, and within the bounds or one of the allowed words."""
    types = _kinds(type_)
    choices = item.metadata["choices"]
    if value is None:
        return type(None) in types
    if isinstance(value, frozenset):
        if frozenset[int] in types:
            return all(isinstance(member, int) and 100 <= member <= 599 for member in value)
        words = all(isinstance(member, str) and 0 < len(member) <= 64 for member in value)
        return frozenset[str] in types and words and (not choices or value <= set(choices))
    if isinstance(value, bool):
        return bool in types
    if isinstance(value, str):
        return str in types and (value in choices if choices else len(value) <= 200)
    return _is_number_of(types, value) and _is_within(item, value)


def _kinds(type_: object) -> tuple[object, ...]:
    """The types that an annotation allows: ``int | None`` is two."""
    return get_args(type_) if isinstance(type_, UnionType) else (type_,)


def _is_number_of(types: tuple[object, ...], value: object) -> bool:
    return (
        isinstance(value, int | float)
        if float in types
        else (int in types and isinstance(value, int))
    )


def _is_within(item: "Field[Any]", value: Any) -> bool:
    """Between the bounds, both of them finite: neither infinite nor not a number."""
    return bool(item.metadata["least"] <= value <= item.metadata["most"])


def _read(preset: str, item: "Field[Any]", value: object, type_: object) -> object:
    """The value of a parameter from what a file or a command line has for it."""
    wrong = _wrong(preset, item, value, type_)
    types = _kinds(type_)
    if value is None or value == NONE:
        return None
    if frozenset[int] in types or frozenset[str] in types:
        return _read_set(value, int if frozenset[int] in types else str, wrong)
    if bool in types:
        return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
    if str in types:
        return "" if value == EMPTY else value
    if isinstance(value, str):
        value = _number(item.name, value, wrong)
    if isinstance(value, bool) or not (isinstance(value, int | float) and _is_within(item, value)):
        raise wrong
    if float in types:
        return float(value)
    if value != int(value):
        raise wrong
    return int(value)


def _number(name: str, text: str, wrong: ValueError) -> float:
    """A number, with its unit where the parameter's name says that it has one."""
    readers: list[Callable[[str], float]] = [float]
    if name.endswith("_s"):
        readers.insert(0, _duration_s)
    if name.endswith("_share"):
        readers.insert(0, _share)
    for reader in readers:
        try:
            return reader(text)
        except ValueError:
            continue
    raise wrong


def _duration_s(text: str) -> float:
    """Also in minutes as we write them ourselves."""
    return parse_duration_s(text.removesuffix("in") if text.endswith("min") else text)


def _share(text: str) -> float:
    """In percent, of which there may be more than 100: a budget can allow two retries a request."""
    if not text.endswith("%"):
        raise ValueError(f"{text[:MOST_SHOWN]!r} is not a share")
    return float(text.removesuffix("%")) / 100


def _read_set(value: object, of: type, wrong: ValueError) -> frozenset[Any]:
    """Members from a list, or from text with `+`, commas or spaces between them."""
    if isinstance(value, str):
        items: object = [] if value == EMPTY else list(filter(None, _BETWEEN.split(value)))
    else:
        items = [value] if isinstance(value, int) else value
    if not isinstance(items, list | tuple | set | frozenset):
        raise wrong
    if of is str:
        if not all(isinstance(item, str) for item in items):
            raise wrong
        return frozenset(items)
    return frozenset(status for item in items for status in _statuses(item, wrong))


def _statuses(item: object, wrong: ValueError) -> Iterable[int]:
    """One status, or all from one to another: ``500-599``."""
    if isinstance(item, str) and (run := _STATUSES.fullmatch(item)):
        first, last = run["first"], run["last"]
        return range(int(first), int(last or first) + 1)
    if isinstance(item, float) and item.is_integer():
        item = int(item)
    if isinstance(item, bool) or not isinstance(item, int):
        raise wrong
    return (int(item),)
