"""What is going to happen in a lane, in the order of time.

What happens at one instant happens in this order: work at the service ends; answers arrive; time is
up for attempts; whatever else is due, in the order in which it was planned; a new request is due.
What all take equally long for is in queues, the rest in a heap with a counter that breaks ties.
"""

import heapq
import itertools
from collections import deque
from collections.abc import Callable

from loadtests.scenario import ScenarioError
from loadtests.simulation.events.attempt import Attempt, Reply

Event = Callable[[float], None]
"""Is told the time."""
MOST_EVENTS = 200_000_000
"""Beyond that a policy runs in circles, or nobody could wait for the end."""


class Agenda:
    """The answers on their way, the attempts with a time limit, and whatever else is due."""

    def __init__(self, lane: str, network_s: float, timeout_s: float) -> None:
        """An answer is on its way for `network_s`; most attempts may take `timeout_s`."""
        self.answers: deque[tuple[float, Attempt, Reply]] = deque()
        self.limits: deque[tuple[float, Attempt]] = deque()
        self.due: list[tuple[float, int, Event]] = []
        self._lane = lane
        self._network_s = network_s
        self._timeout_s = timeout_s
        self._order = itertools.count()

    def answer(self, attempt: Attempt, reply: Reply, now_s: float) -> None:
        """An answer leaves for its caller."""
        if not attempt.over:
            self.answers.append((now_s + self._network_s, attempt, reply))

    def limit(self, attempt: Attempt, timeout_s: float, now_s: float) -> None:
        """The caller of an attempt that is sent now waits for so long."""
        if timeout_s == self._timeout_s:
            self.limits.append((now_s + timeout_s, attempt))
            return

        def time_is_up(at_s: float) -> None:
            if not attempt.over:
                attempt.over = True
                attempt.caller.gave_up(attempt, at_s)

        self.at(now_s + timeout_s, time_is_up)

    def at(self, at_s: float, event: Event) -> None:
        """Something happens then. Raises `ScenarioError` where there is no end of it."""
        order = next(self._order)
        if order >= MOST_EVENTS:
            raise ScenarioError(
                f"lane {self._lane!r}: more than {MOST_EVENTS:,} events: "
                "simulate less load, or a shorter time"
            )
        heapq.heappush(self.due, (at_s, order, event))
