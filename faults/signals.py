"""Signals that ask to stop, raised where the program can bear it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ASK_TO_STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StoppedBySignalError(SystemExit):
    """A signal asks to stop. Where nobody catches it, the exit code is 128 + its number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


class StopSignals:
    """Raises `StoppedBySignalError` on SIGINT, SIGTERM and SIGHUP, but not while they are held.

    In a thread other than the main one, where Python allows no handlers, it does nothing.
    """

    def __init__(self) -> None:
        self._before: dict[int, object] = {}
        self._held = False
        self._arrived: int | None = None

    def install(self) -> None:
        """Take the signals over, but for those that this process was started to ignore."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _ASK_TO_STOP:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._arrive)

    def restore(self) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # it came from signal.signal
        self._before.clear()

    def _arrive(self, number: int, _frame: FrameType | None) -> None:
        if not self._held:
            raise StoppedBySignalError(number)
        self._arrived = self._arrived or number

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let nothing stop what is inside; a signal that came meanwhile is raised after it."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._arrived is not None:
            number, self._arrived = self._arrived, None
            raise StoppedBySignalError(number)
