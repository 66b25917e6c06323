"""Cells are pure: the same figures in whatever process, in whatever order."""

import pytest

from loadtests.overrides import Flags, Values
from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.events import bounds
from loadtests.simulation.measured import measure
from loadtests.simulation.sweep.axes import vary
from loadtests.simulation.sweep.cells import play_cell
from loadtests.simulation.sweep.checking import check_cells, plan, readings
from loadtests.simulation.sweep.plan import Tasks
from loadtests.simulation.workers import LocalWorkers
from tests.loadtests.simulation.sweep.made import SHORT, sweep_of

QUEUE: Values = {
    "name": "queue",
    "warm_up": "5s",
    "observation": "30s",
    "load": {"arrivals": "poisson", "timeout": "1s", "utilisation": 0.7},
    "target": {"workers": 2, "service_time": "exponential 20ms", "queue": 500},
    "policies": [{"name": "immediate", "attempts": 3}],
    "dips": [{"workers": 0}],
}
"""Two workers of 20 ms that finish what nobody waits for any more: docs/service-model.md."""


def test_a_cell_is_what_simulating_its_scenario_gives() -> None:
    """Lane by lane, with the seeds that follow the scenario's."""
    sweep = sweep_of("dip.for=1s,2s", runs=2)
    for number in range(sweep.cells):
        place = sweep.place_of(number)
        values = vary(SHORT, sweep.settings_at(place))
        runs = [
            measure(simulate(parse_scenario({**values, "seed": seed})))[place[-1]]
            for seed in range(2)
        ]
        cell = play_cell(sweep.task(number))
        assert cell.settled_s == tuple(r.settled_s if r.recovered else None for r in runs)
        assert cell.failed_share == tuple(run.failed_share for run in runs)


def test_a_cell_in_which_nobody_is_answered_says_so() -> None:
    """None of these requests fails, and its policy never gives up."""
    endless: Values = {
        **SHORT,
        "observation": "0s",
        "load": {"timeout": "500ms"},
        "policies": [{"name": "tenacity-9-exponential"}],
    }
    sweep = sweep_of("dip.capacity=0%,99%", "dip.for=4s", values=endless, runs=1)
    dead, well = (play_cell(sweep.task(number)) for number in (0, 1))
    assert dead.failed_share == well.failed_share == (0.0,)
    assert dead.unanswered_median > 0.3
    assert well.unanswered_share == ()


def test_a_cell_without_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that are played it has to be told which one it is."""
    monkeypatch.setattr(bounds, "MOST_ATTEMPTS", 20)
    task = sweep_of("dip.for=1s,2s", "load.utilisation=0.5,0.6").task(1)
    with pytest.raises(ScenarioError, match=r"^dip\.for=1s load\.utilisation=0\.5: lane 'full-"):
        play_cell(task)


def test_more_load_than_capacity_is_no_recovery() -> None:
    """There is nothing to return to: the cell says so instead."""
    cell = play_cell(sweep_of("load.utilisation=1.2", runs=2).task(0))
    assert not cell.valid
    assert cell.because == "the load was above capacity before the dip already"
    assert play_cell(sweep_of("load.utilisation=0.9", runs=2).task(0)).valid


def test_cells_do_not_depend_on_who_plays_them() -> None:
    """Here or in two other processes, in whatever order."""
    sweep = sweep_of("load.utilisation=0.8,0.9", "dip.for=1s,2s", runs=1)
    numbers = list(range(sweep.cells))
    with LocalWorkers(1) as workers:
        here = dict(workers.each(play_cell, Tasks(sweep, numbers)))
    with LocalWorkers(2, chunk=1) as workers:
        there = {
            numbers[::-1][index]: found
            for index, found in workers.each(play_cell, Tasks(sweep, numbers[::-1]))
        }
    assert there == here


def test_a_queue_tips_where_its_page_says() -> None:
    """At 70% of load: a dip of half a second always passes, one of 1.5 s never; an outage neither.

    With a queue that is shorter than the clients' patience it recovers from all of these.
    """
    sweep = plan(QUEUE, ["dip.for=500ms,1500ms", "target.queue=80,500"], Flags(), 2, Engine.AUTO)
    found = [play_cell(sweep.task(number)).recovered for number in range(sweep.size)]
    # A row a dip, a column a queue; then the probe of each queue.
    assert found == [2, 2, 2, 0, 2, 0]


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        (["dip.for=1s,2h"], "dip.for=2h: dips.0.for: .* is longer than 1h"),
        (["load.utilisation=0:0.9:0.3"], "load.utilisation=0: load.utilisation: 0 is out of"),
        (["target.queue=5"], "target.queue=5: .*queue"),
        (["dip.for=1s", "dip.capacity=0%:120%:60%"], "dip.capacity=120%: dips.0: .*120%"),
        (["policy.attempts=0,1"], "policy.attempts=0: .*attempts"),
        (["target.workers=2"], "target.workers=2: .*service_time"),
        (["dip.at=0s,3s"], "dip.at=0s: dips.0: at: 0s"),
        (["simulation.admits=in-order,sideways"], "sideways: .*in-order"),
    ],
)
def test_every_value_is_read_before_anything_is_played(axes: list[str], said: str) -> None:
    """What cannot be is named in one line with its axis, its value and what is allowed."""
    with pytest.raises(ScenarioError, match=said) as raised:
        check_cells(sweep_of(*axes))
    assert "\n" not in str(raised.value)


def test_a_sweep_that_can_be_is_read_to_its_end() -> None:
    """Every combination and every probe is told of."""
    told: list[None] = []
    sweep = sweep_of("dip.for=1s,2s", "load.rate=50/s:90/s:20/s")
    check_cells(sweep, lambda: told.append(None))
    assert len(told) == readings(sweep) == 6 + 3 * 2
