"""The rules, on made-up scrapes, against what the report says of the same load."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from reports.measuring.settling import settle
from tests.prometheus.loads import DIP, STEADY, load
from tests.prometheus.promtool import PROMETHEUS, Alert, Check, Dip, Lane, Scrapes, judge, promtool

pytestmark = pytest.mark.live

RESOLUTION_S = 1.5
"""Of `lane:aftershock_settled_seconds`, as docs/metrics.md says."""


def reported(offered: list[int], dip: Dip = DIP) -> float | None:
    """When the report says that this load settled, in seconds."""
    before, after = np.array(offered[10 : dip.start]), np.array(offered[dip.end :])
    found = settle(before, 10.0, after, np.full(after.size, 10.0), 0.1).settled
    return None if found is None else found * 0.1


def settled_near(at_s: int, **by_lane: float) -> list[Check]:
    """That the rule says this of these lanes, within its resolution."""
    return [
        Check(
            at_s,
            f'abs(lane:aftershock_settled_seconds{{lane="{lane}"}} - {found_s})'
            f" <= bool {RESOLUTION_S}",
            {lane: 1},
        )
        for lane, found_s in by_lane.items()
    ]


def test_config_and_rules_are_what_prometheus_takes() -> None:
    """Both files are as they are deployed."""
    promtool("check", "config", str(PROMETHEUS / "prometheus.yml"))
    promtool("check", "rules", str(PROMETHEUS / "rules.yml"))


def test_a_steady_lane_is_never_above_capacity_however_scrapes_come(tmp_path: Path) -> None:
    """At 95% figures are exact to the attempt, be a scrape 0.4 s late and the next one early."""
    late = {number: Random(number).randrange(-4, 5) for number in range(1, 80)}
    lane = Lane("a", load(), [DIP])
    highest = "max_over_time(lane:aftershock_offered_attempts:rate2s[79s])"
    lowest = "min_over_time(lane:aftershock_offered_attempts:rate2s[79s])"
    storm = "max_over_time(lane:aftershock_storm:bool[79s])"
    checks = [
        Check(79, f"{highest} < bool 97", {"a": 1}),
        Check(79, f"{lowest} > bool 92", {"a": 1}),
        Check(79, storm, {"a": 0}),
        *settled_near(79, a=0),
    ]
    judge(tmp_path, Scrapes([lane], late), checks)


def a_storm(rng: Random) -> list[int]:
    """Load after the dip: one that decays, or comes in waves, or ends at once."""
    waves = [
        tick
        for _ in range(rng.randrange(1, 5))
        for tick in [rng.choice([30, 60])] * rng.randrange(2, 8) + [9] * rng.randrange(5, 40)
    ]
    decaying = [round(9 + 40 * 0.96**tick) for tick in range(100)]
    return rng.choice([waves, decaying, [rng.randrange(13, 40)] * rng.randrange(1, 120), []])


@pytest.mark.parametrize("phase", [0, 4, 7])
def test_settled_is_what_the_report_says(phase: int, tmp_path: Path) -> None:
    """Of storms of many shapes, wherever between two scrapes the dip ends."""
    rng = Random(phase)
    dip = Dip(200 + phase, 220 + phase)
    lanes = []
    for number in range(25):
        before = STEADY * 20 + [9] * phase + [rng.choice([9, 60])] * 20
        offered = (before + a_storm(rng) + STEADY * 60)[:600]
        lanes.append(Lane(f"lane-{number}", offered, [dip]))
    late = {number: rng.randrange(-3, 4) for number in range(1, 60)}
    said = {lane.name: reported([*lane.offered], dip) for lane in lanes}
    known = {lane: found_s for lane, found_s in said.items() if found_s is not None}
    assert len(known) == len(lanes)
    assert max(known.values()) > 5
    judge(tmp_path, Scrapes(lanes, late), settled_near(59, **known))


def test_there_is_no_number_before_the_hold_is_over(tmp_path: Path) -> None:
    """Not recovered is a verdict, and no number."""
    lanes = [Lane("short", load(3, 3, 3), [DIP]), Lane("endless", load(*[1.2] * 60), [DIP])]
    storm = "lane:aftershock_storm:bool"
    checks = [
        Check(21, storm, {"short": 0, "endless": 0}),
        Check(25, storm, {"short": 1, "endless": 1}),
        Check(30, storm, {"short": 0, "endless": 1}),
        Check(30, "lane:aftershock_settled_seconds", {}),
        *settled_near(34, short=3),
        Check(79, "lane:aftershock_settled_seconds > bool 0", {"short": 1}),
    ]
    judge(tmp_path, Scrapes(lanes), checks)


def test_a_relapse_does_not_change_what_was_settled(tmp_path: Path) -> None:
    """It is a storm again, and no other number."""
    relapsed = [2, 2, *[0.9] * 12, 3, 3, 3, *[0.9] * 15]
    checks = [
        Check(40, "lane:aftershock_storm:bool", {"a": 1}),
        *settled_near(40, a=2),
        *settled_near(79, a=2),
    ]
    judge(tmp_path, Scrapes([Lane("a", load(*relapsed), [DIP])]), checks)


def test_each_dip_has_a_number_of_its_own(tmp_path: Path) -> None:
    """While a dip lasts, also one that is ended early, there is none."""
    second = Dip(445, 465, planned=545)
    offered = load(3, 3)[:445] + [30] * 20 + [30] * 60 + STEADY * 30
    checks = [
        *settled_near(44, a=2),
        Check(45, "lane:aftershock_settled_seconds", {}),
        Check(45, "lane:aftershock_since_dip_seconds", {}),
        Check(55, "lane:aftershock_settled_seconds", {}),
        Check(50, "lane:aftershock_storm:bool", {"a": 1}),
        *settled_near(70, a=6),
    ]
    judge(tmp_path, Scrapes([Lane("a", offered, [DIP, second])]), checks)


def test_a_gap_in_the_scrapes_loses_nothing(tmp_path: Path) -> None:
    """Of up to a minute, in the storm or after it."""
    lane = Lane("a", load(*[3] * 8), [DIP])
    missed = frozenset({25, 26, 27, 28, 29, *range(40, 60)})
    checks = [*settled_near(39, a=8), *settled_near(79, a=8)]
    judge(tmp_path, Scrapes([lane], missed=missed), checks)


def test_what_prometheus_has_not_seen_has_no_number(tmp_path: Path) -> None:
    """The dip's end lies in a gap: whether there was a storm, nobody knows."""
    lane = Lane("a", load(2), [DIP])
    missed = frozenset(range(19, 29))
    checks = [
        Check(79, "lane:aftershock_settled_seconds", {}),
        Check(79, "lane:aftershock_since_dip_seconds > bool 0", {"a": 1}),
    ]
    judge(tmp_path, Scrapes([lane], missed=missed), checks)


