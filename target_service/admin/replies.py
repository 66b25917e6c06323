"""What the endpoints have in common: the errors they describe, the lanes they do not know."""

from typing import Any

from target_service.admin.errors import BadFieldError, said_of
from target_service.admin.models import ErrorOut
from target_service.lanes import UnknownLaneError
from target_service.target import Target


def responses(*errors: str) -> dict[int | str, dict[str, Any]]:
    """The description of these errors of the table, and of those that every call has."""
    said: dict[int | str, dict[str, Any]] = {}
    for error in ("token-needed", "loopback-only", *errors):
        status, message = said_of(error)
        said[status] = {"model": ErrorOut, "description": f"`{error}`: {message}"}
    return said


def unknown_lane(target: Target, error: UnknownLaneError) -> BadFieldError:
    """The error that names the lanes there are."""
    known = ", ".join(sorted(target.lanes)) or "none yet"
    return BadFieldError("lanes", f"there is no lane {error.args[0]!r}; there are: {known}")
