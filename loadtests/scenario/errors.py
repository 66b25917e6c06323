"""What is wrong with a scenario, in words."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from loadtests.imports import printable

_WRITTEN = {"layer_policies": "layers"}
"""Fields that a scenario calls otherwise than we do."""

_TEXTS = {
    "path": 'a path without blanks, as in "/work"',
    "lane": "printable ASCII characters, with no blank at either end",
    "name": "1 to 80 printable ASCII characters",
}
"""What the fields must be that have a pattern."""

_SAID = {
    "missing": "is needed",
    "string_type": "expected text",
    "bool_type": "expected true or false",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_parsing_size": "expected a whole number of fewer digits",
    "finite_number": "expected a number that is finite",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "tuple_type": "expected a list",
    "model_type": "expected a table",
    "string_too_long": "expected at most {max_length} characters",
    "too_long": "expected at most {max_length} of them",
    "too_short": "expected at least {min_length} of them",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than_equal": "expected at most {le}",
    "enum": "expected {expected}",
    "literal_error": "expected {expected}",
}
"""Our words for what pydantic finds, by its names for it."""


class ScenarioError(ValueError):
    """The scenario cannot be used; the message names each field and what is allowed there."""


def in_words(error: ValidationError, model: type[BaseModel]) -> str:
    """One line a mistake in the values of `model`: where it is, and what is allowed there."""
    lines = []
    details = error.errors(include_url=False, include_input=False)
    nested = {detail["loc"][0] for detail in details if len(detail["loc"]) > 1}
    for detail in details:
        if detail["type"] == "too_short" and detail["loc"][0] in nested:
            continue  # what is wrong with its members is said already
        where = printable(".".join(_WRITTEN.get(str(part), str(part)) for part in detail["loc"]))
        message = _message(detail, model)
        lines.append(f"{where}: {message}" if where else message)
    return "\n".join(lines)


def _message(detail: ErrorDetails, model: type[BaseModel]) -> str:
    kind, place = detail["type"], detail["loc"]
    if kind == "extra_forbidden":
        return _no_such(str(place[-1]), _keys(_table(model, place[:-1])))
    if kind == "string_pattern_mismatch" and place[-1] in _TEXTS:
        return f"expected {_TEXTS[str(place[-1])]}"
    known: Mapping[str, Any] = detail.get("ctx", {})
    unit = "s" if _is_duration(_table(model, place[:-1]), place) else ""
    if kind in _SAID:
        return _SAID[kind].format(**{name: _plain(value, unit) for name, value in known.items()})
    return detail["msg"].removeprefix("Value error, ")


def _plain(bound: object, unit: str) -> object:
    """Whole numbers with all of their digits: ``1000000``, not ``1e+06``; and with their unit."""
    whole = int(bound) if isinstance(bound, float) and bound.is_integer() else bound
    return f"{whole}{unit}" if isinstance(whole, int | float) else whole


def _is_duration(table: type[BaseModel], place: Sequence[int | str]) -> bool:
    """Whether the field at the end of this place is in seconds, as its name says."""
    fields = table.model_fields.items()
    name = next((name for name, field in fields if place[-1:] == (field.alias,)), "")
    return name.endswith("_s") and not name.endswith("_per_s")


def _no_such(key: str, allowed: Sequence[str]) -> str:
    close = difflib.get_close_matches(key, allowed, n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    return f"there is no such setting{meant}: expected {', '.join(allowed)}"


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _table(model: type[BaseModel], place: Sequence[int | str]) -> type[BaseModel]:
    """The table at this place below `model`."""
    for part in place:
        for name, field in model.model_fields.items():
            if part in {name, field.alias}:
                kinds = (field.annotation, *get_args(field.annotation))
                tables = [k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)]
                model = tables[0] if tables else model
    return model
