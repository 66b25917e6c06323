"""Watches a target: one poll at a time, whatever becomes of it. The clock is passed in.

A target that was restarted or reset, or another target, begins a new epoch: what was known of the
old one is no history of it.
"""

from collections import deque
from collections.abc import Callable
from secrets import token_hex
from typing import Protocol

from faults.admin import AdminError, ClockOffset
from faults.wire import TargetState, TickRow
from loadtests.control_room.metered.history import History

JUMP_S = 0.5
"""A target's clock that stands this much elsewhere than before is another clock."""
WATCHED_S = 10.0
"""Ticks of the last seconds are kept by every target: where they are missing, it was reset."""
FIRST_SAMPLES, KEPT_SAMPLES = 5, 20
"""Exchanges by which the target's clock is found: at the first poll, and in the newest polls."""


class TargetReader(Protocol):
    """What is read of a target; `faults.admin.AdminClient` is one."""

    base_url: str

    def state(self) -> TargetState:
        """The target as it stands."""
        ...

    def ticks(
        self, after: int | None = None, pause: Callable[[], None] = lambda: None
    ) -> list[TickRow]:
        """The finished ticks with a sequence number above `after`."""
        ...


class Watching:
    """What is known of the target that is watched now."""

    def __init__(self, client_for: Callable[[], TargetReader], clock: Callable[[], float]) -> None:
        """`client_for` gives the target of now, and raises `ValueError` where there is none."""
        self._client_for = client_for
        self._clock = clock
        self.url = ""
        self.problem: str | None = None
        self.reachable = False
        self.since_epoch_s = clock()
        """Since when it is reachable, or not."""
        self._begin("")

    def _begin(self, url: str) -> None:
        self.url = url
        self.epoch = token_hex(4)
        self.state: TargetState | None = None
        self.history: History | None = None
        self._samples: deque[ClockOffset] = deque(maxlen=KEPT_SAMPLES)

    @property
    def offset_s(self) -> float:
        """The target's clock plus this is the clock of ours, in epoch seconds."""
        best = min(self._samples, key=lambda sample: sample.rtt_s, default=None)
        return best.offset_s if best else 0.0

    def poll(self, pause: Callable[[], None] = lambda: None) -> None:
        """Read what is new. Never raises for what a target does or does not.

        `pause` is called now and then where there is much to read.
        """
        try:
            client = self._client_for()
        except ValueError as error:
            self._reached(str(error))
            return
        if client.base_url != self.url:
            self._begin(client.base_url)
        try:
            self._read(client, pause)
        except AdminError as error:
            self._reached(str(error))
        else:
            self._reached(None)

    def _reached(self, problem: str | None) -> None:
        reachable = problem is None
        if reachable != self.reachable or (problem and not self.problem):
            self.since_epoch_s = self._clock()
        self.reachable, self.problem = reachable, problem

    def _read(self, client: TargetReader, pause: Callable[[], None]) -> None:
        state, sample = self._ask(client)
        if self._is_another(state, sample):
            self._begin(client.base_url)
            for _ in range(FIRST_SAMPLES - 1):
                self._samples.append(sample)
                state, sample = self._ask(client)
        self._samples.append(sample)
        rows = client.ticks(self.history.last_seq if self.history else None, pause)
        if self.history is not None and self._were_cleared(self.history, rows):
            self._begin(client.base_url)
            self._samples.append(sample)
        if self.history is None:
            self.history = History(state.tick_s)
        self.history.add(rows, pause)
        self.state = state

    def _ask(self, client: TargetReader) -> tuple[TargetState, ClockOffset]:
        """The target is taken to have looked at its clock in the middle of the exchange."""
        sent_s = self._clock()
        state = client.state()
        back_s = self._clock()
        return state, ClockOffset((sent_s + back_s) / 2 - state.now_s, back_s - sent_s)

    def _is_another(self, state: TargetState, sample: ClockOffset) -> bool:
        """Whether this is not the target of the poll before, or no longer as it was."""
        before = self.state
        if before is None:
            return True
        return (
            state.seq < before.seq
            or state.tick_s != before.tick_s
            or abs(sample.offset_s - self.offset_s) > JUMP_S + sample.rtt_s
            or not before.lanes.keys() <= state.lanes.keys()
            or any(
                old and (not new or _number(old[-1].id) > _number(new[-1].id))
                for old, new in (
                    (before.dips, state.dips),
                    (before.faults, state.faults),
                    (before.actions, state.actions),
                )
            )
        )

    def _were_cleared(self, history: History, rows: list[TickRow]) -> bool:
        if not rows or history.last_seq is None:
            return False
        lost = rows[0].seq - history.last_seq - 1
        return 0 < lost * history.tick_s < WATCHED_S


def _number(given: str) -> int:
    """The number in ``dip-3``: a target counts on, whatever it forgets."""
    number = given.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0
