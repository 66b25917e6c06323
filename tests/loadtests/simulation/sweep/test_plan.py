"""Every cell of a sweep has a number, a place and a task."""

import json

from loadtests.simulation.engines import Engine
from loadtests.simulation.sweep.plan import Tasks
from tests.loadtests.simulation.sweep.made import SHORT, sweep_of

AXES = ("load.utilisation=0.5:0.7:0.1", "dip.for=1s,2s")


def test_cells_are_the_product_of_axes_and_policies_and_probes_follow() -> None:
    """A probe is at the largest dip, one for each load and policy."""
    sweep = sweep_of(*AXES)
    assert (sweep.cells, sweep.size) == (12, 18)
    places = [sweep.place_of(number) for number in range(sweep.size)]
    assert places[:3] == [(0, 0, 0), (0, 0, 1), (0, 1, 0)]
    assert len(set(places[:12])) == 12
    assert places[12:] == [(load, 1, lane) for load in range(3) for lane in range(2)]


def test_a_task_says_all_that_a_process_needs() -> None:
    """Nothing but plain values, so that it can be played on any machine."""
    task = sweep_of(*AXES, runs=4).task(3)
    assert task.settings == (("load.utilisation", "0.5"), ("dip.for", "2s"))
    assert (task.lane, task.engine, task.runs, task.probe) == ("full-jitter", Engine.AUTO, 4, False)
    assert json.loads(task.values_json)["name"] == "short"
    assert sweep_of(*AXES).task(12).probe


def test_tasks_are_made_when_they_are_asked_for() -> None:
    """By index and by slice, in the order of their numbers."""
    sweep = sweep_of(*AXES)
    tasks = Tasks(sweep, [5, 2, 14])
    assert len(tasks) == 3
    assert tasks[1] == sweep.task(2)
    assert tasks[1:] == [sweep.task(2), sweep.task(14)]


def test_the_folder_is_named_after_all_that_is_swept() -> None:
    """Another scenario, axis, policy or number of runs has another folder."""
    names = {
        sweep_of(*AXES).folder_name,
        sweep_of(*AXES, runs=4).folder_name,
        sweep_of("dip.for=1s,2s").folder_name,
        sweep_of(*AXES, values={**SHORT, "warm_up": "3s"}).folder_name,
        sweep_of(*AXES, values={**SHORT, "policies": [{"name": "no-retry"}]}).folder_name,
    }
    assert len(names) == 5
    assert all(name.startswith("short-") for name in names)
    assert sweep_of(*AXES).folder_name in names
    assert sweep_of(*AXES, values={**SHORT, "name": "../A b"}).folder_name.startswith("a-b-")
