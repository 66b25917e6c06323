"""Writes the record of a live run: one per test, in the process that also triggers what goes wrong.

Its loops are greenlets. Whatever fails in them is told to the owner of the run: a recorder
that fails quietly loses data, and a run without its data must not look like one.
"""

import logging
import math
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

import gevent
import gevent.pool

from faults.admin import AdminError
from loadtests.bins import ClientBins
from loadtests.client import RunClock
from loadtests.layer_watch import LayerWatch
from loadtests.rundir import make_run_dir
from loadtests.settings import Settings
from loadtests.target_link import Planned, TargetLink
from loadtests.triggers import Triggers
from loadtests.watch import TargetWatch
from reports.record import (
    RECORD_NAME,
    End,
    Fault,
    Header,
    Health,
    Lane,
    Line,
    RecordWriter,
    Requests,
)

log = logging.getLogger("aftershock")

Told = Callable[[Sequence[Line]], None]
"""Hears the lines of a record as they are written. It must be quick, and is not waited for."""

POLL_S = 0.5
"""How often the target is asked for its ticks."""
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
    link: TargetLink | None
    told: Told
    counts: ClientBins = field(init=False)
    directory: Path = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is written yet."""
        self.counts = ClientBins(self.tick_s)
        self._health: list[Health] = []
        self._watch: TargetWatch | None = None
        self._triggers: Triggers | None = None
        self._layers: list[LayerWatch] = []
        if self.link is not None:
            names = [lane.lane for lane in self.lanes]
            self._watch = self.link.watch(self.clock)
            said = self.settings
            planned: tuple[Planned, ...] = (*said.dips, *said.faults, *said.actions)
            self._triggers = Triggers(self.link, planned, self.clock)
            self._layers = [layer.watch(names, self.clock) for layer in self.link.layers]
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
        self._write(self._header(), *self._spikes())
        self._spawn(self._collect_for_ever)
        for loop in self._triggers.loops() if self._triggers else ():
            self._spawn(loop)

    def add(self, requests: Iterable[Requests], health: Iterable[Health] = ()) -> None:
        """Take over what clients counted; bins of several processes merge."""
        for increment in requests:
            self.counts.add(increment)
        self._health += health

    def finish(self, ended_s: float, reason: str, limit_s: float = math.inf) -> None:
        """Take back what is still in force, write what is left, close the record.

        `ended_s` is when the load ended, in seconds from the anchor. After `limit_s` the record is
        closed without what the target has not told by then.
        """
        with gevent.Timeout(limit_s if math.isfinite(limit_s) else None, exception=False):
            self._take_leave()
        self._loops.kill(block=False)
        self._write(*self._client_lines(), *self._cut_spikes(ended_s))
        if self.link is not None:
            self.link.close()
        self._write(End(ended_s, reason))
        self._writer.close()

    def _take_leave(self) -> None:
        """All that waits for the target.

        Users stop one by one after the load has ended for the report: what the last of them sent
        is counted by them, so it must be in the target's ticks as well.
        """
        if self._triggers is None:
            self._loops.kill()
        else:
            with self._triggers.planning:
                self._loops.kill()
            self._triggers.take_back()
        self._write(*self._target_lines())
        if self._watch is not None:
            watches: list[TargetWatch | LayerWatch] = [self._watch, *self._layers]
            self._await_tick(watches, self.clock.now_s())
            self._write(*(line for watch in watches for line in watch.last_second()))

    def _await_tick(self, watches: Sequence[TargetWatch | LayerWatch], t_s: float) -> None:
        """Until the target and the gateways have finished the tick of `t_s`, and it is recorded."""
        deadline_s = self.clock.now_s() + LAST_TICK_TIMEOUT_S
        while min(watch.recorded_s for watch in watches) < t_s and self.clock.now_s() < deadline_s:
            gevent.sleep(self.tick_s)
            self._write(*self._target_lines())

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
            target=self.link.told if self.link else None,
        )

    def _spikes(self) -> list[Fault]:
        """The spikes as planned: the clients play them by themselves."""
        return [
            Fault(
                "spike",
                f"spike-{number}",
                spike.at_s,
                spike.at_s + spike.for_s,
                lanes=spike.lanes,
                text=spike.text,
            )
            for number, spike in enumerate(self.settings.spikes, 1)
        ]

    def _cut_spikes(self, ended_s: float) -> list[Fault]:
        """Those that ended with the load."""
        cut = (spike for spike in self._spikes() if spike.end_s > ended_s)
        return [replace(spike, end_s=max(spike.start_s, ended_s)) for spike in cut]

    def _write(self, *lines: Line) -> None:
        self._writer.write(*lines)
        try:
            self.told(lines)
        except Exception:  # who looks on must not end the run
            log.exception("what was recorded cannot be shown")

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
            self._write(*self._new_lines())

    def _new_lines(self) -> list[Line]:
        target = self._target_lines()  # waits for the target; what follows does not
        return [*target, *self._client_lines()]

    def _client_lines(self) -> list[Line]:
        health, self._health = self._health, []
        return [*self.counts.drain(), *health]

    def _target_lines(self) -> list[Line]:
        lines: list[Line] = []
        for watch in (self._watch, *self._layers):
            try:
                lines += watch.poll() if watch else []
            except AdminError as error:
                # Ticks are kept where they arise; what is lost for good is a gap in the record.
                log.warning("a meter cannot be read: %s", error)
        return lines
