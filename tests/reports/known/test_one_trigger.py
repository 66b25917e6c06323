"""One trigger, and what is true of the load after it, known to the tick."""

import random
from dataclasses import dataclass

import pytest

from reports.measuring.recovery import Aftermath, Recovery
from tests.reports.known.making import CALM, Dip, KnownLane, KnownRun, Piece, wave


@dataclass(frozen=True)
class Case:
    """Seconds from the end of the trigger; `None`: it did not come about."""

    run: KnownRun
    first_fit_s: float | None
    settled_s: float | None
    relapses: tuple[float, ...] = ()
    over_s: float = 12.0
    length_s: float = 2.0
    count: int = 1
    invalid: str = ""


def after(*waves: Piece, length_s: float = 42.0, dips: tuple[Dip, ...] = ()) -> KnownRun:
    """A dip from 10 s to 12 s, unless said."""
    return KnownRun((KnownLane(waves),), dips or (Dip(10.0, 12.0),), length_s)


CASES = {
    "no storm at all": Case(after(), 0.0, 0.0),
    "a storm that ends with the dip": Case(after(wave(10, 12)), 0.0, 0.0),
    "recovery during the dip": Case(after(wave(10, 11)), 0.0, 0.0),
    "load fits in what the dip left": Case(after(wave(11, 12, 20)), 0.0, 0.0),
    "a storm of 3 s": Case(after(wave(10, 15)), 3.0, 3.0),
    "a storm that begins after a calm second": Case(after(wave(13, 15)), 0.0, 3.0),
    "a second wave 4 s later": Case(after(wave(10, 14), wave(18, 20)), 2.0, 8.0),
    "three waves 4 s apart": Case(after(wave(10, 13), wave(17, 18), wave(22, 23)), 1.0, 11.0),
    # A window of 1 s is high with two ticks of a wave in it (8 · 80 + 2 · 200 > 10 · 100): the last
    # one of a wave that ends at 14.0 s begins at 13.8 s, and the first of one that begins at 19.7 s
    # at 18.9 s. In between, from 13.9 s to 18.8 s, begin 50, which are 5 s.
    "a second wave 5.6 s later is of the storm": Case(
        after(wave(10, 14), wave(19.6, 21)), 2.0, 9.0
    ),
    "a second wave 5.7 s later is a relapse": Case(
        after(wave(10, 14), wave(19.7, 21)), 2.0, 2.0, relapses=(130.0,)
    ),
    "a relapse after a minute": Case(
        after(wave(10, 15), wave(72, 75), length_s=100.0), 3.0, 3.0, relapses=(300.0,)
    ),
    "two relapses": Case(
        after(wave(10, 15), wave(30, 31), wave(50, 52), length_s=70.0),
        3.0,
        3.0,
        relapses=(100.0, 200.0),
    ),
    "a relapse of a lane that settled at once": Case(
        after(wave(20, 22)), 0.0, 0.0, relapses=(200.0,)
    ),
    "a storm without an end": Case(after(wave(10, 42)), None, None),
    "waves that never leave 5 s": Case(
        after(*(wave(start, start + 1) for start in range(12, 42, 4))), 1.0, None
    ),
    # The last window begins 1 s before the end: 50 from 36.1 s to 41.0 s, of which none is high.
    "calm for 5.8 s before the end": Case(after(wave(10, 36.2)), 24.2, 24.2),
    "calm for 5.7 s before the end": Case(after(wave(10, 36.3)), 24.3, None),
    "two dips that overlap": Case(
        after(wave(10, 18), dips=(Dip(10, 13), Dip(12, 15))),
        3.0,
        3.0,
        over_s=15.0,
        length_s=5.0,
        count=2,
    ),
    "two dips that touch": Case(
        after(wave(10, 18), dips=(Dip(10, 13), Dip(13, 15))),
        3.0,
        3.0,
        over_s=15.0,
        length_s=5.0,
        count=2,
    ),
    "a dip within another": Case(
        after(wave(10, 18), dips=(Dip(10, 16), Dip(12, 13, left=0.0))),
        2.0,
        2.0,
        over_s=16.0,
        length_s=6.0,
        count=2,
    ),
    "two dips within a third": Case(
        after(wave(10, 18), dips=(Dip(10, 16), Dip(11, 12, left=0.0), Dip(14, 15, left=0.0))),
        2.0,
        2.0,
        over_s=16.0,
        length_s=6.0,
        count=3,
    ),
    "two dips that end together": Case(
        after(wave(10, 18), dips=(Dip(10, 16), Dip(12, 16, left=10.0))),
        2.0,
        2.0,
        over_s=16.0,
        length_s=6.0,
        count=2,
    ),
    "a capacity that comes back in three dips that touch": Case(
        after(wave(10, 20), dips=(Dip(10, 12), Dip(12, 15, left=40.0), Dip(15, 18, left=70.0))),
        2.0,
        2.0,
        over_s=18.0,
        length_s=8.0,
        count=3,
    ),
    "a capacity that climbs, and a second in which the load fits": Case(
        after(wave(10, 13), wave(13, 14, 30)).but(
            climbs=(Piece(12, 15, 40.0), Piece(15, 18, 70.0))
        ),
        1.0,
        6.0,
        invalid="the capacity of every lane was changed from 100/s to 40/s in a dip that ended",
    ),
    "a capacity that climbs when the dip is over": Case(
        after(wave(10, 13)).but(climbs=(Piece(12, 15, 40.0), Piece(15, 18, 70.0))),
        6.0,
        6.0,
        invalid="the capacity of every lane was changed from 100/s to 40/s in a dip that ended",
    ),
}


