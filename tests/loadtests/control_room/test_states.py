"""Each state has its word, and says in a sentence what is known."""

from dataclasses import replace

import pytest

from loadtests.control_room.standing import states
from loadtests.control_room.standing.judgement import Judgement
from loadtests.control_room.standing.states import State, rate, state_of
from reports.record import Fault

DIP = Fault("dip", "dip-1", 10.0, 12.0, "20%")
SPIKE = Fault("spike", "spike-1", 10.0, 12.0, text="3x")
NOW = Judgement(
    now_s=15.2, load_per_s=95.0, limit_per_s=100.0, capacity_per_s=100.0, high=False, ended=False
)
HIGH = replace(NOW, load_per_s=340.0, high=True)
AFTER = replace(NOW, trigger=DIP, observed_s=3.2, calm_s=2.1)
SETTLED = replace(AFTER, settled_s=4.1, now_s=30.0)


@pytest.mark.parametrize(
    ("found", "word", "text"),
    [
        (NOW, "steady", "steady"),
        (HIGH, "overloaded", "above capacity"),
        (replace(NOW, in_force=DIP, now_s=11.0), "dipped", "dipped: to 20%, 1.0 s left"),
        (replace(NOW, in_force=SPIKE, now_s=11.5), "disturbed", "disturbed: spike 3x, 0.5 s left"),
        (replace(HIGH, trigger=DIP), "storm", "storm for 3.2 s"),
        (AFTER, "settling", "settling: 2.1 s of 5 s"),
        (SETTLED, "settled", "settled after 4.1 s"),
        (replace(SETTLED, relapses=1), "settled", "settled after 4.1 s, 1 relapse"),
        (replace(SETTLED, relapses=2), "settled", "settled after 4.1 s, 2 relapses"),
        (replace(SETTLED, relapses=1, relapsed_at_s=28.5), "relapse", "relapse for 1.5 s"),
        (replace(SETTLED, in_force=DIP, now_s=11.0), "dipped", "dipped: to 20%, 1.0 s left"),
        (replace(AFTER, ended=True), "idle", "no load: not recovered within 3.2 s"),
        (replace(SETTLED, ended=True), "settled", "settled after 4.1 s"),
        (
            replace(NOW, trigger=DIP, cut_off=True, ended=True),
            "idle",
            "no load: not recovered",
        ),
        (
            replace(SETTLED, starved=True),
            "starved",
            "starved: load settled after 4.1 s, goodput not back",
        ),
        (replace(SETTLED, starved=True, relapsed_at_s=28.5), "relapse", "relapse for 1.5 s"),
        (replace(SETTLED, unsteady=True), "overloaded", "above capacity before the dip already"),
        (
            replace(AFTER, unsteady=True, ended=True),
            "idle",
            "no load: above capacity before the dip already",
        ),
        (replace(NOW, ended=True), "idle", "no load"),
    ],
)
def test_each_state_has_its_word_and_its_text(found: Judgement, word: str, text: str) -> None:
    """A dip in force comes before what was found after the one before."""
    state = state_of(found, 15.0)
    assert (state.word, state.text) == (word, text)


NO_LOAD = State("idle", "no load", "capacity 100/s")


def test_a_lane_without_an_attempt_for_three_seconds_is_idle() -> None:
    """Unless something is to be said of how it came back."""
    assert state_of(NOW, 12.2) == NO_LOAD
    assert state_of(AFTER, 12.2).word == "settling"


@pytest.mark.parametrize("loaded_s", [None, 0.0, -20.0])
@pytest.mark.parametrize("found", [NOW, AFTER, SETTLED, replace(SETTLED, ended=True)])
def test_a_lane_that_was_offered_nothing_is_idle_whatever_the_trigger(
    found: Judgement, loaded_s: float | None
) -> None:
    """It recovers from anything. What came before the run is not of it."""
    assert state_of(found, loaded_s).text == "no load"


def test_a_lane_that_was_loaded_only_after_the_dip_has_no_recovery() -> None:
    """How it is now is all there is to say."""
    late = replace(SETTLED, unloaded=True)
    state = state_of(late, 30.0)
    assert (state.word, state.text) == ("steady", "steady")
    assert "there was no load before the dip: no recovery can be measured" in state.detail
    assert state_of(replace(late, high=True), 30.0).word == "overloaded"
    assert state_of(late, 26.0) == NO_LOAD


def test_a_storm_says_how_much_is_offered_and_since_when() -> None:
    """Its clock counts from the end of the disturbance."""
    state = state_of(replace(HIGH, trigger=SPIKE), 15.2)
    assert state.detail == "offered 340/s against 100/s; the load spike ended 3.2 s ago"


def test_every_word_is_in_the_table() -> None:
    """And no other."""
    table = states.__doc__ or ""
    words = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    assert words == {
        "idle", "steady", "overloaded", "dipped", "disturbed", "storm", "settling", "settled",
        "relapse", "starved",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("per_s", "text"),
    [(95.4, "95/s"), (0.5, "0.5/s"), (0.0, "0/s"), (2.0, "2/s"), (9.96, "10/s")],
)
def test_rates_have_a_decimal_where_it_tells_more(per_s: float, text: str) -> None:
    """Below ten."""
    assert rate(per_s) == text
