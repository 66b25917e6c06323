"""What the page says of a lane is what the report says of the same ticks."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from reports.folding.phases import find_phases
from reports.judging.validity import reasons
from reports.reading.read import parse_record
from reports.record import End, Fault, Requests
from tests.loadtests.control_room.metered import (
    all_after,
    reported,
    reported_of,
    standing_after,
    told,
    words,
)
from tests.reports.model_000 import POLICIES, large, small
from tests.reports.synthetic import TICK_S, Made, Shape, plain, storm

DIP = Fault("dip", "dip-1", 10.0, 12.0, "20/s")


def made_of(totals: list[int], **changes: object) -> Made:
    """A run with one lane and no planned end that goes on."""
    made = Made([Shape("a", plain(totals))], ticks=len(totals), planned_end_s=None, end=None)
    return made.but(**changes)


def relapsing() -> list[int]:
    """A storm of 3 s, calm for 10 s, a wave of 2 s, calm."""
    totals = storm(30)
    totals[250:270] = [20] * 20
    return totals


def ragged(length: int, ticks: int = 420) -> list[int]:
    """A storm that fits in capacity in every third tick, and noise before and after it."""
    rng = random.Random("ragged")
    return [
        (8 if tick % 3 == 0 else 24) if 100 <= tick < 120 + length else rng.choice((4, 6, 8, 9, 13))
        for tick in range(ticks)
    ]


def loud(ticks: int = 420) -> list[int]:
    """Load that is often above capacity, long before the dip."""
    rng = random.Random("loud")
    return [rng.choice((4, 7, 9, 11, 14, 16)) for _ in range(ticks)]


def answered(
    totals: Sequence[int], good: Callable[[int], int], lane: str = "a"
) -> tuple[Requests, ...]:
    """Nine requests due in each tick, `good` of which succeed; all of them are told of."""
    return tuple(
        Requests(
            tick * TICK_S, lane, 9, good(tick), Counter({"exhausted": 9 - good(tick)}), attempts
        )
        for tick, attempts in enumerate(totals)
    )


def served(totals: list[int], good: Callable[[int], int]) -> Made:
    """A run of which it is known what became of its requests."""
    return made_of(totals, shapes=[Shape("a", plain(totals), requests=answered(totals, good))])


SHAPES = {
    "load above capacity before the dip": made_of(loud()),
    "requests that fail ever after": served(storm(30), lambda tick: 9 if tick < 100 else 0),
    "requests that fail for ten seconds more": served(
        storm(30), lambda tick: 0 if 100 <= tick < 250 else 9
    ),
    "requests that are answered again": served(
        storm(30), lambda tick: 0 if 100 <= tick < 150 else 9
    ),
    "requests that fail as they did before": served(storm(30), lambda tick: 6),
    "requests that fail once more, much later": served(
        storm(30), lambda tick: 0 if 100 <= tick < 150 or tick >= 300 else 9
    ),
    "a ragged storm": made_of(ragged(60)),
    "no more above capacity than noise was before": made_of(ragged(0)[:120] + [11] * 300),
    "a ragged storm after two dips": made_of(
        ragged(60),
        dips=(DIP, Fault("dip", "dip-2", 13.0, 14.5, "20/s")),
        capacity=lambda tick: 2.0 if 100 <= tick < 120 or 130 <= tick < 145 else 10.0,
    ),
    "a storm of three seconds": made_of(storm(30)),
    "calm from the dip's end on": made_of(storm(0)),
    "a relapse": made_of(relapsing()),
    "back during the dip": made_of([9] * 420),
    "load that grew": made_of([9] * 100 + [12] * 20 + [9] * 300),
    "a spike": made_of(
        storm(17),
        capacity=lambda tick: 10.0,
        dips=(Fault("spike", "spike-1", 10.0, 12.0, text="3x"),),
    ),
    "errors": made_of(storm(23), dips=(Fault("error", "fault-1", 10.0, 12.0, text="500, 50%"),)),
    "two dips": made_of(
        storm(30),
        dips=(DIP, Fault("dip", "dip-2", 13.0, 14.5, "20/s")),
        capacity=lambda tick: 2.0 if 100 <= tick < 120 or 130 <= tick < 145 else 10.0,
    ),
    "a dip that outlasts a later one": made_of(
        storm(40),
        dips=(
            replace(DIP, end_s=15.0),
            Fault("error", "fault-1", 11.0, 12.0, text="500, 50%"),
        ),
        capacity=lambda tick: 2.0 if 100 <= tick < 150 else 10.0,
    ),
    "a dip from the first tick on": made_of(
        [20] * 40 + [9] * 200,
        dips=(replace(DIP, start_s=0.0, end_s=2.0),),
        capacity=lambda tick: 2.0 if tick < 20 else 10.0,
    ),
    **{
        f"article 000, {policy.name}": Made(
            [small(policy, 3)], ticks=400, planned_end_s=None, end=None
        )
        for policy in POLICIES
    },
    **{
        f"article 000 at its own scale, {policy.name}": Made(
            [large(policy, 5)],
            ticks=400,
            capacity=lambda tick: 20.0 if 100 <= tick < 120 else 100.0,
            planned_end_s=None,
            end=None,
        )
        for policy in POLICIES
    },
}


@pytest.mark.parametrize("made", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("seconds", [0, 2, 4, 7, 12, 28])
def test_settled_is_what_the_report_says(made: Made, seconds: int) -> None:
    """At every moment of the run: of a record that was cut off just then."""
    ticks = min(made.ticks, 125 + seconds * 10)
    cut = made.but(ticks=ticks)
    record = parse_record(cut.encoded())
    after = reported_of(record).after
    state = standing_after(made, ticks, told(cut)).state
    assert after is not None
    if "above capacity before" in " ".join(reasons(record, find_phases(record))):
        assert (state.word, state.text) == ("overloaded", "above capacity before the dip already")
    elif after.settled_s is None:
        calm = after.calm_from_s is not None
        assert state.word in {"storm", "settling", "dipped"}
        # In the first second there is no whole window yet that a report could call high.
        assert after.observed_s < 1.0 or (state.word == "settling") == calm
    else:
        assert state.word in {"settled", "relapse", "starved"}
        assert state.word == "relapse" or (state.word == "starved") == after.starved
        assert f"settled after {after.settled_s:.1f} s" in f"{state.text}; {state.detail}"
        again = len(after.relapses)
        assert state.word == "relapse" or ("relapse" in state.text) == bool(again)


def test_the_shapes_reach_every_word() -> None:
    """Else the test above would be empty. Four of them do, in a second; all would take a minute."""
    seen = set()
    for name in (
        "a relapse",
        "a spike",
        "requests that fail ever after",
        "load above capacity before the dip",
    ):
        made = SHAPES[name]
        tally = told(made)
        for ticks in range(80, made.ticks, 12):
            seen.add(standing_after(made, ticks, tally).state.word)
    assert seen >= {
        "steady",
        "overloaded",
        "dipped",
        "disturbed",
        "storm",
        "settling",
        "settled",
        "relapse",
        "starved",
    }


def test_a_lane_that_the_dip_is_not_for_is_not_judged_by_it() -> None:
    """As in the report, where it has no recovery."""
    one = replace(DIP, lanes=("a",))
    shapes = [Shape("a", plain(storm(30))), Shape("b", plain([9] * 420))]
    made = Made(shapes, capacity=lambda tick: 10.0, dips=(one,), planned_end_s=None, end=None)
    assert reported(made, 1).after is None
    assert words(all_after(made, 140, told(made))) == {"a": "storm", "b": "steady"}
    assert words(all_after(made, 110, told(made))) == {"a": "dipped", "b": "steady"}


def test_calm_after_the_run_has_ended_does_not_settle_it() -> None:
    """The load went because the users did."""
    made = made_of(storm(300, ticks=200) + [0] * 200, end=End(20.0))
    state = standing_after(made, 400, told(made)).state
    after = reported(made).after
    assert after is not None
    assert after.settled_s is None
    assert (state.word, state.text) == ("idle", "no load: not recovered within 8.0 s")


def test_what_a_run_had_settled_after_is_said_when_it_has_ended() -> None:
    """And no dip that comes later changes it: the report ends with the load."""
    late = Fault("dip", "dip-2", 38.0, 39.0, "20/s")
    made = made_of(storm(30, ticks=350) + [0] * 70, end=End(35.0), dips=(DIP, late))
    tally = told(made)
    assert standing_after(made, 385, tally).state.word == "dipped"
    state = standing_after(made, 420, tally).state
    assert (state.word, state.text) == ("settled", "settled after 3.0 s")
