"""What options and a scenario's table ask for, and how one takes the place of the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.judging.gate.rules import (
    keys,
    override,
    parse_confidence,
    required,
    rules_of,
)
from tests.reports.gate.made import rule

TABLE = {"max_settled": "3x", "max_failed": "5%", "confidence": "95%", "policies": ["a", "b"]}


def test_a_table_has_a_rule_for_each_limit() -> None:
    assert rules_of(TABLE) == (
        rule("settled", "3x", 0.95, "a", "b"),
        rule("failed", "5%", 0.95, "a", "b"),
    )


def test_several_tables_are_all_to_be_kept() -> None:
    found = rules_of([{"max_settled": "3x"}, {"max_settled": "1s", "policies": ["a"]}])
    assert found == (rule("settled", "3x"), rule("settled", "1s", None, "a"))


def test_a_scenario_without_a_table_has_no_rules() -> None:
    assert rules_of(None) == ()


def test_numbers_may_be_numbers_where_they_have_no_unit() -> None:
    assert rules_of({"max_amplification": 1.2, "max_failed": 120}) == (
        rule("amplification", "1.2"),
        rule("failed", "120"),
    )


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ({"max_setled": "3x"}, "check: max_setled: there is no such setting (did you mean "
         "max_settled?): expected max_first_fit, max_settled"),
        ({"max_settled": "3"}, "check: max_settled: '3' is not a duration"),
        ({"max_settled": True}, "check: max_settled: 'True' is not a duration"),
        ([{"max_settled": "3x"}, {"max_failed": "6%%"}], "check.1: max_failed: '6%%' is not"),
        ({"policies": ["a"]}, "check: no limit is set: expected one of max_first_fit, "),
        ({"max_settled": "3x", "policies": "a"}, "check: policies: expected a list of names"),
        ({"max_settled": "3x", "policies": []}, "check: policies: expected a list of names"),
        ({"max_settled": "3x", "policies": [1]}, "check: policies: expected a list of names"),
        ({"max_settled": "3x", "confidence": "50%"}, "check: confidence: '50%' is not a share of "
         'more than 50% and less than 100%, as in "95%"'),
        ([{"max_settled": "3"}], "check.0: max_settled: '3' is not a duration"),
        ([], "check: no limit is set: leave it out, or set one"),
        ("3x", "check: expected a table"),
        ([{"max_settled": "3x"}] * 33, "check: expected at most 32 of them"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_what_is_allowed(check: object, said: str) -> None:
    with pytest.raises(ValueError, match=r"expected|is not|no limit") as refused:
        rules_of(check)
    assert str(refused.value).startswith(said)


ANYTHING = st.recursive(
    st.none() | st.text() | st.floats() | st.booleans(), st.lists, max_leaves=5
) | st.dictionaries(st.sampled_from(keys()) | st.text(), st.text() | st.integers())


@given(ANYTHING)
def test_whatever_a_record_holds_is_rules_or_refused(check: object) -> None:
    assert not (said := _refused(check)) or said.startswith("check")


def _refused(check: object) -> str:
    try:
        rules_of(check)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("text", ["95%", "99.9%", "50.1%"])
def test_a_confidence_is_more_than_a_half(text: str) -> None:
    assert parse_confidence(text) == pytest.approx(float(text[:-1]) / 100)


@pytest.mark.parametrize("text", ["50%", "100%", "0.95", "95", "", "-95%", "nan%"])
def test_what_is_no_confidence_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match='as in "95%"'):
        parse_confidence(text)


def test_options_take_the_place_of_the_scenarios_rules_one_by_one() -> None:
    own = rules_of([TABLE, {"max_settled": "1s", "policies": ["c"]}])
    assert override(own, [rule("settled", "6s")]) == (
        rule("failed", "5%", 0.95, "a", "b"),
        rule("settled", "6s"),
    )
    assert override(own, []) == own


def test_a_confidence_that_is_said_is_for_all() -> None:
    rules = (rule("settled", "3x", 0.9), rule("failed", "5%"))
    assert [one.confidence for one in required(rules, 0.99)] == [0.99, 0.99]
    assert required(rules, None) == rules
