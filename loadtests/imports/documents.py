"""JSON and YAML as plain values, bounded in depth and size.

YAML is read from its events, so that nothing is built beyond the bounds, no tag makes an object,
and an anchor that is used over and over counts each time. Both refuse a key that stands twice.
"""

import json
import math
from collections.abc import Iterator

import yaml

from loadtests.imports.errors import PolicyFileError, shown

MAX_DEPTH = 64
MAX_VALUES = 100_000
_MAX_NUMBER = 64
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "map", "seq")
)


class _RefusedError(Exception):
    """What is wrong, before it is known in which file."""


def read_json(file: str, text: str) -> object:
    """The value of a JSON text. Raises `PolicyFileError`."""
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise PolicyFileError(file, where, f"not JSON: {error.msg}") from None
    except RecursionError:
        raise PolicyFileError(file, "", f"nested deeper than {MAX_DEPTH} levels") from None
    except (_RefusedError, ValueError) as error:  # a number of too many digits is a ValueError
        raise PolicyFileError(file, "", str(error).partition(";")[0]) from None
    _check_size(file, value)
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _RefusedError(f"the key {shown(key)} stands twice in one object")
        found[key] = value
    return found


def _constant(name: str) -> object:
    raise _RefusedError(f"{name} is no JSON")


def _check_size(file: str, value: object) -> None:
    """By levels, so that no depth of nesting can exhaust the stack."""
    level, count = [value], 0
    for _ in range(MAX_DEPTH):
        count += len(level)
        if count > MAX_VALUES:
            raise PolicyFileError(file, "", f"more than {MAX_VALUES} values")
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise PolicyFileError(file, "", f"nested deeper than {MAX_DEPTH} levels")


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def read_yaml(file: str, text: str) -> list[object]:
    """The values of a YAML text's documents; empty ones are left out. Raises `PolicyFileError`."""
    try:
        documents = list(_Builder(text).documents())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = (error.problem or str(error)).split("\n")[0]
        raise PolicyFileError(file, where, f"not YAML: {problem[:120]}") from None
    except yaml.YAMLError as error:
        problem = str(error).split("\n")[0]
        raise PolicyFileError(file, "", f"not YAML: {problem[:120]}") from None
    except _RefusedError as error:
        raise PolicyFileError(file, "", str(error)) from None
    return [document for document in documents if document is not None]


class _Builder:
    """Plain values from the events of a YAML text."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_LOADER)
        self._loader = yaml.SafeLoader("")  # for what plain scalars mean
        self._anchors: dict[str, tuple[object, int]] = {}
        self._count = 0

    def documents(self) -> Iterator[object]:
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors.clear()
                yield self._value(next(self._events), 1)

    def _value(self, event: yaml.Event, depth: int) -> object:
        """The value that begins with `event`."""
        if depth > MAX_DEPTH:
            raise _RefusedError(f"{_line(event)}nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        before = self._count
        self._counted(event, 1)
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!" and tag not in _PLAIN_TAGS:
            raise _RefusedError(f"{_line(event)}the tag {shown(tag)} is not allowed")
        value: object
        if isinstance(event, yaml.MappingStartEvent):
            value = self._mapping(depth)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._sequence(depth)
        else:
            assert isinstance(event, yaml.ScalarEvent)  # noqa: S101 - the only kind left
            value = self._scalar(event)
        if anchor := getattr(event, "anchor", None):
            self._anchors[anchor] = value, self._count - before
        return value

    def _counted(self, event: yaml.Event, values: int) -> None:
        self._count += values
        if self._count > MAX_VALUES:
            raise _RefusedError(f"{_line(event)}more than {MAX_VALUES} values")

    def _alias(self, event: yaml.AliasEvent) -> object:
        anchor = event.anchor or ""
        if anchor not in self._anchors:
            raise _RefusedError(f"{_line(event)}nothing is called {shown('&' + anchor)}")
        value, size = self._anchors[anchor]
        self._counted(event, size)
        return value

    def _sequence(self, depth: int) -> list[object]:
        items: list[object] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value(event, depth + 1))
        return items

    def _mapping(self, depth: int) -> dict[str, object]:
        own: dict[str, object] = {}
        merged: dict[str, object] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise _RefusedError(f"{_line(event)}expected a word as a key")
            self._counted(event, 1)
            if event.anchor:
                self._anchors[event.anchor] = event.value, 1
            value = self._value(next(self._events), depth + 1)
            if event.value == "<<" and event.implicit[0]:
                merged = {**self._merged(event, value), **merged}
            elif event.value in own:
                raise _RefusedError(f"{_line(event)}the key {shown(event.value)} stands twice")
            else:
                own[event.value] = value
        return {**merged, **own}

    def _merged(self, event: yaml.Event, value: object) -> dict[str, object]:
        """What a merge key brings in; the first of several mappings wins."""
        found: dict[str, object] = {}
        for part in reversed(value if isinstance(value, list) else [value]):
            if not isinstance(part, dict):
                raise _RefusedError(f"{_line(event)}expected a mapping after the merge key <<")
            found.update(part)
        return found

    def _scalar(self, event: yaml.ScalarEvent) -> object:
        """What a plain scalar means; a quoted one is text, and so is a date."""
        tag = event.tag
        if tag is None:
            if not event.implicit[0]:
                return event.value
            tag = self._meaning(event.value)
        kind = tag.rpartition(":")[2]
        if kind not in ("int", "float", "bool", "null"):
            return event.value
        try:
            return self._of_kind(kind, event.value)
        except (ValueError, KeyError, IndexError, OverflowError):
            raise _RefusedError(f"{_line(event)}{shown(event.value)} is no {kind}") from None

    def _meaning(self, text: str) -> str:
        """The tag that YAML gives to a plain scalar."""
        tag: str = self._loader.resolve(  # type: ignore[no-untyped-call]  # the stubs leave it out
            yaml.ScalarNode, text, (True, False)
        )
        return tag

    def _of_kind(self, kind: str, text: str) -> object:
        if kind == "null":
            return None
        if kind == "bool":
            return {"true": True, "yes": True, "on": True, "false": False, "no": False,
                    "off": False}[text.lower()]  # fmt: skip
        if len(text) > _MAX_NUMBER:
            raise ValueError(text)
        node = yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", text)
        if kind == "int":
            return int(self._loader.construct_yaml_int(node))
        number = float(self._loader.construct_yaml_float(node))
        if not math.isfinite(number):
            raise ValueError(text)
        return number


def _line(event: yaml.Event) -> str:
    return f"line {event.start_mark.line + 1}: " if event.start_mark else ""
