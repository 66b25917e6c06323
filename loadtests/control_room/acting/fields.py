"""The fields of a body in JSON, each of the type that it must have."""

import json
from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

from aftershock_units import parse_named

Value = TypeVar("Value")
Lanes = tuple[str, ...] | None
"""Names of lanes; None: all of them."""


class AskedError(ValueError):
    """What is asked makes no sense; `field` is where, if it is in one."""

    def __init__(self, sentence: str, field: str | None = None) -> None:
        super().__init__(sentence)
        self.field = field


class Fields:
    """The fields of one body; null is as if not there. What is wrong raises, naming the field."""

    def __init__(self, values: Mapping[str, object], allowed: tuple[str, ...]) -> None:
        """Raises where there are others than `allowed`."""
        self._values = {name: value for name, value in values.items() if value is not None}
        for name in values:
            if name not in allowed:
                raise AskedError(
                    f"{name[:32]!r}: there is no such field here; there are {', '.join(allowed)}",
                    name[:32],
                )

    def text(self, name: str) -> str | None:
        """What is there as text."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            self._wrong(name, 'text, as in "2s"')
        return value

    def needed(self, name: str, example: str) -> str:
        """The text, which must be there."""
        value = self.text(name)
        if value is None:
            raise AskedError(f"{name}: it is needed, as in {example}", name)
        return value

    def read(self, name: str, parse: Callable[[str], Value]) -> Value | None:
        """What `parse` makes of the text. Its `ValueError` is raised with the field's name."""
        text = self.text(name)
        return None if text is None else parse_named(name, parse, text)

    def whole(self, name: str) -> int | None:
        """A whole number."""
        value = self._values.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            self._wrong(name, "a whole number")
        return value

    def lanes(self) -> Lanes:
        """The names of lanes; None: all of them."""
        value = self._values.get("lanes")
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            self._wrong("lanes", "null for every lane, or a list of names")
        return tuple(value)

    def _wrong(self, name: str, expected: str) -> NoReturn:
        shown = json.dumps(self._values[name])[:32]
        raise AskedError(f"{name}: expected {expected}, not {shown}", name)


def read_object(body: bytes) -> dict[str, object]:
    """The object in JSON text. Raises `AskedError` for whatever else, however deep."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise AskedError("the body is not JSON") from None
    if not isinstance(value, dict):
        raise AskedError("the body is not a JSON object")
    return value
