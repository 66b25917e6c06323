"""Simulated services, in virtual time, whose capacity is known."""

import heapq
import math
from collections.abc import Callable
from random import Random

from loadtests.calibration.planning import Plan, next_move
from loadtests.calibration.steps import Step, StepCount, StepLimits, StepResult
from loadtests.calibration.verdict import Verdict

TIMEOUT_S = 5.0

Answer = tuple[float, float, bool]
"""When a request was due, when it ended, whether it succeeded; seconds."""
Server = Callable[[float, float, Random], list[Answer]]
"""Answers to a constant rate per second for so many seconds, by a server that begins idle."""


def dues(rate_per_s: float, for_s: float) -> list[float]:
    return [k / rate_per_s for k in range(math.ceil(for_s * rate_per_s))]


def rejecting(capacity_per_s: float, tick_s: float = 0.1) -> Server:
    """The target's model `reject`: so many a tick, the others are refused at once."""

    def serve(rate_per_s: float, for_s: float, rng: Random) -> list[Answer]:
        phase_s = rng.uniform(0, tick_s)
        tick, left = -1, 0.0
        answers = []
        for due_s in dues(rate_per_s, for_s):
            while tick < int((due_s + phase_s) / tick_s):
                tick, left = tick + 1, left % 1 + capacity_per_s * tick_s  # whole ones are lost
            ok = left >= 1 - 1e-9
            left -= ok
            answers.append((due_s, due_s + rng.uniform(0.001, 0.003), ok))
        return answers

    return serve


def queueing(workers: int, draw: Callable[[Random], float]) -> Server:
    """Workers and an endless queue, first come first served; work for clients gone is finished."""

    def serve(rate_per_s: float, for_s: float, rng: Random) -> list[Answer]:
        free = [0.0] * workers
        answers = []
        for due_s in dues(rate_per_s, for_s):
            begin_s = max(due_s, heapq.heappop(free))
            end_s = begin_s + draw(rng)
            heapq.heappush(free, end_s)
            in_time = end_s - due_s <= TIMEOUT_S
            answers.append((due_s, end_s if in_time else due_s + TIMEOUT_S, in_time))
        return answers

    return serve


def collapsing(capacity_per_s: float, steepness: float, noise: float = 0.01) -> Server:
    """Serves all up to its capacity, and beyond it the less the more is offered.

    Of ``x`` times the capacity it serves ``capacity · x^−steepness``, give or take `noise`.
    """

    def serve(rate_per_s: float, for_s: float, rng: Random) -> list[Answer]:
        now_per_s = capacity_per_s * (1 + rng.gauss(0, noise))
        over = max(1.0, rate_per_s / now_per_s)
        share = over ** (-1 - steepness)
        return [
            (due_s, due_s + rng.uniform(0.001, 0.003), rng.random() < share)
            for due_s in dues(rate_per_s, for_s)
        ]

    return serve


def measure(server: Server, step: Step, limits: StepLimits, rng: Random) -> StepResult:
    """Play one step, with the same early ends as in a live one."""
    count = StepCount(step, limits)
    answers = server(step.rate_per_s, limits.warm_up_s + limits.measured_s, rng)
    events = [(due_s, 0, index) for index, (due_s, _, _) in enumerate(answers)]
    events += [(end_s, 1, index) for index, (_, end_s, _) in enumerate(answers)]
    stopped, stopped_s = None, None
    for now_s, ends, index in sorted(events):
        due_s, end_s, ok = answers[index]
        if ends and (stopped_s is None or due_s < stopped_s):
            count.ended(due_s, end_s, ok)
        elif not ends and stopped is None:
            count.left(due_s, due_s)
        if stopped is None and (stopped := count.broken_down(now_s)) is not None:
            stopped_s = now_s
    return count.result(0.1, stopped, stopped_s)


def calibrate(
    server: Server, seed: int, plan: Plan | None = None, limits: StepLimits | None = None
) -> tuple[Verdict, list[StepResult]]:
    """A whole calibration in virtual time."""
    rng, plan, limits = Random(seed), plan or Plan(), limits or StepLimits()
    results: list[StepResult] = []
    while isinstance(move := next_move(results, plan), Step):
        results.append(measure(server, move, limits, rng))
    return move, results
