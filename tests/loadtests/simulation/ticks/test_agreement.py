"""Both engines give the same distributions, for every policy that both can do."""

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from loadtests.policies import PRESETS
from loadtests.scenario import Scenario
from loadtests.simulation import ticks
from loadtests.simulation.metered import PlayedLane
from tests.loadtests.simulation.ticks.lanes import (
    PolicyTable,
    a_scenario,
    by_count,
    by_request,
    failed,
    with_seed,
)

SEEDS = 12
MODES = ("shuffled", "by-chance")
Samples = Mapping[str, list[float]]

VARIANTS: dict[str, tuple[PolicyTable, dict[str, object]]] = {
    "whole steps": ({"name": "full-jitter", "step": "100ms"}, {}),
    "a bucket in each of 100 clients": (
        {"name": "full-jitter-budget", "scope": "client", "clients": 100},
        {},
    ),
    "a bucket in each of 7 clients": (
        {"name": "full-jitter-budget", "scope": "client", "clients": 7},
        {},
    ),
    "a throttle in each of 100 clients": (
        {"name": "grpc-a6", "scope": "client", "clients": 100},
        {},
    ),
    "a throttle in each of 3 processes": (
        {"name": "grpc-a6", "scope": "process", "clients": 30, "processes": 3},
        {},
    ),
    "article 001, 90 clients": (
        {"name": "seed-001-grpc-budget", "scope": "client", "clients": 90},
        {},
    ),
    "credits in each of 100 clients, in time": (
        {"name": "seed-003-credits", "scope": "client", "clients": 100, "deadline": "750ms"},
        {},
    ),
    "a window in each of 5 processes": (
        {"name": "seed-002-success-budget", "scope": "process", "clients": 5, "processes": 5},
        {},
    ),
    "a deadline that ends waits": (
        {"name": "seed-002-success-budget", "budget_share": "100%", "deadline": "650ms"},
        {},
    ),
    "poisson arrivals": (
        {"name": "full-jitter"},
        {"load": {"rate": "90/s", "arrivals": "poisson"}},
    ),
    "a spike": (
        {"name": "exponential"},
        {"spikes": [{"factor": "3x", "for": "500ms", "at": "3s"}]},
    ),
    "the server's word": (
        {"name": "seed-003-credits"},
        {"target": {"capacity": "105/s", "status": 429, "retry_after": "1s"}},
    ),
    "pushback": (
        {"name": "grpc-a6", "max_tokens": 100},
        {"target": {"capacity": "105/s", "pushback": "250ms"}},
    ),
    "all are told not to retry": (
        {"name": "openai-3"},
        {"target": {"capacity": "105/s", "do_not_retry": True}},
    ),
}


def scenarios(admits: str) -> Iterator[tuple[str, Scenario]]:
    """Those of all that are played in this mode: all variants, and the presets by turns.

    Who is admitted and how a policy waits are apart in the code.
    """
    turn = MODES.index(admits)
    for place, (name, scenario) in enumerate(_all(admits)):
        if name in VARIANTS or place % len(MODES) == turn:
            yield name, scenario


def _all(admits: str) -> Iterator[tuple[str, Scenario]]:
    """All presets that the ticks engine can do, and what the catalogue's defaults do not show."""
    for name in PRESETS:
        scenario = a_scenario({"name": name}, admits=admits)
        if ticks.why_not(scenario, scenario.policies[0]) is None:
            yield name, scenario
    for name, (policy, tables) in VARIANTS.items():
        yield name, a_scenario(policy, admits=admits, **tables)


def measures(lane: PlayedLane) -> dict[str, float]:
    """What can differ from run to run."""
    offered = lane.metered.offered.sum(axis=0)
    latency = lane.clients.latency
    return {
        "attempts": float(offered.sum()),
        "failed": float(failed(lane)),
        "peak": float(offered.max()),
        "third attempts and later": float(lane.metered.offered[3:].sum()),
        "crowded ticks": float((offered * 10 > lane.metered.capacity_per_s).sum()),
        "when retried": float(offered @ np.arange(offered.size)) / float(offered.sum()),
        "latency": float(latency[:, 1] @ latency[:, 2]),
        "age": float(lane.clients.attempts @ np.arange(offered.size)),
        **{reason: float(counts.sum()) for reason, counts in lane.clients.failed.items()},
    }


def samples(found: list[dict[str, float]], names: set[str]) -> Samples:
    """By measure; a reason that did not occur in a run occurred 0 times."""
    return {name: [values.get(name, 0.0) for values in found] for name in sorted(names)}


def compared(scenario: Scenario) -> Iterator[tuple[str, float, float]]:
    """Each measure, with the chance of so different samples and how far apart their means are."""
    from scipy.stats import ks_2samp, mannwhitneyu  # noqa: PLC0415 - it takes most of a second

    seeded = [with_seed(scenario, seed) for seed in range(SEEDS)]
    found = [measures(by_request(each)) for each in seeded]
    found_too = [measures(by_count(each)) for each in seeded]
    names = {name for values in found + found_too for name in values}
    ones, others = samples(found, names), samples(found_too, names)
    for name in ones:
        one, other = np.array(ones[name]), np.array(others[name])
        spread = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / SEEDS)
        if not spread:
            yield name, float(one[0] == other[0]), 0.0
            continue
        chance = min(ks_2samp(one, other).pvalue, mannwhitneyu(one, other).pvalue)
        yield name, chance, (one.mean() - other.mean()) / spread


@pytest.mark.parametrize("admits", MODES)
def test_the_engines_agree(admits: str) -> None:
    """No measure of any policy differs more than chance lets it, nor do all of them together.

    About 300 comparisons by two tests each: one in 10⁵ is a false alarm less than once in a
    hundred times, and the seeds are fixed. The distances of the means, in deviations, are those of
    a t distribution whose square has a mean near ``22 / 20``; a bias of all policies in one
    direction would show in their mean, and one of the waits in that of when they retried.
    """
    differ, distances, later = [], [], []
    for case, scenario in scenarios(admits):
        for measure, chance, distance in compared(scenario):
            if chance < 1e-5:
                differ.append(f"{case}: {measure}: {chance:.1e}, {distance:+.1f}")
            if measure in {"attempts", "failed"} and distance:
                distances.append(distance)
            if measure == "when retried" and distance:
                later.append(distance)
    assert not differ
    assert abs(np.mean(distances)) < 4 / np.sqrt(len(distances))
    assert abs(np.mean(later)) < 4 / np.sqrt(len(later))
    assert np.mean(np.square(distances)) < 22 / 20 * (1 + 5 * np.sqrt(2 / len(distances)))
