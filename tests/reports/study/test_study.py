"""Several runs, folded into one study."""

import math
import statistics
from dataclasses import replace

import pytest

from reports.reading.read import parse_record
from reports.several.study import Study
from reports.several.studying import StudyError, study_of
from reports.statistics.value import Value
from reports.summary import fold
from tests.reports.study.made import NEVER, report, reports, twice


def settled(study: Study, place: int = 0) -> Value:
    """The median of the first condition's lane."""
    found = study.conditions[0].lanes[place].distribution
    assert found
    return found.summaries["settled_s"].median


@pytest.mark.parametrize("ticks", [[10, 40, 20], [10, 40, 20, 30], [7, 7, 7, 7, 7, 7, 60]])
def test_the_median_is_that_of_the_storms(ticks: list[int]) -> None:
    assert settled(study_of(reports(ticks))).amount == pytest.approx(statistics.median(ticks) / 10)


def test_what_never_recovers_is_counted_and_is_no_number() -> None:
    """Of ten the middle is between the fifth and the sixth of those that did: all others later."""
    ticks = [10, 20, 30, 40, 50, 60, 70, NEVER, NEVER, NEVER]
    [lane] = study_of(reports(ticks)).conditions[0].lanes
    assert lane.distribution
    assert (lane.distribution.lost, lane.distribution.recovered) == (3, 7)
    late = [t / 10 if t < NEVER else math.inf for t in ticks]
    assert lane.distribution.summaries["settled_s"].median.amount == pytest.approx(
        statistics.median(late)
    )
    assert list(lane.settled_by[-1]) == pytest.approx([7.0, 0.7])


def test_a_run_that_is_not_valid_is_named_and_left_out() -> None:
    study = study_of([*reports([10, 20, 30]), report(9, why="it was full", a=NEVER)])
    [condition] = study.conditions
    assert [run.left_out_because for run in condition.left_out] == [("it was full",)]
    assert condition.counted == 3
    assert settled(study).amount == pytest.approx(2.0)
    assert study.valid


def test_a_condition_none_of_whose_runs_counts_is_not_valid() -> None:
    one, two = {"load": {"rate": "90/s"}}, {"load": {"rate": "95/s"}}
    study = study_of([report(1, one, a=10), report(2, two, "it was full", a=10)])
    assert not study.valid
    lane = study.conditions[1].lanes[0]
    assert (lane.distribution, lane.present) == (None, True)


def test_a_copy_of_a_run_is_no_second_sample() -> None:
    """Its figures would agree with themselves."""
    study = study_of([report(1, a=10), report(1, a=10), report(2, a=30)])
    assert study.conditions[0].counted == 2
    assert settled(study).amount == pytest.approx(2.0)
    assert "same run" in study.conditions[0].left_out[0].left_out_because[0]


def test_two_policies_played_with_one_seed_are_no_copies() -> None:
    """A simulated run is called by its scenario's name and its seed, whoever is in it."""
    one, two = {"policies": [{"name": "a"}]}, {"policies": [{"name": "b"}]}
    study = study_of([report(1, one, a=10), report(1, two, b=10)])
    assert (study.titles, study.conditions[0].counted) == (("a", "b"), 2)


def test_runs_that_differ_in_seed_name_and_check_only_are_one_condition() -> None:
    each = [report(n, {"seed": n, "name": str(n), "check": {"a": n}}, a=10) for n in range(3)]
    [condition] = study_of(each).conditions
    assert (condition.label, condition.counted) == ("", 3)


def test_conditions_are_labelled_by_what_differs_and_in_its_order() -> None:
    rates = ["100/s", "95/s", "9/s"]
    each = [report(n, {"x": 1, "load": {"rate": rate}}, a=10) for n, rate in enumerate(rates)]
    labels = [condition.label for condition in study_of(each).conditions]
    assert labels == ["load.rate = 9/s", "load.rate = 95/s", "load.rate = 100/s"]


def test_live_and_simulated_runs_are_not_mixed() -> None:
    live = report(1, a=10)
    played = replace(live, run=replace(live.run, source="simulated"))
    labels = [condition.label for condition in study_of([live, played]).conditions]
    assert labels == ["source = live", "source = simulated"]


def test_a_lane_that_a_condition_has_not_is_there_without_figures() -> None:
    one, two = {"load": {"rate": "90/s"}}, {"load": {"rate": "95/s"}}
    study = study_of([report(1, one, a=10), report(2, two, a=10, b=20)])
    assert study.titles == ("a", "b")
    [(_, missing), (_, there)] = [condition.lanes for condition in study.conditions]
    assert (missing.present, missing.distribution) == (False, None)
    assert there.distribution


def test_policies_of_one_name_that_do_not_do_the_same_are_lanes_of_their_own() -> None:
    """And no conditions: they are what one compares."""
    each = []
    for seed, cap in enumerate(["2s", "5s", "5s"]):
        scenario = {"policies": [{"name": "a", "lane": "", "cap": cap, "attempts": 4}]}
        found = report(seed, scenario, a=10 * (seed + 1))
        policies = tuple(replace(one, describe=f"waits {cap}") for one in found.policies)
        each.append(replace(found, policies=policies))
    study = study_of(each)
    assert study.titles == ("a (cap = 2s)", "a (cap = 5s)")
    assert [len(one.samples) for one in study.conditions[0].distributions] == [1, 2]


def test_each_dip_of_a_run_is_a_sample() -> None:
    """But for one that met a lane which was not over the one before."""
    steady = fold(parse_record(twice(10, 30).encoded()))
    early = fold(parse_record(twice(NEVER, 30).encoded()))
    study = study_of([replace(one, run=replace(one.run, id=str(n)))
                      for n, one in enumerate([steady, early])])  # fmt: skip
    [found] = study.conditions[0].distributions
    assert [one.after and one.after.settled_s for one in found.samples] == [
        pytest.approx(1.0), pytest.approx(3.0), None,
    ]  # fmt: skip
    assert (found.left_out, found.lost) == (1, 1)


def test_a_service_that_was_another_one_is_said() -> None:
    """No scenario says what a service that stands somewhere can do."""
    found = report(2, a=10)
    policies = tuple(replace(one, capacity_per_s=200.0, episodes=()) for one in found.policies)
    [condition] = study_of([report(1, a=10), replace(found, policies=policies)]).conditions
    assert "from 100/s to 200/s" in condition.notes[0]


def test_more_conditions_than_anybody_looks_at_are_refused() -> None:
    each = [report(n, {"load": {"rate": f"{n}/s"}}, a=10) for n in range(25)]
    with pytest.raises(StudyError, match=r"25 conditions, which differ in load\.rate: at most 24"):
        study_of(each)


def test_only_the_lanes_that_are_drawn_are_kept_and_from_just_before_the_trigger() -> None:
    study = study_of(reports([10, 20]))
    [lane] = study.conditions[0].lanes
    assert (lane.drawn_from, lane.drawn is not None) == ("run-0", True)
    assert lane.drawn
    assert lane.drawn.drawn.t_s[0] == pytest.approx(-7.0)
