"""The description of the API is complete: somebody can use it without reading the source."""

from typing import Any

import pytest

from target_service.app import create_app
from target_service.settings import read_settings
from tests.target_service.asgi import FakeClock, call


@pytest.fixture(scope="module")
def openapi() -> dict[str, Any]:
    """The description as it is served."""
    described: dict[str, Any] = call(
        create_app(read_settings(), FakeClock()), "GET", "/openapi.json"
    ).json
    return described


def test_every_field_has_a_description_and_an_example(openapi: dict[str, Any]) -> None:
    """And a field that is a number of something has its unit in its name or description."""
    schemas = openapi["components"]["schemas"]
    assert {"DipIn", "DipOut", "StateOut", "TickOut", "LaneTickOut", "ErrorOut"} <= schemas.keys()
    for name, schema in schemas.items():
        for field, described in schema["properties"].items():
            assert described.get("description"), f"{name}.{field}"
            assert described.get("examples"), f"{name}.{field}"


def test_seconds_and_rates_say_their_unit(openapi: dict[str, Any]) -> None:
    """`_s` is seconds, `_per_s` is per second."""
    for name, schema in openapi["components"]["schemas"].items():
        for field, described in schema["properties"].items():
            if field.endswith("_s"):
                assert "second" in described["description"], f"{name}.{field}"


def test_every_endpoint_says_what_it_does_and_which_errors_it_has(openapi: dict[str, Any]) -> None:
    """With the one shape of errors."""
    for path, item in openapi["paths"].items():
        for method, operation in item.items():
            assert operation["summary"], (method, path)
            assert operation["description"], (method, path)
            for parameter in operation.get("parameters", ()):
                assert parameter["description"], (path, parameter)
            if path.startswith("/admin"):
                assert {"401", "403"} <= operation["responses"].keys(), (method, path)
            for status, response in operation["responses"].items():
                if status >= "400":
                    schema = response["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/ErrorOut"}, (method, path)


def test_requests_allow_no_other_fields(openapi: dict[str, Any]) -> None:
    """A typing error in a field's name is never silently ignored."""
    for name in ("DipIn", "CapacityIn", "LanesIn"):
        assert openapi["components"]["schemas"][name]["additionalProperties"] is False
