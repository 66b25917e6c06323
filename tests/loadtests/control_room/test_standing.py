"""How a lane stands where ticks are no longer kept, or where the load is not ours."""

from dataclasses import replace

import pytest

from loadtests.control_room.clients import by_due
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.metered.history import History
from loadtests.control_room.standing.judgement import Memory
from loadtests.control_room.standing.standings import standings
from reports.record import End, Fault
from tests.loadtests.control_room.metered import (
    EPOCH_S,
    OFFSET_S,
    all_after,
    reported,
    rows_of,
    standing_after,
    state_at,
    told,
    words,
)
from tests.loadtests.control_room.test_agreement import loud, made_of, ragged, served
from tests.reports.synthetic import TICK_S, Made, Shape, plain, storm

DIP = Fault("dip", "dip-1", 10.0, 12.0, "20/s")
RUN = Made([Shape("a", plain(storm(30)))], planned_end_s=None, end=None)
KEPT = 150
"""Fifteen seconds: less than it takes from before the dip to the end of the hold."""


def long_storm(length: int) -> Made:
    totals = storm(length, ticks=length + 320)
    return replace(RUN, shapes=[Shape("a", plain(totals))], ticks=len(totals))


def test_what_a_lane_settled_after_stands_when_its_ticks_are_gone() -> None:
    """For whoever looked on."""
    after = reported(RUN).after
    assert after is not None
    [standing] = all_after(RUN, 420, told(RUN), KEPT, every=3)
    assert standing.state.text == f"settled after {after.settled_s:.1f} s"


def test_a_storm_longer_than_what_is_kept_is_still_one_and_has_its_clock() -> None:
    """It is measured from the end of the dip, whose ticks are gone."""
    made = long_storm(400)
    [standing] = all_after(made, 500, told(made), KEPT, every=3)
    assert (standing.state.word, standing.state.text) == ("storm", "storm for 38.0 s")


def test_a_storm_longer_than_what_is_kept_settles_when_the_report_says_so() -> None:
    """To the tick."""
    made = long_storm(400)
    after = reported(made).after
    assert after is not None
    [standing] = all_after(made, made.ticks, told(made), KEPT, every=3)
    assert standing.state.text == f"settled after {after.settled_s:.1f} s"
    assert after.settled_s == 40.0


def test_the_load_before_the_dip_is_remembered_when_its_ticks_are_gone() -> None:
    """The noise in it says which windows are high."""
    totals = ragged(200)
    made = replace(RUN, shapes=[Shape("a", plain(totals))], ticks=len(totals))
    after = reported(made).after
    assert after is not None
    [standing] = all_after(made, made.ticks, told(made), KEPT, every=3)
    assert standing.state.text == f"settled after {after.settled_s:.1f} s"


def test_a_load_that_is_not_ours_and_ends_in_the_storm_has_not_settled() -> None:
    """It is silent, not under capacity."""
    cut = replace(RUN, shapes=[Shape("a", plain(storm(300, ticks=160) + [0] * 90))], ticks=250)
    state = standing_after(cut, 250, told(cut, ours=False)).state
    assert (state.word, state.text) == ("idle", "no load: not recovered within 4.0 s")


def test_a_relapse_after_the_ticks_are_gone_is_one() -> None:
    """With a clock of its own, and counted when it is over."""
    totals = storm(30, ticks=600)
    totals[500:530] = [20] * 30
    made = replace(RUN, shapes=[Shape("a", plain(totals))], ticks=600)
    [during] = all_after(made, 525, told(made), KEPT, every=3)
    assert during.state.word == "relapse"
    assert during.state.text.startswith("relapse for ")
    assert 1.0 < float(during.state.text.split()[2]) < 3.0
    [after] = all_after(made, 600, told(made), KEPT, every=3)
    assert after.state.text == "settled after 3.0 s, 1 relapse"