def measured(run: KnownRun) -> tuple[Recovery, Aftermath]:
    [found] = run.report().policies
    assert found.after is not None
    return found, found.after


@pytest.mark.parametrize("name", CASES)
def test_first_fit_settled_and_relapses(name: str) -> None:
    case = CASES[name]
    found, then = measured(case.run)
    assert then.first_fit_s == pytest.approx(case.first_fit_s)
    assert then.settled_s == pytest.approx(case.settled_s)
    assert [one.attempts for one in then.relapses] == pytest.approx(list(case.relapses))
    times = None if case.settled_s is None else case.settled_s / case.length_s
    assert then.times_trigger == pytest.approx(times)
    assert found.trigger is not None
    assert found.trigger.end_s == pytest.approx(case.over_s)
    assert found.trigger.length_s == pytest.approx(case.length_s)
    assert (found.trigger.count, len(found.episodes)) == (case.count, 1)
    assert found.episodes[0].together == case.count
    said = any("are one, measured after the last" in note for note in case.run.report().notes)
    assert said is (case.count > 1)


@pytest.mark.parametrize("name", CASES)
def test_what_is_counted(name: str) -> None:
    case = CASES[name]
    run = case.run
    [lane] = run.lanes
    found, then = measured(run)
    assert then.storm_attempts == pytest.approx(run.storm(lane, case.over_s))
    assert found.attempts == pytest.approx(run.attempts(lane))
    assert found.requests == pytest.approx(run.requests(lane))
    assert found.failed == pytest.approx(run.failed(lane))
    assert found.amplification == pytest.approx(run.attempts(lane) / run.requests(lane))
    assert found.peak_per_s == pytest.approx(run.peak(lane))
    assert found.cost is not None
    assert found.cost.failed_anyway == pytest.approx(run.failed(lane, end_s=case.over_s))


@pytest.mark.parametrize("name", CASES)
def test_whether_it_is_valid(name: str) -> None:
    found = CASES[name].run.report().invalid_because
    if CASES[name].invalid:
        assert [reason for reason in found if CASES[name].invalid in reason] == list(found)
    else:
        assert found == ()


@pytest.mark.parametrize("tick_s", [0.05, 0.25, 1.0])
@pytest.mark.parametrize(
    "name",
    [
        "no storm at all",
        "a storm of 3 s",
        "a second wave 4 s later",
        "a relapse after a minute",
        "two dips that overlap",
        "a capacity that comes back in three dips that touch",
        "a storm without an end",
    ],
)
def test_ticks_of_another_width_change_nothing(name: str, tick_s: float) -> None:
    case = CASES[name]
    run = case.run.but(tick_s=tick_s)
    [lane] = run.lanes
    found, then = measured(run)
    assert then.first_fit_s == pytest.approx(case.first_fit_s)
    assert then.settled_s == pytest.approx(case.settled_s)
    assert [one.attempts for one in then.relapses] == pytest.approx(list(case.relapses))
    assert then.storm_attempts == pytest.approx(run.storm(lane, case.over_s))
    assert found.amplification == pytest.approx(run.attempts(lane) / run.requests(lane))
    assert run.report().valid


@pytest.mark.parametrize("shift_s", [0.01, 0.03, 0.049, 0.051, 0.08])
@pytest.mark.parametrize("storm_s", [0.0, 1.0, 3.0])
def test_between_two_ticks_it_is_true_to_a_tick(shift_s: float, storm_s: float) -> None:
    """Neither the dip nor the wave begins or ends with a tick."""
    dip = Dip(10 + shift_s, 12 + shift_s)
    run = after(wave(10 + shift_s, 12 + shift_s + storm_s + 0.02), dips=(dip,))
    found, then = measured(run)
    assert then.first_fit_s == pytest.approx(storm_s + 0.02, abs=0.1)
    assert then.settled_s == pytest.approx(storm_s + 0.02, abs=0.1)
    [lane] = run.lanes
    assert then.storm_attempts == pytest.approx(run.storm(lane, dip.end_s), abs=10)
    assert found.failed == pytest.approx(run.failed(lane), abs=8)
    assert run.report().valid


@pytest.mark.parametrize("storm_s", [0, 1, 5, 20])
@pytest.mark.parametrize("seed", range(3))
def test_noise_below_capacity_moves_nothing(storm_s: int, seed: int) -> None:
    """Two attempts a tick more or less, and in no second more or less than without: truth stays."""
    noise: list[int] = []
    draw = random.Random(seed)
    for _ in range(42):
        second = [-2, -2, -1, -1, 0, 0, 1, 1, 2, 2]
        draw.shuffle(second)
        noise += second
    waves = (wave(10, 12 + storm_s),)
    run = KnownRun((KnownLane(waves, noise=tuple(noise)),))
    [lane] = run.lanes
    found, then = measured(run)
    assert then.first_fit_s == pytest.approx(storm_s)
    assert then.settled_s == pytest.approx(storm_s)
    assert not then.relapses
    assert found.attempts == pytest.approx(run.attempts(lane))
    assert found.requests == pytest.approx(42 * CALM)
    assert then.storm_attempts == pytest.approx(run.storm(lane, 12.0))
