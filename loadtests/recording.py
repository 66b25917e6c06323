"""Writes the record of a live run: one per test, in the process that also triggers the dips.

Its loops are greenlets. Whatever fails in them is told to the owner of the run: a recorder
that fails quietly loses data, and a run without its data must not look like one.
"""

import logging
import platform
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path

import gevent
import gevent.pool
from gevent.lock import BoundedSemaphore

from faults.admin import AdminError
from faults.dip import Dip
from loadtests.bins import ClientBins
from loadtests.client import RunClock
from loadtests.rundir import make_run_dir
from loadtests.settings import Settings
from loadtests.target_link import TargetLink
from loadtests.watch import TargetWatch
from reports.record import (
    RECORD_NAME,
    End,
    Header,
    Health,
    Lane,
    Line,
    RecordWriter,
    Requests,
)

log = logging.getLogger("aftershock")

POLL_S = 0.5
"""How often the target is asked for its ticks."""
DIP_LEAD_S = 1.0
"""How long before a dip is due the target is told of it: it then begins on the target's clock."""
WARM_UP_SKIPPED_S = 1.0
"""The first second of load, in which connections are made, is no part of the baseline."""
LAST_TICK_TIMEOUT_S = 3.0
"""How long a busy target may take, at the end, to finish the tick in which the load ended."""
DEFAULT_TICK_S = 0.1


@dataclass
class Recorder:
    """The record of one run, from `start` to `finish`."""

    settings: Settings
    lanes: tuple[Lane, ...]
    clock: RunClock
    anchor_epoch_s: float
    on_failure: Callable[[BaseException], None]
    link: TargetLink | None = None
    counts: ClientBins = field(init=False)
    directory: Path = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is written yet."""
        self.counts = ClientBins(self.tick_s)
        self._health: list[Health] = []
        self._begun: list[str] = []
        self._planning = BoundedSemaphore(1)
        self._watch = self.link.watch(self.clock) if self.link else None
        self._loops = gevent.pool.Group()

    @property
    def tick_s(self) -> float:
        """The target's tick, which is the width of the clients' bins too."""
        return self.link.tick_s if self.link else DEFAULT_TICK_S

    def start(self) -> None:
        """Open the record and start the loops. Raises `OSError` when it cannot be written."""
        self.directory = self.settings.run_dir or make_run_dir(
            self.settings.runs_dir, self.anchor_epoch_s
        )
        self._writer = RecordWriter(self.directory / RECORD_NAME)
        self._writer.write(self._header())
        self._spawn(self._collect_for_ever)
        if self.link is not None:
            for dip in self.settings.dips:
                self._spawn(partial(self._trigger, self.link, dip))

    def add(self, requests: Iterable[Requests], health: Iterable[Health] = ()) -> None:
        """Take over what clients counted; bins of several processes merge."""
        for increment in requests:
            self.counts.add(increment)
        self._health += health

    def finish(self, ended_s: float, reason: str) -> None:
        """Take back dips still in force, write what is left, close the record.

        `ended_s` is when the load ended, in seconds from the anchor.
        """
        with self._planning:  # a dip that is being planned now would stay with nobody to end it
            self._loops.kill()
        if self.link is not None:
            self.link.end_dips(self._begun)
        self._writer.write(*self._new_lines())
        if self._watch is not None:
            self._await_tick(self._watch, ended_s)
            self._writer.write(*self._watch.last_second())
        if self.link is not None:
            self.link.admin.close()
        self._writer.write(End(ended_s, reason))
        self._writer.close()

    def _await_tick(self, watch: TargetWatch, t_s: float) -> None:
        """Until the target has finished the tick of `t_s`, and it is recorded."""
        deadline_s = self.clock.now_s() + LAST_TICK_TIMEOUT_S
        while watch.recorded_s < t_s and self.clock.now_s() < deadline_s:
            gevent.sleep(self.tick_s)
            self._writer.write(*self._target_lines())

    def _header(self) -> Header:
        return Header(
            id=self.directory.name,
            name=self.settings.name,
            source="live",
            anchor_epoch_s=self.anchor_epoch_s,
            tick_s=self.tick_s,
            seed=self.settings.seed,
            lanes=self.lanes,
            scenario=self.settings.scenario,
            versions={
                **{name: version(name) for name in ("aftershock", "locust", "gevent")},
                "python": platform.python_version(),
                "platform": platform.platform(),
            },
            observe_from_s=WARM_UP_SKIPPED_S,
            planned_end_s=self.settings.planned_end_s,
        )

    def _spawn(self, loop: Callable[[], None]) -> None:
        self._loops.spawn(self._guarded, loop)

    def _guarded(self, loop: Callable[[], None]) -> None:
        try:
            loop()
        except Exception as error:  # noqa: BLE001 - whatever it is, the run must not go on unrecorded
            self.on_failure(error)

    def _collect_for_ever(self) -> None:
        while True:
            gevent.sleep(POLL_S)
            self._writer.write(*self._new_lines())

    def _new_lines(self) -> list[Line]:
        target = self._target_lines()  # waits for the target; nothing below does
        health, self._health = self._health, []
        return [*target, *self.counts.drain(), *health]

    def _target_lines(self) -> list[Line]:
        if self._watch is None:
            return []
        try:
            return self._watch.poll()
        except AdminError as error:
            # Ticks are kept at the target; what is lost for good shows as a gap in the record.
            log.warning("the target's meter cannot be read: %s", error)
            return []

    def _trigger(self, link: TargetLink, dip: Dip) -> None:
        gevent.sleep(max(0.0, dip.at_s - DIP_LEAD_S - self.clock.now_s()))
        with self._planning:
            self._begun.append(link.begin_dip(dip, self.clock))