def test_nothing_is_said_of_how_it_settled_where_that_was_not_seen() -> None:
    """Only how it is now, and how long ago the dip was."""
    calm = standing_after(RUN, 420, told(RUN), KEPT).state
    assert (calm.word, calm.text) == ("steady", "steady")
    assert "the dip ended 30 s ago, and what came then was not seen" in calm.detail
    made = long_storm(400)
    high = standing_after(made, 500, told(made), KEPT).state
    assert (high.word, high.text) == ("storm", "storm: above capacity 38 s after the dip")


def test_a_dip_that_was_over_before_the_run_is_no_part_of_it() -> None:
    """As in its record: the run's load is steady, or overloaded."""
    old = Fault("dip", "dip-1", -20.0, -18.0, "20/s")
    made = replace(RUN, dips=(old,))
    found = [standing_after(made, ticks, told(made)).state.word for ticks in (90, 140, 200)]
    assert found == ["steady", "overloaded", "steady"]


def test_a_load_that_is_not_ours_is_judged_from_its_first_second_on() -> None:
    """By the same rules: here the target runs alone for five seconds first."""
    quiet = replace(RUN, shapes=[Shape("a", [[0, 0]] * 50 + plain(storm(30))[50:])])
    nobody = told(quiet, ours=False)
    found = [standing_after(quiet, ticks, nobody).state for ticks in (40, 90, 110, 140, 220)]
    assert [state.word for state in found] == ["idle", "steady", "dipped", "storm", "settled"]
    assert found[-1].text == "settled after 3.0 s"


def test_dips_before_a_load_that_is_not_ours_do_not_count() -> None:
    """A silence of ten seconds parts one load from the next."""
    again = replace(RUN, shapes=[Shape("a", plain(storm(30, ticks=220) + [0] * 120 + [9] * 80))])
    nobody = told(again, ours=False)
    assert standing_after(again, 220, nobody).state.text == "settled after 3.0 s"
    assert standing_after(again, 400, nobody).state.word == "steady"


def test_load_that_goes_on_when_our_run_has_ended_is_somebody_elses() -> None:
    """So the next dip is judged, too."""
    late = Fault("dip", "dip-2", 30.0, 31.0, "20/s")
    made = replace(
        RUN,
        dips=(DIP, late),
        end=End(22.0),
        capacity=lambda tick: 2.0 if 100 <= tick < 120 or 300 <= tick < 310 else 10.0,
    )
    tally = told(made)
    assert standing_after(made, 225, tally).state.text == "settled after 3.0 s"
    assert standing_after(made, 290, tally).state.word == "steady"
    assert standing_after(made, 305, tally).state.word == "dipped"
    assert standing_after(made, 400, tally).state.text == "settled after 0.0 s"


def test_lanes_without_load_are_shown_when_there_is_no_run() -> None:
    """With one, only its own and those that are loaded."""
    shapes = [Shape("a", plain(storm(0))), Shape("old", []), Shape("other", plain(storm(0)))]
    made = replace(RUN, shapes=shapes)
    assert words(all_after(made, 90, told(made, ours=False))) == {
        "a": "steady",
        "old": "idle",
        "other": "steady",
    }
    tally = ClientTally(lambda: EPOCH_S)
    tally.take([replace(made.header(), lanes=made.header().lanes[:1])])
    assert words(all_after(made, 90, tally)) == {"a": "steady", "other": "steady"}


def test_a_lane_of_the_run_that_the_target_has_not_is_idle() -> None:
    """Nothing of it has arrived there."""
    made = replace(RUN, shapes=[*RUN.shapes, Shape("b", [])])
    history = History(TICK_S)
    history.add(rows_of(RUN)[:90])
    found = list(standings(history, state_at(RUN, 109.0), OFFSET_S, told(made), {}))
    assert words(found) == {"a": "steady", "b": "idle"}


def test_a_dip_is_in_force_until_a_tick_has_been_seen_after_it() -> None:
    """At the very end nothing came after it yet, and the load in it is nobody's overload."""
    seen = [standing_after(RUN, ticks, told(RUN)).state.word for ticks in (119, 120, 121)]
    assert seen == ["dipped", "dipped", "storm"]


