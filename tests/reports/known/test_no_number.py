"""Where nothing can be told there is no number, and it is said why."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aftershock_verbs import app_for
from reports.measuring.catalogue import MEASURES
from reports.measuring.recovery import Recovery
from reports.rendering import sentences
from reports.rendering.to_json import to_json
from tests.reports.known.making import CALM, Dip, KnownLane, KnownRun, wave

NO_DIP = KnownRun((KnownLane((wave(20, 23),)), KnownLane((), "b")), dips=())
AFTER = {
    "first_fit_s",
    "settled_s",
    "times_trigger",
    "goodput_back_s",
    "relapses",
    "storm_attempts",
    "failed_anyway",
    "goodput_lost",
    "latency_back_s",
    "work_lost",
}
"""What there is after a trigger only."""


def test_without_a_dip_nothing_is_measured_and_the_command_says_so(tmp_path: Path) -> None:
    folder = NO_DIP.made().write(tmp_path / "run")
    done = CliRunner().invoke(app_for(["report"]), ["report", str(folder)])
    assert done.exit_code == 2, done.output
    text = " ".join(done.stdout.split())
    assert text.startswith("NOT VALID: No dip was found in this run, so there is no recovery")
    assert "no dip found: the record tells of no lowered capacity" in text
    found = json.loads((folder / "report.json").read_text())
    assert (found["trigger"], found["valid"], found["distributions"]) == (None, False, [])
    for policy in found["policies"]:
        assert {name for name in AFTER if policy[name] is None} == AFTER
        assert (policy["episodes"], policy["recovered"]) == ([], None)
        known = {one.name for one in MEASURES} - AFTER
        assert all(isinstance(policy[name], int | float) for name in known)


def test_what_is_counted_is_told_without_a_dip_too() -> None:
    [lane, other] = NO_DIP.lanes
    for one, policy in zip((lane, other), NO_DIP.report().policies, strict=True):
        assert policy.attempts == pytest.approx(NO_DIP.attempts(one))
        assert policy.requests == pytest.approx(NO_DIP.requests(one))
        assert policy.peak_per_s == pytest.approx(NO_DIP.peak(one))


def test_a_dip_that_was_over_before_it_began_is_none() -> None:
    """It was taken back: its line has no length."""
    assert NO_DIP.but(dips=(Dip(10, 10),)).report().trigger is None


def test_a_dip_after_the_end_of_the_load_is_none() -> None:
    assert NO_DIP.but(dips=(Dip(42, 44),)).report().trigger is None


def cut(at_s: float, *, ended: bool) -> KnownRun:
    """The storm ends at 15 s, the run somewhere in the 5 s that make sure."""
    return KnownRun((KnownLane((wave(10, 15),)),), length_s=at_s, ended=ended)


def after_of(run: KnownRun) -> tuple[float | None, float | None]:
    [policy] = run.report().policies
    assert policy.after is not None
    return policy.after.settled_s, policy.after.calm_from_s


@pytest.mark.parametrize("at_s", [17.0, 18.5, 20.7])
def test_a_run_that_is_cut_off_in_the_hold_has_no_number_and_is_not_valid(at_s: float) -> None:
    """It says from when on it was calm: the last second with a storm in it ends by 15.8 s."""
    run = cut(at_s, ended=False)
    settled_s, calm_from_s = after_of(run)
    assert settled_s is None
    assert calm_from_s == pytest.approx(3.8)
    report = run.report()
    assert f"the record breaks off {at_s:.1f} s into the run: it has no end line" in (
        report.invalid_because
    )
    assert "was under capacity 3.8 s after" in sentences.headline(report)
    [policy] = json.loads(to_json(report))["policies"]
    assert (policy["settled_s"], policy["times_trigger"], policy["recovered"]) == (
        None,
        None,
        False,
    )


def test_a_run_that_is_cut_off_after_the_hold_has_a_number_and_is_not_valid() -> None:
    run = cut(20.8, ended=False)
    assert after_of(run)[0] == pytest.approx(3.0)
    assert not run.report().valid


def test_a_run_that_ends_in_the_hold_was_not_watched_long_enough() -> None:
    """Valid, for all is as it was planned; and no number."""
    run = cut(20.0, ended=True)
    settled_s, calm_from_s = after_of(run)
    assert settled_s is None
    assert calm_from_s == pytest.approx(3.8)
    report = run.report()
    assert report.valid
    assert any("watched for less than the 5 s more" in text for text in sentences.remarks(report))


def test_a_run_that_ends_in_the_dip_has_seen_no_recovery() -> None:
    report = cut(11.0, ended=True).report()
    assert "only 0.0 s were observed after the dip" in report.invalid_because[0]
    assert after_of(cut(11.0, ended=True)) == (None, None)


def late(appears_s: float, *waves: tuple[float, float]) -> tuple[Recovery, KnownRun]:
    """Beside a lane that was there from the beginning."""
    lane = KnownLane(tuple(wave(*one) for one in waves or [(10, 15)]), "late", appears_s)
    run = KnownRun((KnownLane((wave(10, 13),)), lane))
    return run.report().policies[1], run


def test_a_lane_that_appears_well_before_the_dip_is_measured_like_any() -> None:
    """That there was no load before it is no noise of the lane, which would hide its storm."""
    found, run = late(5.0)
    assert found.after is not None
    assert (found.after.first_fit_s, found.after.settled_s) == pytest.approx((3.0, 3.0))
    assert not found.after.noise_hides
    assert found.offered_before_per_s == pytest.approx(CALM)
    assert found.attempts == pytest.approx(run.attempts(run.lanes[1]))
    assert run.report().valid


def test_a_lane_that_appears_just_before_the_dip_has_nothing_to_compare_with() -> None:
    _, run = late(9.5)
    assert run.report().invalid_because == (
        "less than 1 s was recorded before the dip in `late`: there is nothing to compare with",
    )


def test_a_lane_that_appears_in_the_dip_had_no_load_before() -> None:
    """Its capacity is that of after the dip, and nobody is said to have changed it."""
    found, run = late(11.0)
    report = run.report()
    assert report.invalid_because == ("there was no load before the dip in `late`",)
    assert report.notes == ()
    assert found.capacity_per_s == pytest.approx(100)
    assert found.after is not None
    assert found.after.noise_per_s is None
    assert found.after.settled_s == pytest.approx(3.0)


@pytest.mark.parametrize("appears_s", [12.0, 20.0])
def test_a_lane_that_appears_after_the_dip_did_not_recover_from_it(appears_s: float) -> None:
    found, run = late(appears_s)
    assert (found.after, found.trigger, found.cost, found.episodes) == (None, None, None, ())
    report = run.report()
    assert report.valid, "the other was disturbed, and had load before"
    assert "Nothing disturbed `late`: there is no recovery to measure." in report.notes
    assert report.policies[0].after is not None


def test_a_lane_that_is_spared_may_appear_whenever_it_likes() -> None:
    lanes = (KnownLane((wave(10, 13),)), KnownLane((), "late", 9.5))
    report = KnownRun(lanes, (Dip(10, 12, lanes=("a",)),)).report()
    assert report.valid, report.invalid_because
    assert "Nothing disturbed `late`: there is no recovery to measure." in report.notes


def test_the_worst_second_of_a_lane_has_no_second_in_it_before_the_lane_appeared() -> None:
    """200/s in the 0.2 s from its first tick on, of which 80/s are new, and 80/s afterwards."""
    found, _ = late(20.0, (20.0, 20.2))
    assert found.worst_amplification == pytest.approx((2 * 20 + 8 * 8) / 80)


def test_a_lane_that_never_appears_has_no_number() -> None:
    found, run = late(42.0)
    assert found.after is None
    assert run.report().invalid_because == ("no tick was recorded for `late`",)
    assert not run.report().notes


def test_a_lane_that_appears_between_two_dips_is_measured_after_the_second() -> None:
    lanes = (KnownLane((wave(10, 13), wave(40, 43))), KnownLane((wave(40, 44),), "late", 20.0))
    run = KnownRun(lanes, (Dip(10, 12), Dip(40, 42)), 70.0)
    found = run.report().policies[1]
    assert len(found.episodes) == 1
    assert found.after is not None
    assert found.after.settled_s == pytest.approx(2.0)
    assert not found.after.noise_hides
    assert "there was no load before the dip in `late`" in run.report().invalid_because
