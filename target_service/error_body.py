"""The one shape of every error, whoever answers: the admin API, the gate, a proxy, a gateway.

``{"error": "bad-input", "message": "capacity: …",
"fields": [{"field": "capacity", "problem": "…"}]}``
"""

import json
from collections.abc import Sequence


def error_values(
    error: str, message: str, fields: Sequence[tuple[str, str]] = ()
) -> dict[str, object]:
    """The body as values; `fields` are pairs of a field and its problem."""
    return {
        "error": error,
        "message": message,
        "fields": [{"field": field, "problem": problem} for field, problem in fields],
    }


def error_body(error: str, message: str) -> bytes:
    """The body as it is sent, of an error that is about no fields."""
    return json.dumps(error_values(error, message), separators=(",", ":")).encode()
