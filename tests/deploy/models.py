"""Whether an object of the SDK's is what its type hints say: the models themselves do not check."""

import types
import typing
from collections.abc import Iterable, Iterator
from enum import Enum


def wrong(value: object, hint: object, path: str = "$") -> Iterator[str]:
    """Every place below `value` whose type is not the hint's, as a sentence."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        yield from _union(value, parts, path)
    elif origin is list and isinstance(value, list):
        yield from _within(((f"[{at}]", each) for at, each in enumerate(value)), parts[0], path)
    elif origin is dict and isinstance(value, dict):
        yield from _within(((f"[{at}]", each) for at, each in value.items()), parts[1], path)
    elif not _is(value, hint):
        yield f"{path}: {value!r} is not of {hint}"
    elif type(value).__module__.startswith("grafana_foundation_sdk"):
        for name, inner in typing.get_type_hints(type(value)).items():
            yield from wrong(getattr(value, name), inner, f"{path}.{name}")


def _union(value: object, hints: tuple[object, ...], path: str) -> Iterator[str]:
    """None is told from the rest at once, so that what is said of the rest is about its parts."""
    if value is None and types.NoneType in hints:
        return
    found = [list(wrong(value, hint, path)) for hint in hints if hint is not types.NoneType]
    if all(found):
        yield from found[0]


def _within(entries: Iterable[tuple[str, object]], hint: object, path: str) -> Iterator[str]:
    for place, each in entries:
        yield from wrong(each, hint, path + place)


def _is(value: object, hint: object) -> bool:
    """Whether a value is of a hint without parts. An enumeration's value stands for its member."""
    if typing.get_origin(hint) is typing.Literal:
        return value in typing.get_args(hint)
    if not isinstance(hint, type):
        return False
    if issubclass(hint, Enum):
        return value in [member.value for member in hint]
    if hint in {int, float}:
        numbers = (int, float) if hint is float else int
        return isinstance(value, numbers) and not isinstance(value, bool)
    return isinstance(value, hint)
