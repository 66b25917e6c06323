"""A calibration from beginning to end: steps, pauses, and the end when it must be."""

import time
from dataclasses import replace
from typing import Protocol

import gevent

from faults.signals import StoppedBySignalError, StopSignals
from loadtests.calibration.history import History
from loadtests.calibration.judging import Load, long_enough
from loadtests.calibration.planning import give_up, next_move
from loadtests.calibration.sending import Sender, files_for, is_good
from loadtests.calibration.steps import Step, StepResult
from loadtests.calibration.task import Task
from loadtests.calibration.verdict import Finding, Verdict

PAUSE_SHARE = 0.1
"""Of a step: how long nothing is sent after it."""
RECOVERY_TIMEOUT_S = 30.0
PROBE_EVERY_S = 0.25
GOOD_PROBES = 3


class TargetError(RuntimeError):
    """The target does not answer as one that can be calibrated; `bad_input`: for what was asked."""

    def __init__(self, message: str, bad_input: bool) -> None:
        super().__init__(message)
        self.bad_input = bad_input


class Watcher(Protocol):
    """Is told how it goes."""

    def going(self, step: Step, now_s: float, in_flight: int) -> None:
        """A step is under way, since `now_s` seconds."""
        ...

    def recovering(self, waited_s: float) -> None:
        """The target is given time to come back."""
        ...

    def done(self, result: StepResult, history: History) -> None:
        """A step is over."""
        ...


class Session:
    """One calibration; `results` grows as it goes."""

    def __init__(self, task: Task, watcher: Watcher) -> None:
        """Nothing is sent yet. Raises `ValueError` for what cannot be sent."""
        self._task, self._watcher = task, watcher
        limits = replace(task.limits, max_in_flight=files_for(task.limits.max_in_flight))
        self._sender = Sender(task.request, task.timeout_s, limits, task.arrivals)
        self.results: list[StepResult] = []

    def run(self) -> Verdict:
        """Until the verdict, the end of the time, or a signal. Raises `TargetError`."""
        signals = StopSignals()
        signals.install()
        try:
            self._greet()
            return self._steps(time.monotonic() + self._task.max_time_s)
        except (StoppedBySignalError, KeyboardInterrupt):
            return self._give_up(Finding.INTERRUPTED, "stopped before there was an answer")
        finally:
            signals.restore()
            self._sender.close()

    def _steps(self, until_s: float) -> Verdict:
        while isinstance(move := next_move(self.results, self._task.plan), Step):
            step_s = self._step_s()
            if time.monotonic() + step_s > until_s:
                return self._give_up(
                    Finding.OUT_OF_TIME, f"no answer within {self._task.max_time_s:.4g} s"
                )
            result = self._sender.run(move, self._watcher.going)
            self.results.append(result)
            self._watcher.done(result, self._history())
            gevent.sleep(PAUSE_SHARE * step_s)
            if not self._recovered():
                return self._give_up(
                    Finding.NOT_RECOVERED,
                    f"{RECOVERY_TIMEOUT_S:.3g} s after {move.rate_per_s:.4g}/s the target does not "
                    "answer as before; it was not loaded further",
                )
        return move

    def _step_s(self) -> float:
        """How long the next step is: longer than asked for where an answer takes long."""
        baseline, limits = self._history().baseline, self._sender.limits
        if baseline is not None:
            limits = self._sender.limits = long_enough(limits, baseline)
        return limits.warm_up_s + limits.measured_s

    def _greet(self) -> None:
        """See that the target answers at all. Raises `TargetError`."""
        for _ in range(GOOD_PROBES):
            answer = self._sender.probe()
            if is_good(answer):
                return
            gevent.sleep(PROBE_EVERY_S)
        request = self._task.request
        asked = f"{request.method} {request.url}"
        if answer.error is not None:
            raise TargetError(f"{asked}: no answer: {answer.error.value}", bad_input=False)
        if 300 <= answer.status_code < 400:
            raise TargetError(
                f"{asked}: answers with a redirect ({answer.status_code}), and none is followed: "
                "give the URL that is meant",
                bad_input=True,
            )
        raise TargetError(
            f"{asked}: answers {answer.status_code}; expected 200 to 299 from a target at rest",
            bad_input=400 <= answer.status_code < 500 and answer.status_code != 429,
        )

    def _recovered(self) -> bool:
        """After a step that was too much, wait until single requests are answered within the bound.

        Three in a row must be. False when that does not come about.
        """
        history, last = self._history(), self.results[-1]
        baseline = history.baseline
        if baseline is None or history.judged(last) is Load.SUSTAINED:
            return True
        waited_s, began_s, good = 0.0, time.monotonic(), 0
        while waited_s < RECOVERY_TIMEOUT_S:
            answer = self._sender.probe()
            good = good + 1 if is_good(answer) and answer.elapsed_s <= baseline.bound_s else 0
            if good == GOOD_PROBES:
                return True
            if good == 0:
                self._watcher.recovering(waited_s)
                gevent.sleep(PROBE_EVERY_S)
            waited_s = time.monotonic() - began_s
        return False

    def _history(self) -> History:
        return History(self.results, self._task.plan.latency_bound_s)

    def _give_up(self, finding: Finding, reason: str) -> Verdict:
        return give_up(self.results, self._task.plan, finding, reason)
