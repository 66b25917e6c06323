"""What the target metered, for all who look at it: asked for only while somebody does.

One greenlet polls the target; whoever waits for something newer is woken after each poll. What a
poll found is judged once, however many look.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import gevent
from gevent import Greenlet
from gevent.event import Event

from faults.wire import TargetState
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.metered.history import History
from loadtests.control_room.metered.watching import TargetReader, Watching
from loadtests.control_room.standing.judgement import Memory
from loadtests.control_room.standing.standings import Standing, standings

log = logging.getLogger("aftershock")

POLL_S = 0.3
RETRY_S = 1.0
"""How long after a poll that failed the next one comes."""
LOOKED_AT_S = 5.0
"""How long polling goes on after the last look."""


@dataclass(frozen=True)
class Seen:
    """What the newest poll found. Without an answer from the target so far, `state` is None.

    `offset_s` is added to the target's clock to get epoch seconds.
    """

    version: int
    epoch: str
    url: str
    reachable: bool
    problem: str | None
    since_epoch_s: float
    offset_s: float
    state: TargetState | None
    history: History | None
    standings: tuple[Standing, ...]


class Feed:
    """Polls the target while somebody looks; one per process."""

    def __init__(
        self,
        client_for: Callable[[], TargetReader],
        tally: ClientTally,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`client_for` gives a client of the target of now; `ValueError`: there is none, and why.

        It is asked at each poll, and should give the same client as long as the target is the same.
        `clock` gives epoch seconds.
        """
        self._tally = tally
        self._clock = clock
        self._watching = Watching(client_for, clock)
        self._looked_s = -LOOKED_AT_S
        self._loop: Greenlet | None = None
        self._newer = Event()
        self._memories: dict[str, Memory] = {}
        self._seen = self._publish(0, ())

    @property
    def seen(self) -> Seen:
        """What the newest poll found."""
        return self._seen

    @property
    def version(self) -> int:
        """The number of the newest poll; 0 before the first."""
        return self._seen.version

    def look(self) -> None:
        """Somebody looks now."""
        self._looked_s = self._clock()
        if self._loop is None or self._loop.dead:
            self._loop = gevent.spawn(self._poll_while_looked_at)

    def wait(self, seen: int, timeout_s: float) -> int:
        """Until there is something newer than version `seen`, or for `timeout_s`: the version.

        A version that this process has not come to yet is from one before it: nothing to wait for.
        What was seen when somebody looked last, long ago, is not shown: the next poll is.
        """
        asleep = self._loop is None or self._loop.dead
        self.look()
        if asleep or seen == self.version:
            self._newer.wait(timeout_s)
        return self.version

    def close(self) -> None:
        """Stop polling."""
        if self._loop is not None:
            self._loop.kill()

    def poll(self, pause: Callable[[], None] = lambda: None) -> None:
        """Read what is new, and judge it. `pause` is called now and then, as between lanes."""
        watching, before = self._watching, self._watching.epoch
        watching.poll(pause)
        if watching.epoch != before:
            self._memories.clear()
        found = []
        if watching.history is not None and watching.state is not None:
            for standing in standings(
                watching.history,
                watching.state,
                watching.offset_s,
                self._tally,
                self._memories,
            ):
                found.append(standing)
                pause()
        self._seen = self._publish(self.version + 1, tuple(found))
        newer, self._newer = self._newer, Event()
        newer.set()

    def _publish(self, version: int, found: tuple[Standing, ...]) -> Seen:
        watching = self._watching
        return Seen(
            version=version,
            epoch=watching.epoch,
            url=watching.url,
            reachable=watching.reachable,
            problem=watching.problem,
            since_epoch_s=watching.since_epoch_s,
            offset_s=watching.offset_s,
            state=watching.state,
            history=watching.history,
            standings=found,
        )

    def _poll_while_looked_at(self) -> None:
        while self._clock() - self._looked_s < LOOKED_AT_S:
            try:
                self.poll(lambda: gevent.sleep(0))
            except Exception:  # whoever looks must not wait for ever, nor the run end
                log.exception("the target cannot be shown")
            gevent.sleep(POLL_S if self._seen.reachable else RETRY_S)
