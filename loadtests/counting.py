"""One test in one process that has users: what they share, and what they count."""

import itertools
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from random import Random

from loadtests.bins import ClientBins, Lateness
from loadtests.client import RunClock, Scope
from loadtests.policies import RetryPolicy
from loadtests.policy_names import Described, PolicySource
from loadtests.policy_states import policies_in_turn
from loadtests.settings import Settings
from reports.record import Health, Requests

SHORTEST_SECOND_S = 0.5
"""What is left of a second when a test ends tells little of the CPU: shorter rests are left out."""


class CpuMeter:
    """The share of one core that this process used since the last reading."""

    def __init__(self) -> None:
        """Begins now."""
        self._wall_s, self._cpu_s = time.monotonic(), time.process_time()

    def read(self) -> float | None:
        """The share since the last reading; None when that was less than half a second ago."""
        wall_s, cpu_s = time.monotonic(), time.process_time()
        passed_s, used_s = wall_s - self._wall_s, cpu_s - self._cpu_s
        if passed_s < SHORTEST_SECOND_S:
            return None
        self._wall_s, self._cpu_s = wall_s, cpu_s
        return round(used_s / passed_s, 4)


class Counting:
    """The scopes of a process, one a lane and policy, and the counts of all of them."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing it is told once
        self,
        settings: Settings,
        clock: RunClock,
        tick_s: float,
        worker: str,
        numbers: range,
        on_failure: Callable[[BaseException], None],
    ) -> None:
        """`worker` names this process; its users get their numbers from `numbers`."""
        self._on_failure = on_failure
        self.settings = settings
        self.clock = clock
        self._worker = worker
        self._numbers = numbers
        self._bins = ClientBins(tick_s)
        self._lateness = Lateness(worker)
        self._cpu = CpuMeter()
        self._scopes: dict[tuple[str, Described], Scope] = {}
        self._policies: dict[tuple[str, PolicySource, int], Iterator[RetryPolicy]] = {}
        self._users: dict[str, Iterator[int]] = defaultdict(itertools.count)

    def scope(self, lane: str, source: Described) -> Scope:
        """What the users of one lane and policy share; made for the first of them."""
        if (lane, source) not in self._scopes:
            self._scopes[lane, source] = Scope(
                lane=lane,
                label=source.name if lane == source.name else f"{source.name} in {lane}",
                jitter=Random(f"{self.settings.seed}/jitter-{lane}-{source.name}/{self._worker}"),
                clock=self.clock,
                bins=self._bins,
                lateness=self._lateness,
                on_failure=self._on_failure,
            )
        return self._scopes[lane, source]

    def shared_policies(
        self, lane: str, source: PolicySource, states: int
    ) -> Iterator[RetryPolicy]:
        """The policy of each request in turn, of `states` that all users of the lane share."""
        key = lane, source, states
        if key not in self._policies:
            self._policies[key] = policies_in_turn(source, states)
        return self._policies[key]

    def next_user_index(self, lane: str) -> int:
        """The number of the next user of a lane; no two users of any process share one."""
        return self._numbers[next(self._users[lane])]

    def drain(self) -> tuple[list[Requests], list[Health]]:
        """The counts since the last time, and the health of the second that has just passed."""
        cpu = self._cpu.read()
        second_s = max(0.0, math.floor(self.clock.now_s() + 0.5) - 1.0)
        health = [] if cpu is None else [self._lateness.drain(second_s, cpu)]
        return self._bins.drain(), health
