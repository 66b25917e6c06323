"""What tells the scenarios of two runs apart."""

from reports.conditions import conditions_of, differing

SCENARIO = {
    "name": "a",
    "seed": 1,
    "check": {"max_settled": "2s"},
    "load": {"rate": "95/s", "deadlines": False},
    "dips": [{"for": "2s"}, {"for": "4s"}],
    "faults": [],
}


def test_each_value_has_a_key() -> None:
    assert conditions_of(SCENARIO) == {
        "load.rate": "95/s",
        "load.deadlines": "false",
        "dips.0.for": "2s",
        "dips.1.for": "4s",
    }
    assert conditions_of(SCENARIO, without=["load", "dips"]) == {}


def test_keys_that_differ_or_are_missing_are_told() -> None:
    one, other = conditions_of(SCENARIO), conditions_of({"load": {"rate": "95/s"}, "faults": [1]})
    assert differing([one, other, one]) == (
        "load.deadlines", "dips.0.for", "dips.1.for", "faults.0",
    )  # fmt: skip
    assert differing([one, conditions_of({**SCENARIO, "seed": 2, "name": "b"})]) == ()


def test_what_is_nested_deeper_than_anybody_writes_is_one_value() -> None:
    assert len(conditions_of({"a": [[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]})) == 1
