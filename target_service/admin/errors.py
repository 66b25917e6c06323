"""Every error of the admin API, in one table."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match

from target_service.error_body import error_values
from target_service.lanes import LANE_LIMIT, TooManyLanesError
from target_service.limits import MAX_ACTIONS, MAX_BODY_BYTES, MAX_DIPS, MAX_FAULTS
from target_service.timed import TooManyError, UnknownIdError

ERRORS: Final[Mapping[str, tuple[int, str]]] = {
    "bad-input": (422, "a field is missing, unknown or out of bounds"),
    "unknown-dip": (404, "there is no dip with this id; GET {mount}/admin/dips lists them"),
    "unknown-fault": (404, "there is no fault with this id; GET {mount}/admin/faults lists them"),
    "unknown-action": (
        404,
        "there is no action with this id; GET {mount}/admin/actions lists them",
    ),
    "too-many-dips": (409, f"{MAX_DIPS} dips are pending or active, the limit"),
    "too-many-faults": (409, f"{MAX_FAULTS} faults are pending or active, the limit"),
    "too-many-actions": (409, f"{MAX_ACTIONS} actions are pending or active, the limit"),
    "too-many-lanes": (409, LANE_LIMIT),
    "too-large": (413, f"a body has at most {MAX_BODY_BYTES} bytes"),
    "token-needed": (401, "send the header 'Authorization: Bearer TOKEN' with the right token"),
    "loopback-only": (
        403,
        "without AFTERSHOCK_ADMIN_TOKEN the admin API answers loopback clients only, "
        "by a loopback name and not through a proxy",
    ),
    "foreign-origin": (403, "pages of other sites may not use the admin API"),
    "not-found": (404, "there is nothing here; GET {mount}/openapi.json lists what there is"),
    "wrong-method": (
        405,
        "this path does not take this method; GET {mount}/openapi.json lists what there is",
    ),
}
"""Status and message; `{mount}` is the path at which the admin API is mounted."""

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
_BY_STATUS = {404: "not-found", 405: "wrong-method", 413: "too-large"}

_SENTENCES = {
    "missing": "is required",
    "json_invalid": "expected a JSON object",
    "model_attributes_type": "expected a JSON object, with content-type application/json",
    "literal_error": "expected {expected}",
    "string_type": "expected text",
    "string_unicode": "expected text",
    "string_too_long": "expected at most {max_length} characters",
    "list_type": "expected a list",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "int_parsing_size": "expected a whole number",
    "finite_number": "expected a whole number",
    "too_short": "expected at least {min_length} of them",
    "too_long": "expected at most {max_length} of them",
    "greater_than_equal": "expected at least {ge}",
    "less_than_equal": "expected at most {le}",
}
"""Our words for what pydantic finds, by its names for it."""


class BadFieldError(Exception):
    """A field that only the state of the target shows to be wrong."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


def said_of(error: str, mount: str = "") -> tuple[int, str]:
    """Status and message of an entry of the table, for an API that is mounted there."""
    status, message = ERRORS[error]
    return status, message.replace("{mount}", mount)


def error_response(
    error: str,
    fields: Sequence[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
    mount: str = "",
) -> JSONResponse:
    """The response for an entry of the table; `fields` are pairs of a field and its problem."""
    status, message = said_of(error, mount)
    if fields:
        message = "; ".join(f"{field}: {problem}" for field, problem in fields)
    return JSONResponse(error_values(error, message, fields), status, headers)


def _field_and_problem(detail: Mapping[str, Any]) -> tuple[str, str]:
    """What pydantic found, in our words. What was sent is not repeated: it may be anything."""
    places = [str(place) for place in detail["loc"][1:]]
    kind = str(detail["type"])
    if kind == "json_invalid":
        places = []
    if kind in {"unknown_field", "one_field"}:
        places.append(str(detail["ctx"]["field"]))
    said = _SENTENCES.get(kind)
    problem = said.format(**detail.get("ctx", {})) if said else str(detail["msg"])
    return ".".join(places) or "body", problem.removeprefix("Value error, ")


async def _bad_input(_request: Request, error: Exception) -> JSONResponse:
    details = error.errors()[:10] if isinstance(error, RequestValidationError) else []
    return error_response("bad-input", [_field_and_problem(detail) for detail in details])


async def _bad_field(_request: Request, error: Exception) -> JSONResponse:
    pairs = [(error.field, error.problem)] if isinstance(error, BadFieldError) else []
    return error_response("bad-input", pairs)


def _mount_of(request: Request) -> str:
    mount: str = request.scope.get("root_path", "")
    return mount


async def _unknown_id(request: Request, error: Exception) -> JSONResponse:
    kind = error.kind if isinstance(error, UnknownIdError) else "dip"
    return error_response(f"unknown-{kind}", mount=_mount_of(request))


async def _too_many(_request: Request, error: Exception) -> JSONResponse:
    kind = error.kind if isinstance(error, TooManyError) else "dip"
    return error_response(f"too-many-{kind}s")


async def _half_a_character(_request: Request, _error: Exception) -> JSONResponse:
    """JSON can name a lone surrogate, and nothing that is sent can: pydantic raises this."""
    return error_response("bad-input", [("body", "a name in it is not Unicode")])


def _allowed(request: Request) -> str:
    """What this path takes. Each method is a route of its own; Starlette tells of the first."""

    def takes(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)

    return ", ".join(method for method in _METHODS if takes(method))


async def _http(request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 400
    headers = error.headers if isinstance(error, HTTPException) else None
    if status == 405:
        headers = {"Allow": _allowed(request)}
    if status in _BY_STATUS:
        return error_response(_BY_STATUS[status], headers=headers, mount=_mount_of(request))
    return error_response("bad-input", [("body", _SENTENCES["json_invalid"])])


def install_errors(api: FastAPI) -> None:
    """Make `api` answer every error from the table."""

    def answering(error: str) -> Any:
        async def answer(_request: Request, _error: Exception) -> JSONResponse:
            return error_response(error)

        return answer

    api.add_exception_handler(RequestValidationError, _bad_input)
    api.add_exception_handler(BadFieldError, _bad_field)
    api.add_exception_handler(UnicodeEncodeError, _half_a_character)
    api.add_exception_handler(HTTPException, _http)
    api.add_exception_handler(UnknownIdError, _unknown_id)
    api.add_exception_handler(TooManyError, _too_many)
    api.add_exception_handler(TooManyLanesError, answering("too-many-lanes"))
