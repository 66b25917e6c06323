"""Wakes attempts that wait in a service model when their time has come: the model's clock."""

import asyncio
from dataclasses import dataclass

from target_service.lanes import Lane
from target_service.service import Fate, Job
from target_service.target import Target
from target_service.ticker import Clock

# uvloop counts its timers in whole milliseconds; asking for less would spin.
_SHORTEST_SLEEP_S = 0.001


@dataclass(slots=True)
class _Timer:
    when_s: float
    handle: asyncio.TimerHandle


class Dispatcher:
    """A future for each attempt in a model; the model itself decides all that becomes of it."""

    def __init__(self, target: Target, clock: Clock) -> None:
        self._target = target
        self._clock = clock
        self._futures: dict[Job, asyncio.Future[Fate]] = {}
        self._timers: dict[Lane, _Timer] = {}

    def future(self, job: Job) -> asyncio.Future[Fate]:
        """Has the fate of an attempt that was taken: once it is served, or refused after all.

        Where the app's time is the service time, `SERVED` comes when a worker takes it.
        """
        future = asyncio.get_running_loop().create_future()
        self._futures[job] = future
        return future

    def forget(self, job: Job) -> None:
        """Nobody waits for this one any more."""
        self._futures.pop(job, None)

    def look(self, lane: Lane) -> None:
        """Tell those who wait what has happened in the lane, and set the alarm for what will."""
        model = lane.model
        if model is None:
            return
        for job, fate in model.ended:
            self._tell(job, fate)
        for job in model.started:
            self._tell(job, Fate.SERVED)
        model.ended.clear()
        model.started.clear()
        next_s = model.next_s
        timer = self._timers.get(lane)
        if next_s is not None and (timer is None or next_s < timer.when_s):
            if timer is not None:
                timer.handle.cancel()
            left_s = max(next_s - self._clock(), _SHORTEST_SLEEP_S)
            handle = asyncio.get_running_loop().call_later(left_s, self._ring, lane)
            self._timers[lane] = _Timer(next_s, handle)

    def look_at_all(self) -> None:
        """As `look`, in every lane: a tick has begun, and with it perhaps another capacity."""
        for lane in self._target.lanes.values():
            self.look(lane)

    def _tell(self, job: Job, fate: Fate) -> None:
        future = self._futures.pop(job, None)
        if future is not None and not future.done():
            future.set_result(fate)

    def _ring(self, lane: Lane) -> None:
        del self._timers[lane]
        now_s = self._clock()
        self._target.advance(now_s)
        if lane.model is not None:
            lane.model.advance(now_s)
            self.look(lane)
