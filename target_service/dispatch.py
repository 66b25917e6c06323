"""Wakes attempts that wait in a service model when their time has come: the model's clock."""

import asyncio
from dataclasses import dataclass

from target_service.lanes import Lane
from target_service.service import Fate, Job
from target_service.target import Target
from target_service.ticker import SHORTEST_SLEEP_S, Clock


@dataclass(slots=True)
class _Timer:
    when_s: float
    handle: asyncio.TimerHandle


class Dispatcher:
    """A future for each attempt in a model; the model itself decides all that becomes of it."""

    def __init__(self, target: Target, clock: Clock) -> None:
        self._target = target
        self._clock = clock
        self._futures: dict[Lane, dict[Job, asyncio.Future[Fate]]] = {}
        self._timers: dict[Lane, _Timer] = {}

    def future(self, lane: Lane, job: Job) -> asyncio.Future[Fate]:
        """Has the fate of an attempt that was taken: once it is served, or refused after all.

        Where the app's time is the service time, `SERVED` comes when a worker takes it.
        """
        future: asyncio.Future[Fate] = asyncio.get_running_loop().create_future()
        self._futures.setdefault(lane, {})[job] = future
        return future

    def forget(self, lane: Lane, job: Job) -> None:
        """Nobody waits for this one any more."""
        self._pop(lane, job)

    def look(self, lane: Lane) -> None:
        """Tell those who wait what has happened in the lane, and set the alarm for what will."""
        model = lane.model
        if model is None:
            return
        while model.started:
            job = model.started.pop(0)
            if not self._tell(lane, job, Fate.SERVED):
                self._target.finish(lane, job, self._clock())  # its call has been cancelled
        for job, fate in model.ended:
            self._tell(lane, job, fate)
        model.ended.clear()
        next_s = model.next_s
        timer = self._timers.get(lane)
        if next_s is not None and (timer is None or next_s < timer.when_s):
            if timer is not None:
                timer.handle.cancel()
            left_s = max(next_s - self._clock(), SHORTEST_SLEEP_S)
            handle = asyncio.get_running_loop().call_later(left_s, self._ring, lane)
            self._timers[lane] = _Timer(next_s, handle)

    def look_at_all(self) -> None:
        """As `look`, wherever somebody waits: a tick has begun, perhaps with another capacity.

        Also in lanes that a reset has taken from the target.
        """
        for lane in list(self._futures):
            self.look(lane)

    def _tell(self, lane: Lane, job: Job, fate: Fate) -> bool:
        """False where nobody waits for it."""
        future = self._pop(lane, job)
        if future is None or future.done():
            return False
        future.set_result(fate)
        return True

    def _pop(self, lane: Lane, job: Job) -> asyncio.Future[Fate] | None:
        futures = self._futures.get(lane, {})
        future = futures.pop(job, None)
        if future is not None and not futures:
            del self._futures[lane]
        return future

    def _ring(self, lane: Lane) -> None:
        del self._timers[lane]
        now_s = self._clock()
        self._target.advance(now_s)
        if lane.model is not None:
            lane.model.advance(now_s)
            self.look(lane)
