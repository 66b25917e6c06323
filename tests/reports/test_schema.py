"""The schema of `report.json` and the tables of its page are made of the catalogue of measures."""

import json
from pathlib import Path

import jsonschema
import pytest

from reports.measuring.catalogue import MEASURES
from reports.rendering.schema.document import document
from reports.rendering.schema.pages import files
from reports.rendering.to_json import to_json
from tests.reports.test_rendering import DOCS, REPORTS

Json = dict[str, object]


def test_the_schema_and_the_page_are_not_stale() -> None:
    """`make docs` mends this."""
    stale = [
        name
        for name, text in files(DOCS).items()
        if (DOCS / name).read_text(encoding="utf-8") != text
    ]
    assert not stale, f"run `make docs`: {stale}"


def test_a_page_without_the_marks_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("# The report\n")
    with pytest.raises(ValueError, match="expected the marks <!-- measures"):
        files(tmp_path)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(document())


def test_a_field_that_the_schema_does_not_know_is_refused() -> None:
    """In whatever object of the file, but for those whose names are free."""
    found = json.loads(to_json(REPORTS["layers"]()))
    free = {"versions", "scenario", "failed_by_reason"}
    objects = list(_objects(found, free))
    assert len(objects) > 20
    validator = jsonschema.Draft202012Validator(document())
    for one in objects:
        one["unheard_of"] = 1
        assert not validator.is_valid(found)
        del one["unheard_of"]
    assert validator.is_valid(found)


def test_a_field_that_is_missing_is_noticed() -> None:
    found = json.loads(to_json(REPORTS["one"]()))
    validator = jsonschema.Draft202012Validator(document())
    for measure in MEASURES:
        kept = found["policies"][0].pop(measure.name)
        assert not validator.is_valid(found), measure.name
        found["policies"][0][measure.name] = kept
    assert validator.is_valid(found)


@pytest.mark.parametrize("name", REPORTS)
def test_what_can_always_be_measured_is_never_null(name: str) -> None:
    for policy in json.loads(to_json(REPORTS[name]()))["policies"]:
        always = {measure.name for measure in MEASURES if measure.always}
        assert not [key for key in always if policy[key] is None]


def _objects(found: object, free: set[str]) -> list[Json]:
    if isinstance(found, list):
        return [inner for one in found for inner in _objects(one, free)]
    if isinstance(found, dict):
        below = [_objects(one, free) for name, one in found.items() if name not in free]
        return [found, *(inner for each in below for inner in each)]
    return []
