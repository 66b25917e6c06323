"""Which runs count on a side, and what is said of those that do not."""

from dataclasses import replace

import pytest

from reports.judging.differences.comparison import compare_sides
from reports.judging.differences.measures import measures_of
from reports.judging.differences.sides import Side, side_of
from reports.measuring.catalogue import SETTLED
from tests.reports.differences.made import figures, lane, run, settled, side

ONE, OTHER = settled(1.0, 2.0)


def notes(base: Side, new: Side) -> str:
    return " ".join(compare_sides(base, new, measures_of([])).notes)


def test_runs_that_are_not_valid_do_not_count_and_say_why() -> None:
    found = side_of("BASE", "x", [run(1, lane(ONE)), run(2, lane(ONE), invalid=("busy", "short"))])
    assert found.runs == ("run-1",)
    assert [(one.run, one.because) for one in found.left_out] == [
        ("run-2", "not valid: busy; short")
    ]
    assert [len(one.samples) for one in found.lanes] == [1]


def test_a_side_without_a_run_that_counts_has_no_lanes() -> None:
    found = side_of("BASE", "x", [run(1, lane(ONE), invalid=("busy",))])
    assert (found.runs, found.lanes) == ((), ())


def test_copies_of_a_run_count_once() -> None:
    """Ten simulations with one seed are one: else chance would look like a rule."""
    one = run(1, lane(ONE))
    found = side_of("BASE", "x", [one, one, run(2, lane(ONE))])
    assert found.runs == ("run-1", "run-2")
    assert found.left_out[0].because == "the same run as run-1"


def test_a_run_that_is_on_both_sides_as_a_copy_is_told() -> None:
    """By its header, wherever it lies. Code of a policy that was simulated may have changed."""
    base = side_of("BASE", "x", [run(1, lane(ONE)), run(2, lane(ONE))])
    new = side_of("NEW", "y", [run(2, lane(ONE)), run(3, lane(ONE))])
    other = side_of("NEW", "y", [run(3, lane(ONE)), run(4, lane(ONE))])
    said = "1 of the runs is in both BASE and NEW, as copies: nothing differs from itself."
    assert said in compare_sides(base, new, [SETTLED]).notes
    assert not compare_sides(base, other, [SETTLED]).notes
    one = run(1, lane(ONE))
    played = replace(one, run=replace(one.run, source="simulated"))
    before, after = (side_of(title, "x", [played]) for title in ("BASE", "NEW"))
    assert not compare_sides(before, after, [SETTLED]).notes


def test_a_run_of_several_dips_is_one_sample_unless_asked_otherwise() -> None:
    runs = [run(1, lane(ONE, OTHER, left_out=1)), run(2, lane(ONE))]
    whole, each = side_of("BASE", "x", runs), side_of("BASE", "x", runs, each_dip=True)
    assert [(one.samples, one.unsettled, one.several) for one in whole.lanes] == [
        (((ONE, OTHER), (ONE,)), 1, True)
    ]
    assert [one.samples for one in each.lanes] == [((ONE,), (OTHER,), (ONE,))]
    assert each.each_dip


def test_a_lane_may_be_in_some_of_the_runs_only() -> None:
    found = side_of("BASE", "x", [run(1, lane(ONE, name="a")), run(2, lane(ONE, name="b"))])
    assert [(one.lane, len(one.samples)) for one in found.lanes] == [("a", 1), ("b", 1)]


def test_runs_of_other_scenarios_or_policies_are_no_side() -> None:
    other = run(2, lane(ONE), scenario={"load": {"rate": "90/s"}, "dips": [{"for": "2s"}]})
    with pytest.raises(
        ValueError, match=r"^BASE: .*run-1 and run-2 differ in load\.rate, dips\.0\.for"
    ):
        side_of("BASE", "x", [run(1, lane(ONE)), other])
    with pytest.raises(ValueError, match=r"^NEW: .* the policy of a in run-2 is not the one in"):
        side_of("NEW", "x", [run(1, lane(ONE)), run(2, lane(ONE, policy="q"))])
    # What is left out anyway may be of any kind.
    assert side_of(
        "NEW", "x", [run(1, lane(ONE)), run(2, invalid=("no",), scenario={"a": "b"})]
    ).runs == ("run-1",)


def test_lanes_on_one_side_only_are_named() -> None:
    base, new = side("BASE", {"a": [ONE], "b": [ONE]}), side("NEW", {"b": [ONE], "c": [ONE]})
    found = compare_sides(base, new, measures_of([]))
    assert [one.lane for one in found.lanes] == ["b"]
    assert (found.only_base, found.only_new) == (("a",), ("c",))


def test_without_a_common_lane_there_is_nothing_to_compare() -> None:
    with pytest.raises(ValueError, match="no lane is in both: BASE has `a`, NEW has `b`"):
        compare_sides(side("BASE", {"a": [ONE]}), side("NEW", {"b": [ONE]}), measures_of([]))


def test_a_lane_is_chosen_by_its_name_or_its_policy() -> None:
    base = side_of("BASE", "x", [run(1, lane(ONE, name="a"), lane(ONE, name="b", policy="old"))])
    new = side_of("NEW", "x", [run(1, lane(ONE, name="a"), lane(ONE, name="b", policy="new"))])
    for policy in ("b", "old", "new"):
        found = compare_sides(base, new, measures_of([]), policies=[policy])
        assert [one.lane for one in found.lanes] == ["b"]
        assert found.lanes[0].policy_differs
    with pytest.raises(ValueError, match="'c' is not in both: there are `a`, `b`"):
        compare_sides(base, new, measures_of([]), policies=["c"])


def test_keys_of_the_scenario_that_differ_are_told() -> None:
    base = side_of("BASE", "x", [run(1, lane(ONE))])
    new = side_of("NEW", "x", [run(1, lane(ONE), scenario={"load": {"rate": "90/s"}})])
    assert compare_sides(base, new, measures_of([])).differing == ("load.rate",)


def test_samples_that_are_not_of_one_kind_are_told() -> None:
    single = side_of("BASE", "x", [run(1, lane(ONE))])
    several = side_of("NEW", "x", [run(2, lane(ONE, OTHER, left_out=3))])
    long = side_of("NEW", "x", [run(2, lane(figures(1.0, watched_s=60.0)))])
    assert notes(single, side_of("NEW", "x", [run(2, lane(ONE))])) == ""
    assert "watched `a` for different times" in notes(single, long)
    said = notes(single, several)
    assert (
        "A run that had several dips, or other disturbances, counts once, by their median" in said
    )
    assert (
        "NEW: 3 disturbances of `a` began before the lane was over the one before, and do" in said
    )
    assert "for different times" in said
    each = [side_of(title, "x", [run(1, lane(ONE, OTHER))], each_dip=True) for title in ("A", "B")]
    assert "Every dip, or other disturbance, is a sample, of 1 against 1 runs" in notes(*each)
