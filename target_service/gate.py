"""The gate: an ASGI layer that turns attempts away when a lane is at capacity.

It stands outside everything else, because an overloaded service must not pay for what it refuses:
a turned-away attempt costs a look at its headers and two ready-made messages.
"""

import asyncio
import time

from starlette.types import ASGIApp, Receive, Scope, Send

from target_service.admitted import Admitted, Behind
from target_service.dispatch import Dispatcher
from target_service.lanes import LANE_LIMIT, BadLaneNameError, TooManyLanesError
from target_service.marks import (
    DEFAULT_LANE,
    LANE_HEADER,
    TRACE_HEADER,
    Marks,
    deadline_s,
    job_of,
    numbers_said,
    read_marks,
)
from target_service.paths import Subtrees, path_below_mount
from target_service.service import Job, QueueModel, Verdict
from target_service.target import Target
from target_service.ticker import Clock, clock_from_now, keep_ticking
from target_service.traces import Admittance, TracedAttempt
from target_service.words import Answer, Word, refusals

OPEN_PATHS = ("/admin", "/metrics", "/healthz", "/openapi.json")
"""Never behind the gate, with all below them: a storm must not keep anybody from ending it."""


class Gate:
    """ASGI middleware that enforces and meters a `Target`'s capacity in front of `app`."""

    def __init__(  # noqa: PLR0913 - one for each thing it is told once
        self,
        app: ASGIApp,
        target: Target,
        clock: Clock | None = None,
        *,
        word: Word | None = None,
        control: ASGIApp | None = None,
        open_paths: tuple[str, ...] = OPEN_PATHS,
    ) -> None:
        """Send attempts on to `app`, and what is open to `control`, if that is not the app too.

        `open_paths`, and all below them, are never behind the gate.
        """
        self._app = app
        self.target = target
        self._clock = clock or clock_from_now()
        self._control = control or app
        self._open = Subtrees(open_paths)
        self._dispatcher = Dispatcher(target, self._clock)
        self._refused = refusals(word or Word(), target.stream("word"))
        self._behind = Behind(app, target, self._clock, self._dispatcher, self._refused)
        self._ticker: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Started by the server's lifespan call or the first attempt; it ends with the event loop.
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(
                keep_ticking(self.target, self._clock, self._dispatcher.look_at_all)
            )
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif path_below_mount(scope) in self._open:
            await self._control(scope, receive, send)
        else:
            await self._attempt(scope, receive, send)

    async def _attempt(self, scope: Scope, receive: Receive, send: Send) -> None:
        now_s = self._clock()
        marks = read_marks(scope["headers"])
        try:
            lane = self.target.lane(marks.get(LANE_HEADER, DEFAULT_LANE).decode("latin-1"), now_s)
        except BadLaneNameError as error:
            await Answer(400, "bad-lane", f"X-Aftershock-Lane: {error}", [])(send)
            return
        except TooManyLanesError:
            await Answer(400, "too-many-lanes", f"X-Aftershock-Lane: {LANE_LIMIT}", [])(send)
            return
        job = job_of(marks)
        if lane.model is not None:
            self._read_deadline(job, marks, lane.model, now_s)
        verdict = self.target.offer(lane, job, now_s)
        if TRACE_HEADER in marks:
            outcome: Admittance = "admitted" if verdict is Verdict.TAKEN else "turned-away"
            seen = TracedAttempt(now_s, job.attempt, lane.name, outcome, numbers_said(marks))
            self.target.traces.note(marks[TRACE_HEADER], seen)
        if verdict is not Verdict.TAKEN:
            self._dispatcher.look(lane)  # one that waited may have made room
            await self._refused[verdict](send)
            return
        admitted = Admitted(self._behind, lane, job, scope, receive, send)
        if lane.model is None:
            await admitted.answered()
        else:
            await admitted.served(lane.model)

    @staticmethod
    def _read_deadline(job: Job, marks: Marks, model: QueueModel, now_s: float) -> None:
        if model.config.heed_deadlines:
            job.deadline_s = deadline_s(marks, now_s, time.time())
