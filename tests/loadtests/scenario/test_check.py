"""The limits that a scenario sets: read with it, refused with what is allowed, and kept apart."""

import subprocess
import sys

import pytest

from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.advising.situation import situation_of
from loadtests.simulation.engines import Engine
from loadtests.simulation.many import tasks_of
from loadtests.simulation.sweep.alone import only_lane
from reports.judging.gate.rules import rules_of

TABLES = [
    {"max_settled": "3x", "confidence": "95%"},
    {"max_failed": 120, "policies": ["a", "immediate"]},
]
POLICIES = [{"name": "no-retry", "lane": "a"}, {"name": "immediate", "lane": "b"}]


@pytest.mark.parametrize("check", [TABLES, TABLES[:1], TABLES[0]])
def test_limits_stand_in_the_record_as_they_were_written(check: object) -> None:
    scenario = parse_scenario({"check": check, "policies": POLICIES})
    values = scenario.model_dump(mode="json", by_alias=True)
    assert values["check"] == (check if isinstance(check, list) else [check])
    assert parse_scenario(values) == scenario
    assert rules_of(values["check"]) == rules_of(check)


def test_a_scenario_without_limits_says_nothing_of_them() -> None:
    assert "check" not in parse_scenario({}).model_dump(mode="json", by_alias=True)


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ({"max_setled": "3x"}, "check: max_setled: there is no such setting (did you mean "
         "max_settled?): expected max_first_fit, max_settled, "),
        ({"max_settled": "3"}, "check: max_settled: '3' is not a duration"),
        ([{"max_settled": "3x"}, {"max_failed": "5"}, {"max_peak": "5"}],
         "check.2: max_peak: '5' is not a rate per second"),
        ({"max_settled": "3x", "policies": ["c"]},
         "check: policies: unknown lane or policy 'c': expected a, b, no-retry, immediate"),
        ({"max_settled": "3x", "policies": []}, "check: policies: expected a list of names"),
        ({"max_settled": "3x", "policies": "a"}, "check.policies: expected a list"),
        ({"max_settled": "3x", "confidence": "5%"}, "check: confidence: '5%' is not a share"),
        ([{"confidence": "95%"}], "check.0: no limit is set: expected one of max_first_fit, "),
        ("3x", "check: expected a list"),
        ([], "check: no limit is set"),
        ({}, "check: no limit is set"),
        ([3], "check.0: expected a table"),
        ([{"max_settled": "3x"}] * 33, "check: expected at most 32 of them"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_what_is_allowed(check: object, said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_scenario({"check": check, "policies": POLICIES})
    assert str(refused.value).startswith(said)
    assert len(str(refused.value).splitlines()) == 1


def test_limits_change_nothing_of_what_is_played() -> None:
    """Nor of what is kept of it: a prediction, a sweep's cells."""
    plain = parse_scenario({"policies": POLICIES})
    checked = parse_scenario({"policies": POLICIES, "check": TABLES})
    assert tasks_of(checked, Engine.AUTO, 3) == tasks_of(plain, Engine.AUTO, 3)
    assert only_lane(checked, "b") == only_lane(plain, "b")
    assert situation_of(checked).values == situation_of(plain).values


def test_a_scenario_without_limits_needs_nothing_of_what_measures() -> None:
    """A gateway reads policies: numpy alone takes as long to import as all that it needs."""
    code = (
        "import sys; from loadtests.scenario import parse_scenario; parse_scenario({}); "
        "sys.exit('numpy' in sys.modules or 'reports' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_limits_are_read_without_what_reads_records() -> None:
    code = (
        "import sys; from loadtests.scenario import parse_scenario; "
        "parse_scenario({'check': {'max_settled': '3x'}}); "
        "sys.exit(bool({'polars', 'scipy', 'plotly'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
