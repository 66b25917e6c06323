"""Simulated runs, compared: a difference that there is, and some that there are not."""

from collections.abc import Iterable, Mapping

from loadtests.scenario import parse_scenario
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.metered import record_of
from reports.judging.differences.comparison import Comparison, compare_sides
from reports.judging.differences.measures import measures_of
from reports.judging.differences.row import Verdict
from reports.judging.differences.sides import side_of
from reports.measuring.sampling import SampledRun
from reports.several.reading import sampled_run
from reports.summary import fold

BY_CHANCE = {"rate": "70/s", "arrivals": "poisson"}
EVEN = {"rate": "95/s", "arrivals": "constant"}
DIP = {"for": "2s", "capacity": "10%"}
TEN_DIPS = {"for": "2s", "capacity": "20%", "repeat": 10, "every": "15s"}


def play(
    policy: str,
    seeds: Iterable[int],
    load: Mapping[str, str] = BY_CHANCE,
    dip: Mapping[str, object] = DIP,
) -> list[SampledRun]:
    found = []
    for seed in seeds:
        scenario = parse_scenario(
            {
                "seed": seed,
                "warm_up": "5s",
                "observation": "13s",
                "load": load,
                "target": {"capacity": "100/s"},
                "policies": [{"name": policy, "lane": "service"}],
                "dips": [dip],
            }
        )
        found.append(
            sampled_run(f"seed {seed}", fold(record_of(simulate(scenario, Engine.EVENTS))))
        )
    return found


def compared(
    base: list[SampledRun], new: list[SampledRun], *, each_dip: bool = False
) -> Comparison:
    return compare_sides(
        side_of("BASE", "", base, each_dip=each_dip),
        side_of("NEW", "", new, each_dip=each_dip),
        measures_of([]),
    )


def test_retries_at_once_are_worse_than_none_and_serve_more() -> None:
    found = compared(play("no-retry", range(10)), play("immediate", range(10, 20)))
    assert {row.measure.word: row.verdict for row in found.lanes[0].rows} == {
        "settled": Verdict.WORSE,
        "failed-share": Verdict.BETTER,
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


def test_two_policies_with_one_seed_are_no_copies() -> None:
    """Nor are they in a study, or a check: all ask `Run.origin`."""
    assert play("immediate", [1])[0].run.origin != play("no-retry", [1])[0].run.origin


def test_ten_dips_of_a_run_are_no_ten_runs() -> None:
    """They have the phases of their clients in common, which a seed chooses: two runs that differ
    in nothing else would be told apart for sure.
    """
    base, new = (play("immediate", [seed], EVEN, TEN_DIPS) for seed in (1, 2))
    assert compared(base, new, each_dip=True).worse
    found = compared(base, new)
    assert {row.verdict for row in found.lanes[0].rows} == {Verdict.NOT_SHOWN}
    assert len(found.too_few) == 1
