"""Known answers: when is a storm over that is known to the tick."""

import numpy as np
import pytest

from reports.measuring.settling import Settling, above, first_fit, noise_level, settle
from reports.reading.series import Counts, Floats

CALM = np.full(100, 9, np.int64)
ROOM = np.full(300, 10.0)


def load(*steps: tuple[int, int]) -> Counts:
    """Load of 300 ticks after the dip: (ticks, height) one after the other, then 9 a tick."""
    after = np.full(300, 9, np.int64)
    place = 0
    for ticks, height in steps:
        after[place : place + ticks] = height
        place += ticks
    return after


def judge(offered: Counts, before: Counts = CALM, room: Floats = ROOM) -> Settling:
    return settle(before, 10.0, offered, room[: offered.size], 0.1)


@pytest.mark.parametrize("height", [12, 20, 40])
@pytest.mark.parametrize("length", [5, 10, 17, 60, 151, 229])
def test_a_storm_of_known_length_ends_within_a_tick(length: int, height: int) -> None:
    """Without noise, however high the storm and wherever it ends in a window."""
    assert judge(load((length, height))).settled == pytest.approx(length, abs=1)


def test_a_storm_that_ebbs_away_ends_where_it_crosses_capacity() -> None:
    falling = np.maximum(5, 20 - np.arange(300) // 10)
    assert judge(falling.astype(np.int64)).settled == pytest.approx(100, abs=1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("length", [20, 64, 150])
def test_with_noise_the_end_is_found_within_half_a_window(length: int, seed: int) -> None:
    """Poisson arrivals at 60% of capacity, a storm at twice capacity."""
    rng = np.random.default_rng(seed)
    before = rng.poisson(6.0, 100)
    after = np.concatenate((rng.poisson(20.0, length), rng.poisson(6.0, 300 - length)))
    assert judge(after, before).settled == pytest.approx(length, abs=5)


def test_noise_alone_is_no_storm() -> None:
    """Of 400 observations with Poisson arrivals and no storm, about 1% show one."""
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(400):
        found = judge(rng.poisson(7.0, 300), rng.poisson(7.0, 100))
        alarms += found.storm or bool(found.relapses)
    assert alarms <= 12


def test_load_below_capacity_has_settled_at_once() -> None:
    assert judge(load()) == Settling(0, (), 9.0)


def test_constant_arrivals_just_below_capacity_are_no_storm() -> None:
    """9 and 10 a tick in turn, against 10: what the default run offers."""
    turns = (9 + np.arange(400) % 2).astype(np.int64)
    found = judge(turns[100:], turns[:100])
    assert found.settled == 0
    assert found.noise > 10, "its noise is above capacity by a little, and is said to be"


def test_a_second_wave_within_the_hold_belongs_to_the_storm() -> None:
    found = judge(load((20, 20), (40, 9), (10, 20)))
    assert found.settled == pytest.approx(70, abs=1)
    assert not found.relapses


def test_a_wave_after_the_hold_is_a_relapse_with_its_size() -> None:
    found = judge(load((20, 20), (80, 9), (10, 25)))
    assert found.settled == pytest.approx(20, abs=1)
    assert [relapse.size for relapse in found.relapses] == [150]
    assert found.relapses[0].start <= 100
    assert found.relapses[0].end >= 110


def test_two_waves_after_the_hold_are_two_relapses() -> None:
    assert len(judge(load((20, 20), (80, 9), (10, 25), (30, 9), (10, 25))).relapses) == 2


def test_a_wave_after_a_calm_hold_is_a_relapse_of_a_load_that_settled_at_once() -> None:
    found = judge(load((100, 9), (20, 30)))
    assert (found.settled, len(found.relapses)) == (0, 1)


def test_a_storm_without_end_has_not_recovered() -> None:
    assert judge(load((300, 20))).settled is None


def test_waves_that_never_leave_room_for_a_hold_have_not_recovered() -> None:
    """Every fourth second is a storm: no five seconds are calm."""
    ticks = np.arange(300)
    waves = np.where(ticks % 40 < 10, 30, 5).astype(np.int64)
    found = judge(waves)
    assert found.settled is None
    assert first_fit(waves, ROOM) == 10


@pytest.mark.parametrize(("length", "recovered"), [(241, True), (242, False)])
def test_the_hold_must_fit_in_the_observation(length: int, recovered: bool) -> None:
    """The last high window of a storm of 241 ticks begins at 240; 50 calm windows follow."""
    assert (judge(load((length, 20))).settled is not None) is recovered


def test_an_observation_shorter_than_the_hold_settles_nothing() -> None:
    assert judge(load()[:55]).settled is None
    assert judge(load()[:0]).settled is None


@pytest.mark.parametrize(
    ("length", "calm_from"), [(270, 280), (300, None)], ids=["calm for 3 s", "never calm"]
)
def test_a_lane_watched_too_short_is_told_from_one_that_never_came_back(
    length: int, calm_from: int | None
) -> None:
    """Neither has recovered, as nobody saw a hold. A high window ends up to 1 s after the storm."""
    found = judge(load((length, 20)))
    assert found.settled is None
    assert (
        found.calm_from == pytest.approx(calm_from, abs=1) if calm_from else found.calm_from is None
    )


def test_a_spike_of_a_tick_that_does_not_lift_a_second_is_not_a_storm() -> None:
    """First fit is two ticks, and settled is not before it: the budget policy of article 000."""
    spike = load((2, 11))
    assert first_fit(spike, ROOM) == 2
    assert (judge(spike).settled, judge(spike).storm) == (2, False)


@pytest.mark.parametrize("seed", range(20))
def test_settled_is_never_before_first_fit(seed: int) -> None:
    """Near capacity, where most ticks do not fit and hardly any window is high."""
    rng = np.random.default_rng(seed)
    before, after = rng.poisson(9.5, 100), rng.poisson(9.5, 300)
    after[:4] = 11
    found, fit = judge(after, before), first_fit(after, ROOM)
    assert fit is not None
    assert fit >= 4
    assert found.settled is None or found.settled >= fit


def test_capacity_is_compared_window_by_window() -> None:
    """Capacity comes back in steps: load of 9 does not fit in 5, and does in 10."""
    steps = np.concatenate((np.full(60, 5.0), np.full(240, 10.0)))
    assert judge(load(), room=steps).settled == pytest.approx(60, abs=1)
    assert first_fit(load(), steps) == 60


def test_first_fit_is_none_when_nothing_fits() -> None:
    assert first_fit(load((300, 11)), ROOM) is None


def test_rounding_of_a_float_is_not_load() -> None:
    """0.1 · 3 is a little more than 0.3, and 70/s times 0.1 s a little more than 7."""
    assert not above(np.array([0.1 * 3]), np.array([0.3]))[0]
    assert not above(np.array([7]), np.array([70 * 0.1]))[0]
    assert above(np.array([8]), np.array([7.999]))[0]


def test_noise_level_is_mean_and_deviations() -> None:
    """m + z·s with z for 1% over 100 windows: 3.719; s from ticks that differ by ±1."""
    before = (9 + np.arange(100) % 2).astype(np.int64)
    assert noise_level(before, 10, 100) == pytest.approx(9.5 + 3.719 * 0.5 / 10**0.5, abs=0.001)
    assert noise_level(before[:9], 10, 100) == -np.inf


def test_slow_noise_counts_by_windows() -> None:
    """Seconds of 8 and of 10 in turn: ticks deviate by 1, but so do whole seconds."""
    before = np.repeat([8, 10] * 5, 10).astype(np.int64)
    assert noise_level(before, 10, 100) == pytest.approx(9 + 3.719 * 1.054, abs=0.01)
