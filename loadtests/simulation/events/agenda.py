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
        self.limits: deque[Attempt] = deque()
        self.due: list[tuple[float, int, Event]] = []
        self.network_s = network_s
        self.work: Event = _nothing
        """Brings the service up to a time: it may lag behind where nothing follows from its work
        but what is counted."""
        self._lane = lane
        self._timeout_s = timeout_s
        self._order = itertools.count()

    def answer(self, attempt: Attempt, reply: Reply, now_s: float) -> None:
        """An answer leaves for its caller."""
        if not attempt.over:
            self.answers.append((now_s + self.network_s, attempt, reply))

    def limit(self, attempt: Attempt, timeout_s: float, now_s: float) -> None:
        """The caller of an attempt that is sent now waits for so long."""
        attempt.until_s = now_s + timeout_s
        if timeout_s != self._timeout_s:
            self.at(attempt.until_s, lambda at_s: self.time_is_up(attempt, at_s))
            return
        limits = self.limits
        limits.append(attempt)
        while limits[0].over:  # what is looked at soon again is still in the processor's cache
            limits.popleft()

    def next_answer(self, now_s: float) -> None:
        """The next answer has come to its caller, unless that has gone."""
        _, attempt, reply = self.answers.popleft()
        if not attempt.over:
            attempt.over = True
            attempt.caller.ended(attempt, reply, now_s)

    def next_limit(self, now_s: float) -> None:
        """The time of the next attempt is up, unless it is over."""
        self.time_is_up(self.limits.popleft(), now_s)

    def time_is_up(self, attempt: Attempt, now_s: float) -> None:
        """The limit of an attempt is here; what ends at this instant goes first."""
        if not attempt.over:
            self.work(now_s)
        if not attempt.over:
            attempt.over = True
            attempt.caller.gave_up(attempt, now_s)

    def at(self, at_s: float, event: Event) -> None:
        """Something happens then. Raises `ScenarioError` where there is no end of it."""
        order = next(self._order)
        if order >= MOST_EVENTS:
            raise ScenarioError(
                f"lane {self._lane!r}: more than {MOST_EVENTS:,} events: "
                "simulate less load, or a shorter time"
            )
        heapq.heappush(self.due, (at_s, order, event))


def _nothing(_now_s: float) -> None:
    pass
