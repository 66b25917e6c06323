"""Workers that toss a coin in the place of every run."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self, cast

from aftershock_units import parse_duration_s
from loadtests.simulation.many import Task
from loadtests.simulation.measured import Measured
from loadtests.simulation.workers import R, T
from tests.loadtests.simulation.tipping.coins import Share


def run(recovered: bool, settled_s: float = 1.0, observed_s: float = 30.0) -> Measured:
    """The figures of a run."""
    return Measured(
        lane="a",
        policy="immediate",
        peak_per_s=1.0,
        attempts=1,
        requests=1,
        failed=0,
        unanswered=0,
        first_fit_s=0.0,
        settled_s=settled_s if recovered else None,
        recovered=recovered,
        goodput_back_s=0.0,
        storm_attempts=0.0,
        relapses=0,
        observed_s=observed_s,
    )


class Coins:
    """Each run recovers with the probability that `share` has for the length of its dip.

    Its seed decides. Those of a round are done in the order of `order`, and after so many `runs`
    somebody presses Ctrl-C.
    """

    def __init__(
        self, share: Share, order: int = 1, runs: int | None = None, settled_s: float = 1.0
    ) -> None:
        self.share, self.order, self.left, self.settled_s = share, order, runs, settled_s
        self.tasks: list[Task] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        """In another order than they were asked for, if wanted."""
        for index in range(len(items))[:: self.order]:
            if self.left is not None:
                if not self.left:
                    raise KeyboardInterrupt
                self.left -= 1
            task = cast("Task", items[index])
            self.tasks.append(task)
            yield index, cast("R", (self._toss(task),))

    def _toss(self, task: Task) -> Measured:
        dip = json.loads(task.scenario_json)["dips"][0]
        coin = random.Random(task.seed).random()
        return run(coin < self.share(parse_duration_s(dip["for"])), self.settled_s)
