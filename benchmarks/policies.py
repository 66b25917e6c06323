"""What one decision costs in each retry policy: how much of a storm one core can decide on.

    .venv/bin/python -m benchmarks.policies

A decision is one question to a policy: a request starts, an attempt ended, a wait is over. Requests
are driven through `Request`, one after another on one policy, in virtual time. Of the attempts
nearly half fail, or, in a storm, nine in ten; of those answers half carry Retry-After. What a
request costs to make is in it.

All policies take turns several times over, `no-retry` among them: microseconds depend on the
machine and its mood, their ratio to that much less.
"""

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random

from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from loadtests.policies import (
    PRESETS,
    AttemptError,
    Await,
    Call,
    Outcome,
    Preset,
    Request,
    RetryPolicy,
    Send,
    Stop,
    preset,
)
from loadtests.policies.hedging import Hedging
from loadtests.policies.retry import Retry

SIMPLE_GOAL_US = 5.0
STATEFUL_GOAL_US = 10.0
ATTEMPT_S = 0.01

_GOOD = Outcome(200, ATTEMPT_S)
_BUSY = Outcome(503, ATTEMPT_S)
_BUSY_FOR_1S = Outcome(503, ATTEMPT_S, headers={"retry-after": "1"})
_LIMITED = Outcome(429, ATTEMPT_S, headers={"retry-after": "1"})
_UNTIL = Outcome(
    503,
    ATTEMPT_S,
    headers={"retry-after": "Sun, 06 Nov 1994 08:49:38 GMT"},
    received_epoch_s=784_111_777.0,
)
_LATE = Outcome(None, 1.0, AttemptError.TIMEOUT)
_REFUSED = Outcome(None, 0.0, AttemptError.REFUSED)

MIXES: dict[str, tuple[Outcome, ...]] = {
    # 9 of 20 fail, at most three in a row: most breakers stay closed, and yet see failures.
    "half fail": (
        *(_GOOD, _BUSY, _BUSY_FOR_1S, _GOOD, _LATE, _GOOD, _GOOD, _BUSY_FOR_1S, _BUSY, _LIMITED),
        *(_GOOD, _GOOD, _UNTIL, _GOOD, _REFUSED, _GOOD, _GOOD, _GOOD, _BUSY_FOR_1S, _GOOD),
    ),
    "storm": (
        *(_BUSY, _BUSY, _BUSY_FOR_1S, _BUSY_FOR_1S, _LATE, _LATE, _BUSY, _BUSY_FOR_1S, _LIMITED),
        *(_GOOD, _BUSY, _BUSY_FOR_1S, _UNTIL, _LIMITED, _REFUSED, _BUSY, _BUSY, _BUSY_FOR_1S),
        *(_BUSY_FOR_1S, _GOOD),
    ),
}


