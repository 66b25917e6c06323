"""When the alert fires, for how long, and in which words."""

from pathlib import Path

import pytest

from loadtests.scenario import parse_scenario
from loadtests.simulation.engines import Engine, simulate
from tests.prometheus.alerts import FIRING, ever_fired, text
from tests.prometheus.loads import DIP, load
from tests.prometheus.promtool import Alert, Check, Lane, Scrapes, judge

pytestmark = pytest.mark.live

KEPT_S = 5
"""How long the alert goes on without a window above capacity."""


def test_the_alert_fires_in_a_storm_that_outlasts_the_dip_by_5_s(tmp_path: Path) -> None:
    """And in no other lane; a name that is no plain word does no harm."""
    lanes = [
        Lane("steady", load(), [DIP]),
        Lane("short", load(*[3] * 4), [DIP]),
        Lane('o"dd', load(*[3] * 10), [DIP]),
    ]
    alerts = [Alert(28), text('o"dd', 300, 8), Alert(45)]
    judge(tmp_path, Scrapes(lanes), [], alerts)


def test_the_alert_goes_on_between_the_waves_of_a_storm(tmp_path: Path) -> None:
    """Under capacity for a moment is not over, be it under capacity on the whole."""
    waves = [0.8, 0.8, 1.7, 0.8, 0.8] * 4
    checks = [Check(at_s, FIRING, {"a": 1}) for at_s in range(30, 42)]
    judge(tmp_path, Scrapes([Lane("a", load(*waves), [DIP])]), checks)


def test_a_wave_after_it_has_settled_is_no_alert_and_a_relapse_is_one(tmp_path: Path) -> None:
    """A relapse is above capacity for more than a moment."""
    calm = [0.9] * 12
    lanes = [
        Lane("wave", load(*calm, 1.2, 0.9), [DIP]),
        Lane("relapse", load(*calm, *[1.3] * 20), [DIP]),
    ]
    judge(tmp_path, Scrapes(lanes), [ever_fired(79, "relapse")])


def test_a_storm_that_never_ends_keeps_the_alert_on(tmp_path: Path) -> None:
    """In waves or not, for minutes, and over a gap in the scrapes."""
    missed = frozenset(range(100, 130))
    lanes = [
        Lane("waves", load(*[1.7, 0.8, 0.8, 0.8] * 80, until_s=300), [DIP]),
        Lane("high", load(*[1.1] * 300, until_s=300), [DIP]),
    ]
    on = [at_s for at_s in range(33, 300) if not 100 <= at_s < 135]
    checks = [Check(at_s, FIRING, {"waves": 1, "high": 1}) for at_s in on]
    judge(tmp_path, Scrapes(lanes, missed=missed), checks)


def test_a_storm_whose_beginning_nobody_saw_is_one_after_half_a_minute(tmp_path: Path) -> None:
    """The dip's end lies in a gap, or in the past: a wave alone does not say so much."""
    lanes = [
        Lane("storm", load(*[3] * 150, until_s=150), [DIP]),
        Lane("wave", load(*[0.9] * 95, 3, 3, 3, 3, until_s=150), [DIP]),
    ]
    checks = [Check(110, FIRING, {}), Check(130, FIRING, {"storm": 1}), ever_fired(149, "storm")]
    judge(tmp_path, Scrapes(lanes, missed=frozenset(range(19, 90))), checks)


def simulated() -> list[Lane]:
    """A dip at 95%, and five clients."""
    policies = [
        {"name": "no-retry"},
        {"name": "immediate", "attempts": 8},
        {"name": "exponential"},
        {"name": "exponential", "lane": "slow", "base": "500ms"},
        {"name": "full-jitter", "base": "400ms"},
    ]
    values = {
        "warm_up": "20.5s",
        "observation": "57.5s",
        "load": {"rate": "95/s"},
        "policies": policies,
        "dips": [{"capacity": "20%", "for": "2s", "at": "20.5s"}],
    }
    lanes = []
    for played in simulate(parse_scenario(values), Engine.AUTO).lanes:
        offered = played.metered.offered
        counts, retries = offered.sum(axis=0).tolist(), offered[2:].sum(axis=0).tolist()
        lanes.append(Lane(played.lane.lane, counts, [DIP], retries=retries))
    return lanes


def alerts_of(lane: Lane) -> set[int]:
    """The seconds at which a storm that has begun with its dip keeps the alert on."""
    dip_end_s = DIP.end / 10
    high = {
        at_s
        for at_s in range(round(dip_end_s + 7.5), len(lane.offered) // 10)
        if sum(lane.offered[10 * at_s - 20 : 10 * at_s]) > 203
    }
    return {at_s + kept for at_s in high for kept in range(KEPT_S + 1)}


def test_real_storms_are_found_at_once(tmp_path: Path) -> None:
    """In every second in which offered load is above capacity, and 5 s longer."""
    lanes = simulated()
    on = {lane.name: alerts_of(lane) for lane in lanes}
    assert {name for name, seconds in on.items() if 30 in seconds} == {"slow", "full-jitter"}
    checks = [
        Check(at_s, FIRING, {name: 1 for name, seconds in on.items() if at_s in seconds})
        for at_s in range(20, 78)
    ]
    judge(tmp_path, Scrapes(lanes), checks)
