"""Has the target do what a run plans, on time; takes back at the end what is not over."""

from collections.abc import Callable, Iterable
from functools import partial

import gevent
from gevent.lock import BoundedSemaphore

from loadtests.client import RunClock
from loadtests.target_link import Planned, TargetLink

LEAD_S = 2.0
"""How long before it is due the target is told of a thing: it then begins on the target's clock.

More than a load generator stalls for on a busy machine.
"""


class Triggers:
    """What is planned for one run, and what of it the target has been told."""

    def __init__(self, link: TargetLink, planned: Iterable[Planned], clock: RunClock) -> None:
        """Nothing is triggered yet."""
        self._link = link
        self._planned = tuple(planned)
        self._clock = clock
        self._begun: list[str] = []
        self.planning = BoundedSemaphore(1)
        """Held while the target is being told: who ends a loop then leaves what nobody ends."""

    def loops(self) -> list[Callable[[], None]]:
        """One for each thing that is planned; it ends when the target has been told."""
        return [partial(self._trigger, planned) for planned in self._planned]

    def take_back(self) -> None:
        """End or cancel what is not over."""
        self._link.end(self._begun)

    def _trigger(self, planned: Planned) -> None:
        gevent.sleep(max(0.0, planned.at_s - LEAD_S - self._clock.now_s()))
        with self.planning:
            self._begun.append(self._link.begin(planned, self._clock))