class World:
    """Requests on one policy, one after another; its clock goes on from one run to the next."""

    def __init__(self, policy: RetryPolicy, outcomes: tuple[Outcome, ...]) -> None:
        """At time 0, with nothing done yet."""
        self._policy = policy
        self._outcomes: Iterator[Outcome] = cycle(outcomes)
        self._rng = Random(0)
        self._now_s = 0.0

    def run(self, requests: int) -> int:
        """So many requests. Returns how many decisions they took."""
        return sum(self._request() for _ in range(requests))

    def _request(self) -> int:
        request = Request(self._policy, Call(self._rng))
        now_s, decisions = self._now_s, 1
        action = request.start(now_s)
        while not isinstance(action, Stop):
            decisions += 1
            if isinstance(action, Send):
                request.sent()
                if action.hedge_after_s is None:
                    outcome = next(self._outcomes)
                    now_s += outcome.elapsed_s
                    action = request.finished(now_s, outcome)
                else:  # every attempt is slow enough to be hedged
                    now_s += action.hedge_after_s
                    action = request.resumed(now_s)
            elif isinstance(action, Await):
                outcome = next(self._outcomes)
                now_s += outcome.elapsed_s
                action = request.finished(now_s, outcome)
            else:
                now_s += action.seconds
                action = request.resumed(now_s)
        self._now_s = now_s + ATTEMPT_S
        return decisions


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one decision of this preset, in microseconds, by mix and repetition."""

    preset: type[Preset]
    goal_us: float
    each_us: dict[str, list[float]]

    def median_us(self, mix: str) -> float:
        """By which a goal is met or missed."""
        return statistics.median(self.each_us[mix])

    @property
    def is_met(self) -> bool:
        """Not above the goal, in any mix."""
        return all(self.median_us(mix) <= self.goal_us for mix in self.each_us)


def main() -> None:
    """Measure and print; exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog=f"Goals: {SIMPLE_GOAL_US:g} µs, and {STATEFUL_GOAL_US:g} µs for what has a budget, "
        "a breaker or a throttle, or is several policies in one. Exit code 1 when one is missed.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="presets; all unless given")
    parser.add_argument("--requests", type=int, default=200, help="requests of one repetition")
    parser.add_argument("--times", type=int, default=25, help="repetitions of each")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(PRESETS))
    if unknown or options.requests < 1 or options.times < 1:
        parser.error(f"unknown: {', '.join(unknown)}" if unknown else "expected 1 or more")
    names = ["no-retry", *(name for name in options.names or PRESETS if name != "no-retry")]
    costs = measure(names, options.requests, options.times)
    console = Console()
    console.print(
        f"CPU per decision, the median of {options.times} times {options.requests} requests; "
        "the base is no-retry"
    )
    console.print(table(costs))
    sys.exit(0 if all(cost.is_met for cost in costs) else 1)


def measure(names: list[str], requests: int, times: int) -> list[Cost]:
    """Each policy in turn in each mix, and all of them again."""
    costs = [
        Cost(PRESETS[name], goal_us(preset(name).build()), {mix: [] for mix in MIXES})
        for name in names
    ]
    worlds = [
        (World(preset(name).build(), outcomes), cost.each_us[mix])
        for name, cost in zip(names, costs, strict=True)
        for mix, outcomes in MIXES.items()
    ]
    for world, _ in worlds:
        world.run(requests)  # so that windows have something in them
    progress = Console(stderr=True)
    gc.disable()
    try:
        for _ in track(range(times), "measuring", console=progress, transient=True):
            for world, each_us in worlds:
                each_us.append(_decision_us(world, requests))
            gc.collect()
    finally:
        gc.enable()
    return costs


def _decision_us(world: World, requests: int) -> float:
    began_ns = time.process_time_ns()
    decisions = world.run(requests)
    return (time.process_time_ns() - began_ns) / decisions / 1000


def goal_us(policy: RetryPolicy) -> float:
    """By whether it has anything to keep beside a request's own attempts and waits."""
    if isinstance(policy, Retry):
        keeps = policy.budget is not None or policy.guard is not None
    elif isinstance(policy, Hedging):
        keeps = policy.budget is not None
    else:
        keeps = hasattr(policy, "of") or hasattr(policy, "outer")
    return STATEFUL_GOAL_US if keeps else SIMPLE_GOAL_US


def table(costs: Iterable[Cost]) -> Table:
    """By family, in the order of the catalogue; `no-retry` comes first."""
    costs = list(costs)
    rows = Table(box=None)
    rows.add_column("policy", no_wrap=True)
    for heading in (*(part for mix in MIXES for part in (mix, "÷ base")), "goal"):
        rows.add_column(heading, justify="right", no_wrap=True)
    for at, cost in enumerate(costs):
        family = cost.preset.family.value
        if not at or family != costs[at - 1].preset.family.value:
            rows.add_row(Text(family, style="bold"))
        figures = [
            (cost.median_us(mix), cost.median_us(mix) / costs[0].median_us(mix)) for mix in MIXES
        ]
        rows.add_row(
            f"  {cost.preset.name}",
            *(text for us, ratio in figures for text in (f"{us:.2f} µs", f"{ratio:.2f}")),
            f"{cost.goal_us:g} µs {'met' if cost.is_met else 'MISSED'}",
            style="" if cost.is_met else "red",
        )
    return rows


if __name__ == "__main__":
    main()
