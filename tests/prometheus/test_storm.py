"""What is a storm, to the rules and to the alert: retries that keep a lane above capacity."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.prometheus.alerts import FIRING, ever_fired, text
from tests.prometheus.loads import DIP, load
from tests.prometheus.promtool import Check, Dip, Lane, Scrapes, judge

pytestmark = pytest.mark.live

STORM = "lane:aftershock_storm:bool"


def ever_storm(at_s: int, since_s: int, **lanes: int) -> Check:
    """Whether each lane had a storm between both."""
    return Check(at_s, f"max_over_time({STORM}[{at_s - since_s}s])", lanes)


def from_then_on(name: str, from_s: int, first: int, again: int, until_s: int = 80) -> Lane:
    """A lane with 80/s, but a dip; from `from_s` on so many first attempts and retries a tick."""
    ticks = 10 * (until_s - from_s)
    offered = [8] * 10 * from_s + [first + again] * ticks
    return Lane(name, offered, [DIP], retries=[0] * 10 * from_s + [again] * ticks)


def test_load_that_is_no_retries_is_no_storm(tmp_path: Path) -> None:
    """Soon after a dip too: retries have to be what makes it too large."""
    unknown = from_then_on("unknown", 40, 0, 13)
    lanes = [
        from_then_on("plain", 40, 13, 0),
        from_then_on("some retries", 40, 12, 1),
        from_then_on("a tenth", 40, 12, 2),
        from_then_on("would fit", 40, 9, 3),
        replace(unknown, numbers=("1", "0")),
    ]
    storms = {"plain": 0, "some retries": 0, "a tenth": 1, "would fit": 1, "unknown": 1}
    checks = [
        ever_fired(79, "a tenth", "would fit", "unknown"),
        Check(79, STORM, storms),
        Check(79, "lane:aftershock_high:bool", dict.fromkeys(storms, 1)),
    ]
    judge(tmp_path, Scrapes(lanes), checks)


def test_what_comes_long_after_a_dip_has_other_reasons(tmp_path: Path) -> None:
    """More than a minute after one that has settled, and be it retries."""
    unknown = from_then_on("unknown", 120, 0, 13, 160)
    lanes = [
        from_then_on("plain", 120, 13, 0, 160),
        from_then_on("retries", 120, 9, 30, 160),
        replace(unknown, numbers=("1", "0")),
    ]
    storms = {"plain": 0, "retries": 0, "unknown": 0}
    judge(tmp_path, Scrapes(lanes), [ever_fired(159), ever_storm(159, 30, **storms)])


def test_a_relapse_of_the_first_minute_counts_until_it_is_over(tmp_path: Path) -> None:
    """However long it goes on; one of the second minute does not count."""
    calm = [0.9] * 40
    goes_on = [*calm, *[1.5, 1.5, 0.9, 0.9] * 20]
    lanes = [
        Lane("goes on", load(*goes_on, until_s=160), [DIP]),
        Lane("again", load(*calm, 2, 2, 2, *calm, 2, 2, 2, until_s=160), [DIP]),
    ]
    checks = [
        *[Check(at_s, FIRING, {"goes on": 1}) for at_s in range(75, 140, 5)],
        Check(65, FIRING, {"goes on": 1, "again": 1}),
        Check(155, FIRING, {}),
        Check(140, f"max_over_time({STORM}[60s])", {"goes on": 1, "again": 0}),
    ]
    judge(tmp_path, Scrapes(lanes), checks)


@pytest.mark.parametrize("share", [0.9, 0.95])
def test_ordinary_noise_without_retries_is_no_storm(share: float, tmp_path: Path) -> None:
    """Poisson arrivals near capacity, after a dip, which is often above it by chance."""
    ticks = 1400
    lanes = []
    for seed in range(10):
        offered = np.random.default_rng(seed).poisson(10 * share, ticks).tolist()
        lanes.append(Lane(f"seed-{seed}", offered, [DIP], retries=[0] * ticks))
    checks = [
        ever_fired(139),
        ever_storm(139, 0, **{lane.name: 0 for lane in lanes}),
        Check(139, "max_over_time(lane:aftershock_high:bool[99s])", {x.name: 1 for x in lanes}),
    ]
    judge(tmp_path, Scrapes(lanes), checks)


def test_of_two_dips_the_last_counts(tmp_path: Path) -> None:
    """What comes 70 s after the first and 30 s after the second is a relapse of the second."""
    offered = load(3, 3, until_s=130)[:900] + [9] * 20 + [30] * 300
    once, twice = Lane("once", offered, [DIP]), Lane("twice", offered, [DIP, Dip(605, 625)])
    checks = [ever_fired(92), Check(95, STORM, {"once": 0, "twice": 1})]
    said = text("twice", 300, 38)
    judge(tmp_path, Scrapes([once, twice]), checks, [replace(said, at_s=101)])


def test_a_dip_of_one_lane_is_no_storm_in_another(tmp_path: Path) -> None:
    """Retries keep both above capacity."""
    offered = load(*[3] * 40)
    lanes = [Lane("dipped", offered, [DIP]), Lane("other", offered)]
    checks = [ever_fired(79, "dipped"), Check(40, STORM, {"dipped": 1, "other": 0})]
    judge(tmp_path, Scrapes(lanes), checks)


def test_a_target_that_begins_anew_in_the_storm_has_forgotten_its_dip(tmp_path: Path) -> None:
    """The alert is over 5 s later, whatever arrives; the next dip has a storm of its own."""
    lane = Lane("a", [30] * 800, [DIP])
    checks = [
        Check(39, FIRING, {"a": 1}),
        *[Check(at_s, FIRING, {}) for at_s in range(45, 69)],
        Check(50, STORM, {"a": 0}),
        Check(75, FIRING, {"a": 1}),
    ]
    judge(tmp_path, Scrapes([lane], restarted=40), checks)
