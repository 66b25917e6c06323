"""What many simulated runs say of one that is there."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from loadtests.simulation.predicting import liken
from loadtests.simulation.predicting.prediction import foresee, pieces_of
from loadtests.simulation.workers import LocalWorkers
from reports.prediction import Prediction, Range
from reports.record import Fault
from reports.rendering.beside_prediction import compare
from reports.summary import Report, build_report
from tests.loadtests.simulation.predicting.runs import (
    a_run,
    played,
    short,
    write,
)

FULL_JITTER = [{"name": "full-jitter"}]


def predicted(run: Path, runs: int) -> Prediction:
    likeness = liken(run)
    with LocalWorkers(1) as workers:
        return foresee(likeness, pieces_of(likeness, runs), workers)


def every_figure(report: Report, prediction: Prediction) -> list[tuple[str, str]]:
    return [
        (figure.measured, figure.range)
        for policy in report.policies
        for figure in compare(policy, prediction.of(policy.lane))
    ]


def test_one_prediction_of_a_simulated_run_is_that_run(tmp_path: Path) -> None:
    """The same seed, and watched from where that run was: every figure is the one measured."""
    run = a_run(tmp_path)
    prediction = predicted(run, 1)
    assert prediction.notes == ()
    figures = every_figure(build_report(run), prediction)
    assert len(figures) == 10
    assert all(measured == predicted for measured, predicted in figures)


def test_the_band_lies_where_the_lane_is_drawn(tmp_path: Path) -> None:
    """Of one run, band and load are the same; the line is that of each tick and its neighbours."""
    run = a_run(tmp_path)
    policy = build_report(run).policies[1]
    band = predicted(run, 1).lanes[1].band
    load = policy.drawn.by_attempt_per_s.sum(axis=0)
    assert band.t_s == pytest.approx(policy.drawn.t_s)
    assert band.low_per_s == pytest.approx(load)
    assert band.high_per_s == pytest.approx(load)
    evened = np.convolve(np.pad(load, 1, mode="edge"), (0.25, 0.5, 0.25), "valid")
    assert band.median_per_s == pytest.approx(evened)
    assert band.t_s[0] == pytest.approx(1.0 - 4.0)  # from where the load was looked at


def test_a_constant_rate_is_a_flat_line(tmp_path: Path) -> None:
    """Though 3 or 4 requests come in a tick, in turns that differ from seed to seed."""
    run = write(tmp_path / "run", played(short(load={"rate": "35/s"})))
    band = predicted(run, 5).lanes[0].band
    assert set(band.median_per_s[1:-1]) == {35.0}
    assert set(band.low_per_s) | set(band.high_per_s) <= {30.0, 32.0, 35.0, 38.0, 40.0}


def test_seeds_follow_that_of_the_run(tmp_path: Path) -> None:
    """And whoever plays which one first changes nothing."""
    run = a_run(tmp_path)
    likeness = liken(run)
    pieces = pieces_of(likeness, 3)
    assert [piece.task.seed for piece in pieces] == [7, 8, 9]
    each = [build_report(write(tmp_path / str(s), played(short(seed=s)))) for s in (7, 8, 9)]
    found = predicted(run, 3)
    attempts = sorted(float(report.policies[1].attempts) for report in each)
    assert found.lanes[1].attempts == Range(*attempts)
    assert (found.runs, found.seed, found.engine) == (3, 7, "events")


def test_a_lane_that_does_not_recover_in_some_predictions_has_no_end(tmp_path: Path) -> None:
    """Watched for less than the hold, in none of them: never."""
    scenario = short(observation="4s", policies=FULL_JITTER)
    [lane] = predicted(write(tmp_path / "run", played(scenario)), 2).lanes
    assert lane.settled_s == Range(None, None, None)


def test_without_a_disturbance_there_is_nothing_to_recover_from(tmp_path: Path) -> None:
    """Neither moment is predicted, and the band begins with the run."""
    [lane] = predicted(
        write(tmp_path / "run", played(short(dips=[], policies=FULL_JITTER))), 2
    ).lanes
    assert (lane.first_fit_s, lane.settled_s) == (None, None)
    assert lane.band.t_s[0] == 0.0


def test_a_run_that_ended_early_is_compared_up_to_its_end(tmp_path: Path) -> None:
    """Every figure of the same seed is then the same, and a note says where it ends."""
    run = write(tmp_path / "run", played(short(), until_s=9.0))
    prediction = predicted(run, 1)
    assert prediction.notes == (
        "The run ended after 9.0 s of 12.0 s; what is predicted is measured up to there too.",
    )
    figures = every_figure(build_report(run), prediction)
    assert [pair for pair in figures if pair[0] != pair[1]] == []


WAITING: dict[str, object] = {"target": {"capacity": "40/s"}, "load": {"rate": "400/s"}}
QUEUEING: dict[str, object] = {
    "target": {"workers": 4, "service_time": "100ms", "queue": 60},
    "load": {"rate": "60/s", "timeout": "1s"},
}
BY_CHANCE: dict[str, object] = {**WAITING, "simulation": {"admits": "by-chance"}}


@pytest.mark.parametrize("tables", [WAITING, QUEUEING, BY_CHANCE])
@pytest.mark.parametrize("end_s", [2.6, 3.5, 4.55])
def test_what_came_after_the_end_of_a_run_is_not_predicted(
    tmp_path: Path, tables: dict[str, object], end_s: float
) -> None:
    """Cut before its dip, in it or after it: who failed only then is in neither."""
    scenario = short(**tables, policies=[{"name": "full-jitter-budget"}, {"name": "full-jitter"}])
    source = "simulated" if tables is BY_CHANCE else "live"
    run = write(tmp_path / "run", played(scenario, until_s=end_s, source=source))
    report, prediction = build_report(run), predicted(run, 1)
    figures = every_figure(report, prediction)
    assert [pair for pair in figures if pair[0] != pair[1]] == []
    assert len(prediction.notes) == 1  # that it ended early
    assert all(policy.unfinished for policy in report.policies)


@pytest.mark.parametrize("tables", [WAITING, QUEUEING, BY_CHANCE])
def test_a_run_cut_short_is_the_beginning_of_the_whole_one(tables: dict[str, object]) -> None:
    """The same arrivals, and the same attempts in every tick: nothing is drawn anew."""
    whole, cut = (played(short(**tables), until_s=end_s) for end_s in (math.inf, 5.0))
    assert cut.end.t_s == 5.0
    for one, other in zip(cut.lanes, whole.lanes, strict=True):
        assert np.array_equal(one.metered.offered[:, :50], other.metered.offered[:, :50])
        assert not one.metered.offered[:, 50:].any()


def test_what_the_scenario_does_not_plan_is_said(tmp_path: Path) -> None:
    """A dip by hand; not one that began a tick late, as they do."""
    run = played(short())
    [dip] = run.faults
    late = replace(run, faults=(replace(dip, start_s=dip.start_s + 0.1, end_s=dip.end_s + 0.1),))
    assert predicted(write(tmp_path / "late", late), 1).notes == ()
    by_hand = replace(run, faults=(dip, Fault("dip", "dip-2", 6.0, 7.0, "50%")))
    [note] = predicted(write(tmp_path / "by-hand", by_hand), 1).notes
    assert note == (
        "What disturbed this run is not what its scenario plans, and the plan is what was "
        "simulated."
    )
    moved = replace(run, faults=(replace(dip, start_s=4.0, end_s=5.0),))
    assert predicted(write(tmp_path / "moved", moved), 1).notes == (note,)


def test_the_capacity_of_another_target_is_predicted_and_said(tmp_path: Path) -> None:
    """With 400/s its lane is never full: nothing fails."""
    planned = played(short()).header.scenario
    other = short(target={"capacity": "400/s"}, dips=[{"capacity": "50%", "for": "1s"}])
    prediction = predicted(write(tmp_path / "run", played(other, scenario=planned)), 2)
    assert prediction.notes[0].endswith("simulated as it was: capacity 400/s and not 40/s.")
    assert prediction.lanes[0].failed == Range(0, 0, 0)