@pytest.mark.parametrize("ticks", [125, 200, 420])
def test_a_lane_of_the_run_that_nothing_came_to_has_nothing_to_recover_from(ticks: int) -> None:
    """What was offered before the run, say by an audit, is no load of it."""
    earlier = [[0, 9]] * 3
    lane = replace(RUN, shapes=[*RUN.shapes, Shape("b", [])])
    found = all_after(lane, ticks, told(lane))
    assert (found[1].state.word, found[1].state.text) == ("idle", "no load")
    touched = replace(RUN, shapes=[*RUN.shapes, Shape("b", earlier)])
    tally = told(touched)
    begun_late = replace(touched.header(), anchor_epoch_s=EPOCH_S + 1.0)
    tally.take([begun_late])
    found = all_after(touched, ticks, tally)
    assert (found[1].state.word, found[1].state.text) == ("idle", "no load")


def test_a_lane_that_only_an_audit_touches_is_not_judged_by_the_run() -> None:
    """A few attempts in it while the run goes on; the dip is for all lanes."""
    audited = [[0, 2] if tick in {20, 30, 35} else [0, 0] for tick in range(420)]
    made = replace(RUN, shapes=[*RUN.shapes, Shape("audited", audited)])
    tally = told(RUN)
    for ticks in (130, 200, 420):
        found = all_after(made, ticks, tally)
        assert (found[1].state.word, found[1].state.text) == ("idle", "no load")


def test_a_run_that_ends_in_a_dip_has_not_recovered() -> None:
    """Whatever was in force is taken back then, and nothing comes after it."""
    second = Fault("dip", "dip-2", 16.0, 18.0, "20/s")
    totals = storm(300, ticks=180) + [0] * 240
    made = replace(RUN, shapes=[Shape("a", plain(totals))], dips=(DIP, second), end=End(17.5))
    state = standing_after(made, 260, told(made)).state
    assert (state.word, state.text) == ("idle", "no load: not recovered")
    assert state.detail == "the load ended before the dip did"


@pytest.mark.parametrize("stray_s", [7, 60])
@pytest.mark.parametrize(("length", "said"), [(30, "settled after 3.0 s"), (300, "no load: not")])
def test_a_stray_attempt_after_the_end_takes_no_verdict_away(
    stray_s: int, length: int, said: str
) -> None:
    """A gateway may retry long after its client has gone."""
    totals = storm(length, ticks=250) + [0] * 700
    totals[250 + stray_s * 10] = 1
    made = replace(RUN, shapes=[Shape("a", plain(totals))], ticks=950, end=End(25.0))
    for after_s in (6, stray_s + 0.5, stray_s + 5):
        state = standing_after(made, 250 + round(after_s * 10), told(made)).state
        assert state.text.startswith(said), after_s


def test_a_load_of_somebody_elses_takes_over_when_it_has_gone_on_for_five_seconds() -> None:
    """However often a stray attempt came before."""
    totals = storm(30, ticks=250) + [0] * 70 + [1] + [0] * 79 + [9] * 100
    made = replace(RUN, shapes=[Shape("a", plain(totals))], ticks=500, end=End(25.0))
    found = [standing_after(made, ticks, told(made)).state.text for ticks in (445, 449, 451, 490)]
    assert found == ["settled after 3.0 s", "settled after 3.0 s", "steady", "steady"]


def test_what_a_lane_starved_for_stands_when_its_ticks_are_gone() -> None:
    """And when goodput comes back at last, it has settled."""
    starving = served(storm(30, ticks=900), lambda tick: 0 if 100 <= tick < 700 else 9)
    tally = told(starving)
    [during] = all_after(starving.but(ticks=600), 600, told(starving.but(ticks=600)), KEPT, every=3)
    assert during.state.word == "starved"
    [after] = all_after(starving, 900, tally, KEPT, every=3)
    assert after.state.text == "settled after 3.0 s"


