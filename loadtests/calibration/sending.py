"""Sends one step of open-loop load with gevent: each request when it is due, whatever became of
earlier ones, on the transport that all attempts of ours take. No redirect is followed."""

import resource
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

import gevent

from loadtests.arrivals import Arrivals, due_times
from loadtests.calibration.machine import MachineLoad
from loadtests.calibration.request import TargetRequest
from loadtests.calibration.steps import Step, StepCount, StepLimits, StepResult, Stopped
from loadtests.greenlets import Greenlets
from loadtests.transport import Response, Transport

SHOW_EVERY_S = 0.25
_SPARE_FILES = 100

Show = Callable[[Step, float, int], None]
"""Shows a step: seconds since it began, requests in flight."""


class Sender:
    """Sends to one target, for one greenlet. `limits` are those of the next step."""

    def __init__(
        self, request: TargetRequest, timeout_s: float, limits: StepLimits, arrivals: Arrivals
    ) -> None:
        """Nothing is sent yet. Raises `ValueError` for what cannot be sent."""
        self._arrivals, self._steps = arrivals, 0
        self._method, self._timeout_s, self.limits = request.method, timeout_s, limits
        self._transport = Transport(request.origin, timeout_s)
        self._message = self._transport.message(request.method, request.path, request.headers, b"")
        self._greenlets = Greenlets()
        self._error: BaseException | None = None

    def probe(self) -> Response:
        """Make one attempt."""
        return self._transport.send_message(self._method, self._message)

    def run(self, step: Step, show: Show) -> StepResult:
        """Send a step, and wait for its answers; what it leaves behind is none in flight."""
        count = StepCount(step, self.limits)
        end_s = self.limits.warm_up_s + self.limits.measured_s
        cpu_s = time.process_time()
        machine = MachineLoad()
        self._steps += 1
        rng = Random(f"calibrate/{self._steps}")
        dues = due_times(self._arrivals, step.rate_per_s, rng)
        origin_s = time.monotonic()
        due_s, show_s, now_s = next(dues), 0.0, 0.0
        stopped: Stopped | None = None
        try:
            while now_s < end_s and stopped is None:
                while due_s <= now_s and stopped is None:
                    self._greenlets.start(partial(self._attempt, count, due_s, origin_s), due_s)
                    due_s = next(dues)
                    stopped = count.broken_down(now_s)
                if now_s >= show_s:
                    show(step, now_s, count.in_flight)
                    show_s += SHOW_EVERY_S
                stopped = stopped or count.broken_down(now_s)
                wake_s = min(due_s, now_s + SHOW_EVERY_S, end_s)
                gevent.sleep(max(0.0, origin_s + wake_s - time.monotonic()))
                now_s = time.monotonic() - origin_s
                if self._error is not None:
                    raise self._error
            cpu = (time.process_time() - cpu_s) / max(now_s, 1e-9)
            busy = machine.busy()
            if stopped is None:
                self._greenlets.wait(self._timeout_s + 1)
        finally:
            self._greenlets.kill()
        result = count.result(cpu, stopped, None if stopped is None else now_s)
        return replace(result, machine_busy=busy)

    def close(self) -> None:
        """Close what is open."""
        self._greenlets.kill()
        self._transport.close()

    def _attempt(self, count: StepCount, due_s: float, origin_s: float) -> None:
        count.left(due_s, time.monotonic() - origin_s)
        ok = False
        try:
            response = self._transport.send_message(self._method, self._message)
            ok = is_good(response)
        except Exception as error:  # noqa: BLE001 - a greenlet would swallow it; `run` raises it
            self._error = error
        finally:
            count.ended(due_s, time.monotonic() - origin_s, ok)


def is_good(answer: Response) -> bool:
    """A success is an answer from 200 to 299: no redirect is followed."""
    return answer.error is None and 200 <= answer.status_code < 300


def files_for(in_flight: int) -> int:
    """How many requests may be in flight: `in_flight`, or what the limit of open files allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = in_flight + _SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return in_flight if soft == resource.RLIM_INFINITY else min(in_flight, soft - _SPARE_FILES)
