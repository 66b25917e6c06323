"""The one shape of every error, whoever answers: the admin API, the gate, a proxy, a gateway.

``{"error": "bad-input", "message": "capacity: …",
"fields": [{"field": "capacity", "problem": "…"}]}``
"""

import json
from collections.abc import Sequence
from http import HTTPStatus


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


def last_answer(status: int, body: bytes) -> bytes:
    """An error as it is written to a connection that then ends, where no app answers."""
    return (
        b"HTTP/1.1 %d %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n"
        b"connection: close\r\n\r\n%b"
        % (status, HTTPStatus(status).phrase.encode(), len(body), body)
    )
