"""Time in whole ticks: what both engines take from a scenario whose ticks admit by chance.

In a tick all that is due arrives at once, the target admits what fits, and each client hears of it
at once. Where in a tick something happens is not known and does not matter.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from loadtests.arrivals import Arrivals, due_times, expected_by
from loadtests.policies.outcome import Outcome
from loadtests.scenario import PolicyChoice, Scenario
from loadtests.simulation.metered import Metered
from loadtests.simulation.stage import TICK_S, Stage
from reports.reading.series import Counts
from reports.record import bucket_of
from target_service.admission import Admission
from target_service.words import Word

_CLOSE = 1e-9
"""What lies so near to a boundary lies on it: sums of floats are not exact."""
ANSWER_S = 1e-9
"""How much later a client hears of an attempt: so a deadline of whole ticks is over when it is."""
_WHOLE = 1e-6
"""A wait that lies this near to a whole number of ticks is that."""


def obstacle(scenario: Scenario, choice: PolicyChoice) -> str | None:
    """What of this lane has no meaning in whole ticks, as a clause; None: all has."""
    if scenario.target.service() is not None:
        return "with workers attempts wait in a queue, and whole ticks have none"
    if scenario.target.turn_away_share:
        return "turning an attempt away takes no capacity in whole ticks (turn_away_cost)"
    if choice.layer_policies:
        return f"lane {choice.lane_name!r} has layers, and whole ticks have no gateways"
    if scenario.faults:
        return "there are faults other than dips, and whole ticks have none of these"
    if scenario.actions:
        return "there are an operator's actions, and whole ticks have none"
    return None


def capacities(stage: Stage) -> list[float]:
    """The capacity in force in each tick, per second."""
    base = stage.lane.base
    found = [base.capacity_per_s] * stage.ticks
    for dip, _ in stage.dips:
        for seq in range(dip.start, min(dip.end, stage.ticks)):
            in_force = stage.target.dips.keep_to(stage.lane.name, base, seq)
            found[seq] = in_force.capacity_per_s
    return found


def admissions(capacities_per_s: Sequence[float]) -> list[int]:
    """How many whole attempts each tick can admit; fractions are carried on to the next."""
    admission = Admission()
    found = []
    for capacity_per_s in capacities_per_s:
        admission.open_tick(capacity_per_s, TICK_S)
        found.append(admission.whole)
    return found


def expected_arrivals(stage: Stage) -> list[float]:
    """How many requests are expected before the end of each tick, and of the run."""
    edges_s = (min(seq * TICK_S, stage.end_s) for seq in range(1, stage.ticks + 1))
    return expected_by(list(edges_s), stage.rate_per_s, stage.surges)


def arrivals(scenario: Scenario, stage: Stage) -> list[int]:
    """How many new requests each tick has: the same ones for every lane."""
    rng = Random(f"{scenario.seed}/arrivals/0")
    phase = rng.random()
    if scenario.load.arrivals is Arrivals.CONSTANT:
        return evenly(expected_arrivals(stage), phase)
    due_s = due_times(Arrivals.POISSON, stage.rate_per_s, rng, surges=stage.surges)
    return _binned(due_s, stage.end_s, stage.ticks)


def evenly(expected: Sequence[float], phase: float) -> list[int]:
    """Constant arrivals in each tick, the first of them `phase` of a gap after the beginning."""
    before = 0
    found = []
    for by_then in expected:
        due = max(before, math.ceil(by_then - phase - _CLOSE))
        found.append(due - before)
        before = due
    return found


def _binned(due_s: Iterator[float], end_s: float, ticks: int) -> list[int]:
    found: Counter[int] = Counter()
    for at_s in due_s:
        if at_s >= end_s:
            break
        found[min(int(at_s / TICK_S + _CLOSE), ticks - 1)] += 1
    return [found[seq] for seq in range(ticks)]


def in_ticks(wait_s: float) -> float:
    """A wait as a number of ticks; one that lies a hair beside a whole number is that."""
    ticks = wait_s / TICK_S
    nearest = round(ticks)
    return float(nearest) if abs(ticks - nearest) < _WHOLE else ticks


def refusal(word: Word, now_s: float, rng: Random) -> Outcome:
    """What a client hears that was turned away in the tick that begins at `now_s`."""
    headers = [*word.fixed(), *word.drawn(rng, now_s)]
    return Outcome(
        status=word.status,
        headers={name.decode(): value.decode() for name, value in headers},
        received_epoch_s=now_s,
    )


SUCCESS = Outcome(status=200)
"""What a client hears whose attempt was admitted."""


def metered(offered: Counts, refused: Counts, capacities_per_s: Sequence[float]) -> Metered:
    """The meter of a lane in which what is admitted is done at once."""
    nothing = np.zeros_like(offered)
    none = np.zeros(offered.shape[1], np.int64)
    return Metered(
        offered=offered,
        admitted=offered - refused,
        turned_away=refused,
        completed=offered - refused,
        abandoned=nothing,
        blocked=nothing,
        shed=nothing,
        failed=nothing,
        capacity_per_s=np.array(capacities_per_s, np.float64),
        queue=none,
        in_flight=none,
    )


def latency_rows(origins: Counts, took: Counts, counts: Counts) -> Counts:
    """Rows of tick, bucket and count: `counts` requests, due in `origins`, took so many ticks."""
    longest = int(took.max(initial=0))
    buckets = np.array([bucket_of(ticks * TICK_S * 1000) for ticks in range(longest + 1)])
    width = int(buckets[-1]) + 1
    keys, places = np.unique(origins * width + buckets[took], return_inverse=True)
    sums = np.zeros(keys.size, np.int64)
    np.add.at(sums, places, counts)
    return np.column_stack((keys // width, keys % width, sums))
