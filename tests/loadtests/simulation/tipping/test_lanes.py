"""The runs of each lane: its own scenario, and seeds of their own."""

from pathlib import Path

import pytest

from loadtests.overrides import Flags
from loadtests.scenario import ScenarioError, load_scenario_values
from loadtests.simulation.engines import Engine
from loadtests.simulation.sweep.given import Given
from loadtests.simulation.tipping.hunt import Hunt, prepare
from loadtests.simulation.tipping.looking import look
from loadtests.simulation.tipping.search import Ask, Tally
from loadtests.simulation.workers import LocalWorkers
from tests.loadtests.simulation.tipping.coins import sharp
from tests.loadtests.simulation.tipping.playing import Coins, run

EXAMPLE = Path("examples/tipping-point.toml")
TWO_DIPS: dict[str, object] = {
    "policies": [{"name": "immediate", "lane": "a"}, {"name": "full-jitter", "lane": "b"}],
    "dips": [{"for": "2s", "lanes": ["a"]}, {"for": "5s", "lanes": ["b"]}],
}


def hunt(values: dict[str, object], along: str = "dip.for", runs: int = 200) -> Hunt:
    """With the default confidence."""
    given = Given(Path("a.toml"), values, Flags(), Engine.EVENTS, LocalWorkers(1), None)
    return prepare(given, along, 0.95, runs)


def test_a_dip_of_each_lane_is_that_lanes_dip() -> None:
    """Though the scenario has two, and `dip` alone would not say which."""
    found = hunt(load_scenario_values(EXAMPLE))
    assert [lane.name for lane in found.lanes] == ["a dip of 1 s", "a dip of 2.5 s"]
    for lane, at_s in zip(found.lanes, (8.0, 6.5), strict=True):
        scenario = lane.scenario_at(9)
        assert [(dip.for_s, dip.at_s) for dip in scenario.dips] == [(1.0, at_s)]
        assert [choice.lane_name for choice in scenario.policies] == [lane.name]


def test_each_lane_is_observed_after_its_own_dip() -> None:
    """Not after that of another lane."""
    lane, _ = hunt(TWO_DIPS).lanes
    assert lane.scenario_at(0).planned_end_s == pytest.approx(10.0 + 0.1 + 30.0)


def test_a_lane_that_the_field_does_not_touch_is_left_out() -> None:
    """The first dip is of the lane a; and only full-jitter has a cap."""
    found = hunt(TWO_DIPS, "dips.0.for")
    assert ([lane.name for lane in found.lanes], found.spared) == (["a"], ("b",))
    assert found.announcement()[1] == "b is left out: dips.0.for changes nothing there"
    assert hunt(TWO_DIPS, "policy.cap=1s:2s").spared == ("a",)


def test_no_two_runs_of_a_lane_have_the_same_seed() -> None:
    """Which values are tried depends on earlier runs, so their seeds must not return."""
    found = hunt({"seed": 7, "policies": [{"name": "immediate"}]})
    coins = Coins(sharp(3.0))
    look(found.lanes, found.plan, coins)
    seeds = [task.seed for task in coins.tasks]
    assert sorted(seeds) == list(range(7, 7 + len(seeds)))
    assert len(seeds) == sum(tally.runs for tally in found.lanes[0].tried.values())


def test_the_order_in_which_runs_are_done_changes_nothing() -> None:
    """With many processes it is any."""
    forth, back = (hunt(TWO_DIPS) for _ in range(2))
    look(forth.lanes, forth.plan, Coins(lambda value: max(0.0, 1 - value / 20)))
    look(back.lanes, back.plan, Coins(lambda value: max(0.0, 1 - value / 20), order=-1))
    assert forth.answers() == back.answers()


def test_what_is_seen_at_a_value_is_kept_over_all_its_runs() -> None:
    """The latest recovery, the shortest observation, and how long the disturbance lasted."""
    lane = hunt(TWO_DIPS).lanes[0]
    lane.add(9, [run(True, 3.0), run(False)])
    lane.add(9, [run(True, 2.0, 29.0)])
    seen = lane.watched[9]
    assert lane.tried == {9: Tally(2, 3)}
    assert (seen.latest_s, seen.observed_s, seen.lasted_s) == (3.0, 29.0, 1.0)


def test_a_run_is_as_a_simulation_of_the_scenario_with_its_seed() -> None:
    """So that anyone can look at it closely."""
    task = hunt(TWO_DIPS).lanes[0].tasks(Ask(9, 12))[3]
    assert (task.seed, task.engine) == (3, Engine.EVENTS)


@pytest.mark.parametrize(
    ("values", "along", "says"),
    [
        ({"load": {"rate": "x"}}, "dip.for", "^a.toml: load.rate: "),
        ({"seed": 2**53}, "dip.for", "seed: .* with 200 runs the last is above"),
        ({}, "load.timeout=0s:1s", "--along load.timeout = 0s: load.timeout: expected more than 0"),
        (TWO_DIPS, "dips.2.for", "--along dips.2.for: the numbers of the scenario's dips"),
        ({"dips": [{}, {}]}, "dip.for", "has 2 dips: expected dips.0.for to dips.1.for"),
        ({"dips": [], "spikes": []}, "dip.for", "--along dip.for: the scenario has no dips"),
    ],
)
def test_what_cannot_be_is_refused(values: dict[str, object], along: str, says: str) -> None:
    """Before anything is played, naming the file or the flag."""
    with pytest.raises(ScenarioError, match=says):
        hunt(values, along)
