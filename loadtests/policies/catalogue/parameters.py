"""Parameters that are declared once: their bounds, their meaning and how text of them is read.

The fields of a `Parameterised` dataclass are made by `parameter`; their annotations say how text is
read, and their bounds are checked when one is made::

    @dataclass(frozen=True)
    class Urllib3(Preset):
        name = "urllib3-2"
        ...
        total: int | None = parameter(10, "retries of every kind", least=0, most=10_000)
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Self, cast, get_args, get_type_hints

from aftershock_units import parse_duration_s, parse_share
from loadtests.policies.units import duration

Value = bool | int | float | str | frozenset[int] | frozenset[str] | None
NONE = "none"
"""How no value at all, such as no limit, is written."""


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
        short = {_short(name): name for name in known}
        read: dict[str, Any] = {}
        for key, value in values.items():
            name = short.get(key, key)
            if name not in known:
                expected = ", ".join(short) or "no parameters"
                raise ValueError(f"{cls.name} has no parameter {key!r}: expected {expected}")
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


def _short(name: str) -> str:
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
        return f"one of {', '.join(choices)}{none}"
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
    shown = ",".join(sorted(map(str, value))) if isinstance(value, frozenset) else str(value)
    name = _short(item.name)
    return ValueError(f"{preset}: {name} is {shown[:60]!r}: expected {_expected(item, type_)}")


def _check(preset: str, item: "Field[Any]", value: object, type_: object) -> None:
    wrong = _wrong(preset, item, value, type_)
    choices = item.metadata["choices"]
    if value is None:
        if type(None) not in get_args(type_):
            raise wrong
    elif isinstance(value, frozenset):
        statuses = all(isinstance(v, int) and 100 <= v <= 599 for v in value)
        words = all(isinstance(v, str) and 0 < len(v) <= 64 for v in value)
        allowed = not choices or value <= frozenset(choices)
        if not ((statuses or words) and allowed):
            raise wrong
    elif isinstance(value, str):
        if (choices and value not in choices) or len(value) > 200:
            raise wrong
    elif type_ is not bool:
        least, most = item.metadata["least"], item.metadata["most"]
        if not (isinstance(value, int | float) and math.isfinite(value) and least <= value <= most):
            raise wrong


def _read(preset: str, item: "Field[Any]", value: object, type_: object) -> object:  # noqa: C901, PLR0911 - one case a type
    """The value of a parameter from what a file or a command line has for it."""
    wrong = _wrong(preset, item, value, type_)
    types = (type_, *get_args(type_))
    if value is None or value == NONE:
        return None
    if frozenset[int] in types or frozenset[str] in types:
        return _read_set(value, int if frozenset[int] in types else str, wrong)
    if bool in types:
        if isinstance(value, bool):
            return value
        if value in ("true", "false"):
            return value == "true"
        raise wrong
    if str in types:
        return value if isinstance(value, str) else _raise(wrong)
    if isinstance(value, bool):
        raise wrong
    if isinstance(value, str):
        value = _number(item.name, value, wrong)
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise wrong
    if int in types and float not in types:
        return int(value) if value == int(value) else _raise(wrong)
    return float(value)


def _raise(error: ValueError) -> object:
    raise error


def _number(name: str, text: str, wrong: ValueError) -> float:
    """A number, with its unit where the parameter's name says that it has one."""
    readers: list[Callable[[str], float]] = [float]
    if name.endswith("_s"):
        readers.insert(0, parse_duration_s)
    if name.endswith("_share"):
        readers.insert(0, parse_share)
    for reader in readers:
        try:
            return reader(text)
        except ValueError:
            continue
    raise wrong


def _read_set(value: object, of: type, wrong: ValueError) -> frozenset[Any]:
    """Members from a list, or from text with `+` or spaces between them."""
    items = value.replace("+", " ").split() if isinstance(value, str) else value
    if isinstance(items, int) and not isinstance(items, bool):
        items = [items]
    if not isinstance(items, list | tuple | set | frozenset):
        raise wrong
    try:
        return frozenset(of(member) for member in items)
    except (TypeError, ValueError):
        raise wrong from None