def ten_dips() -> Made:
    """A dip every 30 s, each with a longer storm, and then load as high as noise was before."""
    totals = ragged(0)[:100]
    for number in range(10):
        high = 20 + 10 + 3 * number
        totals += [24] * high + [11] * (300 - high)
    begins_s = [10.0 + 30.0 * number for number in range(10)]
    return made_of(
        totals,
        dips=[Fault("dip", f"dip-{at_s}", at_s, at_s + 2.0, "20/s") for at_s in begins_s],
        capacity=lambda tick: 2.0 if tick >= 100 and (tick - 100) % 300 < 20 else 10.0,
    )


@pytest.mark.parametrize("kept", [KEPT, 12_000])
def test_each_of_ten_dips_is_judged_by_the_load_before_the_first(kept: int) -> None:
    """As in the report, though its ticks are gone: what was noise then is no storm now."""
    made, found = ten_dips(), list[str]()
    history, memories, tally = History(TICK_S, kept), dict[str, Memory](), told(made)
    for tick, row in enumerate(rows_of(made)):
        history.add([row])
        soon_again = tick > 100 and (tick - 100) % 300 == 290
        if tick % 3 and not soon_again:
            continue
        target = state_at(made, history.end_s)
        [standing] = standings(history, target, OFFSET_S, tally, memories)
        if soon_again:
            after = reported(made.but(ticks=tick + 1)).after
            assert after is not None
            assert standing.state.text == f"settled after {after.settled_s:.1f} s"
            found.append(standing.state.text)
    assert found == [f"settled after {1 + 0.3 * number:.1f} s" for number in range(10)]


def test_load_above_capacity_before_is_remembered_when_its_ticks_are_gone() -> None:
    """There is still nothing to come back to."""
    made = replace(RUN, shapes=[Shape("a", plain(loud()))])
    [state] = [one.state for one in all_after(made, 420, told(made), KEPT, every=3)]
    assert (state.word, state.text) == ("overloaded", "above capacity before the dip already")
    assert state.detail.endswith("; no recovery can be measured")


def test_a_lane_that_was_loaded_only_after_the_dip_has_no_recovery() -> None:
    """The report does not take such a run for valid."""
    made = replace(RUN, shapes=[*RUN.shapes, Shape("late", [[0]] * 200 + [[9]] * 220)])
    tally = told(made)
    found = [all_after(made, ticks, tally)[1].state for ticks in (150, 300)]
    assert [state.text for state in found] == ["no load", "steady"]
    assert found[1].detail.endswith("there was no load before the dip: no recovery can be measured")


def test_goodput_that_was_back_stays_so_when_it_is_no_longer_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Requests that fail for another reason, much later, take nothing away."""
    monkeypatch.setattr(by_due, "KEPT_BINS", KEPT)
    made = served(storm(30, ticks=600), lambda tick: 0 if 100 <= tick < 130 or tick > 400 else 9)
    tally, found = ClientTally(lambda: EPOCH_S), ""
    history, memories = History(TICK_S, KEPT), dict[str, Memory]()
    tally.take([made.header()])
    for tick, row in enumerate(rows_of(made)):
        history.add([row])
        tally.take([made.shapes[0].requests[tick]])
        target = state_at(made, history.end_s)
        if tick % 3 == 0:
            [standing] = standings(history, target, OFFSET_S, tally, memories)
            found = standing.state.text
    assert found == "settled after 3.0 s"


def test_attempts_are_not_known_where_ticks_were_lost() -> None:
    """They are since the run's begin, or nothing."""
    history, tally = History(TICK_S), told(RUN)
    rows = rows_of(RUN)
    for part in (rows[:50], rows[60:100]):
        history.add(part)
        [standing] = standings(history, state_at(RUN, history.end_s), OFFSET_S, tally, {})
        assert (standing.offered_in_run is None) == (part != rows[:50])
