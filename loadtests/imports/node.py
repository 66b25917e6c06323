"""A place in a file: a value with its path, that remembers which of its fields were read."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from loadtests.imports.errors import PolicyFileError, shown, step
from loadtests.imports.imported import Ignored

MOST_INT = 2**31 - 1
"""A bound that is the program's integers' own, and nothing to tell a reader."""
MOST_S = 86_400.0
"""The longest that a preset's durations may be."""
UNKNOWN = "not a field that is known here"


class Node:
    """A value of a file. What is asked of it raises `PolicyFileError` where it is not so.

    Fields that nobody asked for are what `unread` lists, so that none is passed over silently.
    """

    __slots__ = ("_opened", "file", "path", "value")

    def __init__(self, file: str, path: str, value: object) -> None:
        """`path` is where the value stands; empty for the file's whole content."""
        self.file = file
        self.path = path
        self.value = value
        self._opened: dict[str, Node] = {}

    def wrong(self, expected: str) -> PolicyFileError:
        """This value is not what was expected here."""
        return self.error(f"found {shown(self.value)}: expected {expected}")

    def error(self, problem: str) -> PolicyFileError:
        """Something is wrong here."""
        return PolicyFileError(self.file, self.path, problem)

    def fields(self) -> dict[str, object]:
        """The value as a mapping."""
        if not isinstance(self.value, dict):
            raise self.wrong("a mapping")
        return self.value

    def get(self, *names: str) -> "Node | None":
        """The field of the first of these names that is there and not null."""
        fields = self.fields()
        for name in names:
            if fields.get(name) is not None:
                return self._open(name)
            if name in fields:
                self._opened[name] = Node(self.file, step(self.path, name), None)
        return None

    def need(self, name: str, expected: str) -> "Node":
        """The field of that name, which must be there."""
        found = self.get(name)
        if found is None:
            raise PolicyFileError(
                self.file, step(self.path, name), f"there is none: expected {expected}"
            )
        return found

    def _open(self, name: str) -> "Node":
        if name not in self._opened:
            self._opened[name] = Node(self.file, step(self.path, name), self.fields()[name])
        return self._opened[name]

    def children(self) -> "Iterator[tuple[str, Node]]":
        """Every field, by name."""
        for name in self.fields():
            yield name, self._open(name)

    def items(self) -> "list[Node]":
        """The members of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return [
            Node(self.file, step(self.path, index), item) for index, item in enumerate(self.value)
        ]

    def text(self) -> str:
        """Text; a number that stands where text is meant, such as ``503``, is one too."""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return shown(self.value)
        if not isinstance(self.value, str):
            raise self.wrong("text")
        return self.value

    def between_commas(self) -> list[str]:
        """The parts of a text with commas between them."""
        return [part for part in map(str.strip, self.text().split(",")) if part]

    def word(self, *allowed: str) -> str:
        """One of these words."""
        if not isinstance(self.value, str) or self.value not in allowed:
            raise self.wrong(f"one of {', '.join(allowed)}")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if self.value in ("true", "false"):
            return self.value == "true"
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def whole(self, least: float, most: float) -> int:
        """A whole number; text that is one is taken, as these formats do."""
        number = self.number(least, most, "a whole number")
        if number != int(number):
            raise self.wrong("a whole number")
        return int(number)

    def number(self, least: float, most: float, kind: str = "a number") -> float:
        """A number within these bounds."""
        most_said = "or more" if most >= MOST_INT else f"to {most:.10g}"
        expected = f"{kind}, {least:g} {most_said}"
        value = self.value
        if isinstance(value, str) and len(value) <= 40:
            try:
                value = float(value)
            except ValueError:
                raise self.wrong(expected) from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(expected)
        if not (least <= value <= most) or not math.isfinite(value):
            raise self.wrong(expected)
        return float(value)

    def seconds(
        self,
        parse: Callable[[str], float],
        least_s: float = 0.0,
        most_s: float = MOST_S,
        *,
        above_zero: bool = False,
    ) -> float:
        """A duration within these bounds, in the syntax that `parse` reads."""
        seconds = self._parsed(parse)
        if above_zero and seconds <= 0:
            raise self.wrong("a duration above 0")
        if not least_s <= seconds <= most_s:
            raise self.wrong(f"a duration, {least_s:g}s to {most_s:g}s")
        return seconds

    def seconds_or_none(
        self, parse: Callable[[str], float], least_s: float = 0.0, most_s: float = MOST_S
    ) -> float | None:
        """A duration as above, where 0 means that there is none."""
        return self.seconds(parse, least_s, most_s) if self._parsed(parse) else None

    def _parsed(self, parse: Callable[[str], float]) -> float:
        text = self.text()
        try:
            return parse(text)
        except ValueError as error:
            raise self.wrong(str(error)) from None

    def unread(self, why: Mapping[str, str] | None = None) -> Iterator[Ignored]:
        """The fields here and in what was opened that nobody read; `why` has reasons by name."""
        if not isinstance(self.value, dict):
            return
        reasons = why or {}
        for name in self.value:
            if name in self._opened:
                yield from self._opened[name].unread(why)
            else:
                yield Ignored(step(self.path, name), reasons.get(name, UNKNOWN))


def read_all(node: Node, names: Iterable[str]) -> None:
    """Mark fields as read that say only which policy it is, such as a name."""
    for name in names:
        node.get(name)
