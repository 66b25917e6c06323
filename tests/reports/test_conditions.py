"""What tells the scenarios of runs apart, and what it is called."""

from reports.folding.conditions import conditions_of, differences, key_of, label, labels, size

SCENARIO: dict[str, object] = {
    "name": "a",
    "seed": 1,
    "check": {"max_settled": "2s"},
    "policies": [{"name": "immediate"}],
    "load": {"rate": "95/s", "deadlines": False},
    "dips": [{"for": "2s"}, {"for": "4s"}],
    "faults": [],
}


def test_each_value_has_a_key() -> None:
    assert conditions_of("live", SCENARIO) == {
        "source": "live",
        "load.rate": "95/s",
        "load.deadlines": "no",
        "dips.0.for": "2s",
        "dips.1.for": "4s",
        "faults": "none",
    }


def test_seed_name_check_and_policies_are_no_condition() -> None:
    other = {**SCENARIO, "seed": 2, "name": "b", "check": None, "policies": []}
    assert key_of("live", SCENARIO) == key_of("live", other)
    assert key_of("live", SCENARIO) != key_of("simulated", SCENARIO)
    assert differences([conditions_of("live", one) for one in (SCENARIO, other)]) == []


def test_keys_that_differ_or_are_missing_are_told() -> None:
    """First those with the most values: they tell most."""
    rates = [
        {"load": {"rate": rate}, "dips": dips} for rate, dips in ((9, [1]), (8, [2]), (7, [2]))
    ]
    each = [conditions_of("live", one) for one in rates]
    assert differences(each) == ["load.rate", "dips.0"]
    one, other = conditions_of("live", SCENARIO), conditions_of("live", {"load": {"rate": "95/s"}})
    assert differences([one, other, one]) == [
        "load.deadlines",
        "dips.0.for",
        "dips.1.for",
        "faults",
    ]


def test_a_label_is_what_differs_and_no_more() -> None:
    each = [conditions_of("live", {"load": {"utilisation": u}, "x": 1}) for u in (0.9, 0.95)]
    assert labels(each) == ["load.utilisation = 90%", "load.utilisation = 95%"]
    keys = ["a", "b", "c", "d"]
    assert label(dict.fromkeys(keys, "1"), keys) == "a = 1, b = 1 and 2 more"
    assert label({}, keys[:1]) == "no a"
    assert label({"a": "1"}, keys[:2]) == "a = 1, no b"


def test_labels_that_do_not_tell_conditions_apart_are_numbered() -> None:
    """The third key is not shown."""
    each = [{"a": a, "b": b, "c": c} for a, b, c in ("111", "112", "221")]
    assert labels(each) == [
        "a = 1, b = 1 and 1 more (1)", "a = 1, b = 1 and 1 more (2)", "a = 2, b = 2 and 1 more",
    ]  # fmt: skip


def test_values_are_put_in_order_by_their_size() -> None:
    assert sorted(["2s", "500ms", "1m"], key=size) == ["500ms", "2s", "1m"]
    assert sorted(["90/s", "9/s", "100/s"], key=size) == ["9/s", "90/s", "100/s"]
    assert sorted(["b", "a"], key=size) == ["a", "b"]


def test_what_is_nested_deeper_than_anybody_writes_is_one_value() -> None:
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    assert len(conditions_of("live", {"a": deep})) == 2
