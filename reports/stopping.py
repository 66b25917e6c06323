"""Being told to stop, in whatever way, is the same as Ctrl-C."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = ("SIGTERM", "SIGHUP")  # by name: not every system has both


@contextmanager
def stops_like_ctrl_c() -> Iterator[None]:
    """What ends a process from outside raises `KeyboardInterrupt`: what was done can be saved."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can be told
        return
    known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    before = {number: signal.signal(number, _interrupt) for number in known}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
