"""Simulated runs, compared: a difference that there is, and one that there is not."""

from collections.abc import Iterable

from loadtests.scenario import parse_scenario
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.metered import Simulated, record_of
from reports.judging.differences.comparison import Comparison, compare_sides
from reports.judging.differences.measures import measures_of
from reports.judging.differences.row import Verdict
from reports.judging.differences.sides import RunOfSide, side_of
from reports.sides import run_of
from reports.summary import fold


def play(policy: str, seeds: Iterable[int]) -> list[RunOfSide]:
    return [run_of(f"seed {seed}", fold(record_of(_simulated(policy, seed)))) for seed in seeds]


def _simulated(policy: str, seed: int) -> Simulated:
    scenario = parse_scenario(
        {
            "seed": seed,
            "warm_up": "5s",
            "observation": "15s",
            "load": {"rate": "70/s", "arrivals": "poisson"},
            "target": {"capacity": "100/s"},
            "policies": [{"name": policy, "lane": "service"}],
            "dips": [{"for": "2s", "capacity": "10%"}],
        }
    )
    return simulate(scenario, Engine.EVENTS)


def compared(base: list[RunOfSide], new: list[RunOfSide]) -> Comparison:
    return compare_sides(side_of("BASE", "", base), side_of("NEW", "", new), measures_of([]))


def test_retries_at_once_are_worse_than_none_and_serve_more() -> None:
    found = compared(play("no-retry", range(10)), play("immediate", range(10, 20)))
    assert {row.measure.word: row.verdict for row in found.lanes[0].rows} == {
        "settled": Verdict.WORSE,
        "failed": Verdict.BETTER,
        "amplification": Verdict.WORSE,
    }
    assert found.lanes[0].policy_differs
    assert found.differing == ()


def test_the_same_policy_with_other_seeds_is_neither() -> None:
    found = compared(play("full-jitter", range(10)), play("full-jitter", range(10, 20)))
    assert {row.verdict for row in found.lanes[0].rows} == {Verdict.NOT_SHOWN}
    assert not found.worse


def test_simulations_with_one_seed_are_copies_of_one() -> None:
    found = side_of("BASE", "", play("immediate", [1, 2, 1, 1]))
    assert len(found.runs) == 2
    assert [one.because for one in found.left_out] == ["the same run as seed 1"] * 2