def test_a_lane_without_dips_has_no_storm(tmp_path: Path) -> None:
    """Above capacity or not: that is overload of another kind."""
    lanes = [Lane("a", load()), Lane("b", [20] * 800)]
    checks = [
        Check(60, "lane:aftershock_storm:bool", {"a": 0, "b": 0}),
        Check(60, "lane:aftershock_settled_seconds", {}),
        Check(60, "lane:aftershock_offered_attempts:rate2s", {"a": 95, "b": 200}),
    ]
    judge(tmp_path, Scrapes(lanes), checks, [Alert(60)])


def test_a_target_that_begins_anew_is_no_storm(tmp_path: Path) -> None:
    """Its counters and its ticks go back to 0."""
    lane = Lane("a", load(), [DIP])
    checks = [
        Check(41, "lane:aftershock_offered_attempts:rate2s", {}),
        Check(59, "lane:aftershock_offered_attempts:rate2s", {"a": 95}),
        Check(79, "max_over_time(lane:aftershock_storm:bool[79s])", {"a": 0}),
    ]
    judge(tmp_path, Scrapes([lane], restarted=40), checks)


def test_a_lane_that_counts_anew_has_no_negative_load(tmp_path: Path) -> None:
    """After a reset of the target, whose ticks go on."""
    lowest = "min_over_time(lane:aftershock_offered_attempts:rate2s[79s])"
    lane = Lane("a", load(), counts_anew=400)
    judge(tmp_path, Scrapes([lane]), [Check(79, f"{lowest} >= bool 0", {"a": 1})])
