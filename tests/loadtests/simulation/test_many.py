"""One scenario with many seeds."""

import pytest

from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.many import MAX_SEED, play, play_and_judge, play_and_sample, tasks_of
from loadtests.simulation.measured import measure
from loadtests.simulation.metered import record_of
from reports.measuring.sampling import sampled
from reports.summary import fold

SHORT: dict[str, object] = {
    "warm_up": "2s",
    "observation": "7s",
    "load": {"rate": "38/s"},
    "target": {"capacity": "40/s"},
    "policies": [{"name": "no-retry"}, {"name": "full-jitter"}],
    "dips": [{"for": "1s"}],
}


def test_each_run_has_the_next_seed_and_one_engine_plays_them_all() -> None:
    """The first is the scenario's own, so that one run is the first of many."""
    scenario = parse_scenario({**SHORT, "seed": 7})
    tasks = tasks_of(scenario, Engine.EVENTS, 3)
    assert [task.seed for task in tasks] == [7, 8, 9]
    assert {task.engine for task in tasks} == {Engine.EVENTS}
    assert tasks_of(scenario, Engine.AUTO, 1)[0].engine is not Engine.AUTO


def test_seeds_that_there_are_not_are_refused() -> None:
    """A seed beyond 2^53 is not the same in every reader of JSON."""
    scenario = parse_scenario({**SHORT, "seed": MAX_SEED})
    assert tasks_of(scenario, Engine.EVENTS, 1)
    with pytest.raises(ScenarioError, match="seed: 9007199254740992: with 2 runs"):
        tasks_of(scenario, Engine.EVENTS, 2)


def test_a_task_gives_what_the_scenario_gives_with_that_seed() -> None:
    """Wherever it is played, and whatever was played before it."""
    scenario = parse_scenario(SHORT)
    first, second = tasks_of(scenario, Engine.EVENTS, 2)
    found = play(second)
    assert found == measure(simulate(parse_scenario({**SHORT, "seed": 1}), Engine.EVENTS))
    play(first)
    assert play(second) == found
    assert play_and_judge(second).lanes == found


def test_a_run_is_judged_as_its_report_would() -> None:
    """A load above capacity has nothing to return to."""
    fine, full = ({**SHORT, "load": {"utilisation": share}} for share in ("90%", "110%"))
    [task] = tasks_of(parse_scenario(fine), Engine.EVENTS, 1)
    assert play_and_judge(task).invalid_because == ()
    [task] = tasks_of(parse_scenario(full), Engine.EVENTS, 1)
    [reason] = play_and_judge(task).invalid_because
    assert "above capacity before the dip already" in reason


@pytest.mark.parametrize(
    "dips", [[], [{"for": "1s"}], [{"for": "1s", "repeat": 2, "every": "20s"}]]
)
def test_the_samples_of_a_run_are_those_of_its_report(dips: list[dict[str, object]]) -> None:
    """Measured without what is drawn, and no other way."""
    scenario = parse_scenario({**SHORT, "dips": dips})
    [task] = tasks_of(scenario, Engine.EVENTS, 1)
    found, report = play_and_sample(task), fold(record_of(simulate(scenario, Engine.EVENTS)))
    assert found.lanes == tuple(map(sampled, report.policies))
    assert len(found.lanes[1].samples) == (2 if "repeat" in str(dips) else 1)
    assert (found.run, found.invalid_because) == (report.run, report.invalid_because)
