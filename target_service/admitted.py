"""One admitted attempt until it is completed or abandoned, either of which is counted once."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from target_service.connection import connection_of
from target_service.disorder import Blow
from target_service.dispatch import Dispatcher
from target_service.lanes import Lane
from target_service.passage import Passage
from target_service.service import Abandoned, Fate, Job, QueueModel, Verdict
from target_service.strike import strike
from target_service.target import Target
from target_service.ticker import Clock
from target_service.words import Answer


@dataclass(frozen=True, slots=True)
class Behind:
    """What stands behind a gate: the app, and all that decides who comes to it."""

    app: ASGIApp
    target: Target
    clock: Clock
    dispatcher: Dispatcher
    refused: Mapping[Verdict | Fate, Answer]


class Admitted:
    """One attempt that has been taken."""

    __slots__ = ("_behind", "_counted", "_job", "_lane", "_passage", "_scope", "_send")

    def __init__(  # noqa: PLR0913, PLR0917 - an attempt, and the three of every ASGI call
        self, behind: Behind, lane: Lane, job: Job, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._behind = behind
        self._lane = lane
        self._job = job
        self._scope = scope
        self._send = send
        self._counted = False
        head_only = scope["method"] == "HEAD"
        self._passage = Passage(
            receive, send, self._complete, connection_of(scope), head_only=head_only
        )

    async def answered(self) -> None:
        """Let the app answer, unless a fault does."""
        passage = self._passage
        blow = self._blow()
        try:
            if blow is None:
                await self._behind.app(self._scope, passage.receive, passage.send)
            else:
                await strike(blow, self._behind.app, self._scope, passage)
        except asyncio.CancelledError:
            passage.gone = True
            raise
        finally:
            if not passage.complete:
                self._end_without_answer()

    def _blow(self) -> Blow | None:
        target = self._behind.target
        if not target.disorder.striking:
            return None
        return target.disorder.blow(self._lane.name, target.seq)

    async def served(self, model: QueueModel) -> None:
        """Wait for the model to serve the attempt, or to refuse it after all."""
        fate = await self._fate(model)
        if fate is None:
            return
        if fate is Fate.SERVED:
            await (self.answered() if model.config.time is not None else self._worked_on(model))
            return
        try:
            if not self._passage.gone:
                await self._behind.refused[fate](self._send)
        finally:
            self._count(shed=True)

    async def _fate(self, model: QueueModel) -> Fate | None:
        """What the model decided; None when the client has gone before it did."""
        dispatcher, lane, job = self._behind.dispatcher, self._lane, self._job
        future = dispatcher.future(lane, job)
        dispatcher.look(lane)
        if future.done():  # a worker was free: there is nothing to wait for
            return future.result()
        watcher = asyncio.ensure_future(self._passage.until_gone())
        try:
            await asyncio.wait((future, watcher), return_when=asyncio.FIRST_COMPLETED)
            if not future.done():
                self._leave()
                if model.config.time is None and model.config.abandoned is Abandoned.FINISH:
                    await future  # the app will work for nobody
        except asyncio.CancelledError:
            self._passage.gone = True
            self._leave()
            if model.config.time is None and future.done():
                self._finish()  # a worker has it already
            raise
        finally:
            watcher.cancel()
            dispatcher.forget(lane, job)
        return future.result() if future.done() else None

    def _leave(self) -> None:
        """The client has gone, or has failed, before the model decided."""
        self._behind.target.leave(self._lane, self._job, self._behind.clock())
        self._end_without_answer()
        self._behind.dispatcher.look(self._lane)

    async def _worked_on(self, model: QueueModel) -> None:
        """The app's time is the service time: the worker is held until it returns."""
        try:
            if model.config.abandoned is Abandoned.STOP:
                await self._stopped_when_gone()
            else:
                await self.answered()
        finally:
            self._finish()

    def _finish(self) -> None:
        self._behind.target.finish(self._lane, self._job, self._behind.clock())
        self._behind.dispatcher.look(self._lane)

    async def _stopped_when_gone(self) -> None:
        work = asyncio.ensure_future(self.answered())
        watcher = asyncio.ensure_future(self._passage.until_gone())
        try:
            await asyncio.wait((work, watcher), return_when=asyncio.FIRST_COMPLETED)
        finally:
            watcher.cancel()
            work.cancel()
            await asyncio.wait((work, watcher))
        if not work.cancelled():
            work.result()  # what the app raised is the server's to tell

    def _complete(self) -> None:
        self._count(failed=self._passage.failed)

    def _end_without_answer(self) -> None:
        # Unless the client is gone, the app raised or stopped in the middle: the server says so.
        self._count(failed=True)

    def _count(self, *, shed: bool = False, failed: bool = False) -> None:
        """Once: completed, or abandoned where the client has gone."""
        if self._counted:
            return
        self._counted = True
        target, attempt, now_s = self._behind.target, self._job.attempt, self._behind.clock()
        if self._passage.gone:
            target.abandon(self._lane, attempt, now_s)
        else:
            target.complete(self._lane, attempt, now_s, shed=shed, failed=failed)
