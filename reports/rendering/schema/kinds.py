"""The kinds of values that a JSON schema is put together of."""

from collections.abc import Mapping

Schema = dict[str, object]


def text(description: str = "") -> Schema:
    """A string."""
    return _said({"type": "string"}, description)


def flag(description: str) -> Schema:
    """Yes or no."""
    return _said({"type": "boolean"}, description)


def number(description: str = "", **limits: float) -> Schema:
    """A number within `limits`, which are called as JSON schema calls them."""
    return _said({"type": "number", **limits}, description)


def whole(description: str = "", least: int = 0) -> Schema:
    """A whole number."""
    return _said({"type": "integer", "minimum": least}, description)


def each(items: Schema, description: str = "") -> Schema:
    """A list."""
    return _said({"type": "array", "items": items}, description)


def fields(
    properties: Mapping[str, Schema],
    description: str = "",
    *,
    optional: frozenset[str] = frozenset(),
) -> Schema:
    """An object with these fields and no other; all but the `optional` ones are always there."""
    return _said(
        {
            "type": "object",
            "properties": dict(properties),
            "required": [name for name in properties if name not in optional],
            "additionalProperties": False,
        },
        description,
    )


def named(items: Schema, description: str = "") -> Schema:
    """An object whose fields are called as they like, each of the same kind."""
    return _said({"type": "object", "additionalProperties": items}, description)


def defined(name: str, description: str = "") -> Schema:
    """What the schema defines under `name`."""
    return _said({"$ref": f"#/$defs/{name}"}, description)


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    bare = {key: value for key, value in schema.items() if key != "description"}
    return _said({"anyOf": [bare, {"type": "null"}]}, str(schema.get("description", "")))


def _said(schema: Schema, description: str) -> Schema:
    return {"description": description, **schema} if description else schema
