"""The schema of `distribution.json` fits what is written, and nothing else."""

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from reports.rendering.schema.study import document
from reports.rendering.study.to_json import to_json
from reports.several.study import Study
from reports.several.studying import study_of
from tests.reports.study.made import NEVER, report, reports
from tests.reports.study.test_rendering import LOST_3, two_rates

STUDIES: dict[str, Callable[[], Study]] = {
    "one run": lambda: study_of(reports([10])),
    "late": lambda: study_of(reports(LOST_3)),
    "two rates": two_rates,
    "never": lambda: study_of(reports([NEVER] * 6)),
    "not valid": lambda: study_of([report(n, why="it was full", a=10) for n in range(2)]),
}
FREE = {"versions", "differs", "scenarios"}
"""Objects whose fields are called as they like."""


def found(name: str) -> Any:
    return json.loads(to_json(STUDIES[name]()))


def objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [inner for one in value for inner in objects(one)]
    if isinstance(value, dict):
        below = [objects(one) for name, one in value.items() if name not in FREE]
        return [value, *(inner for each in below for inner in each)]
    return []


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(document())


@pytest.mark.parametrize("name", STUDIES)
def test_what_is_written_fits(name: str) -> None:
    jsonschema.validate(found(name), document(), jsonschema.Draft202012Validator)


def test_a_field_more_and_a_field_less_are_refused_in_whatever_object() -> None:
    told = found("late")
    validator = jsonschema.Draft202012Validator(document())
    several = [*objects(told["conditions"]), *objects(told["runs"][0]), told]
    measures = [lane["measures"] for lane in told["conditions"][0]["lanes"]]
    assert len(several) > 100
    for one in [*several[::5], told]:
        one["unheard_of"] = 1
        assert not validator.is_valid(told)
        del one["unheard_of"]
        if one in measures:
            continue
        name, kept = one.popitem()
        assert not validator.is_valid(told), name
        one[name] = kept
    assert validator.is_valid(told)
