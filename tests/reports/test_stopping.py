"""Being told to stop, and how far it is."""

import io
import os
import signal
import threading

import pytest
from rich.console import Console

from reports.progress import Bar
from reports.stopping import stops_like_ctrl_c


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_ends_a_process_is_like_ctrl_c(number: signal.Signals) -> None:
    """And no longer when the work is over."""
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt):
        with stops_like_ctrl_c():
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) == before


def test_in_another_thread_nothing_is_changed() -> None:
    """Only the main thread can be told of signals."""
    before = signal.getsignal(signal.SIGTERM)
    seen: list[object] = []

    def work() -> None:
        with stops_like_ctrl_c():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_done_at_once_shows_no_bar(terminal: bool) -> None:
    """Nor does anything that is not shown in a terminal."""
    console = Console(file=io.StringIO(), force_terminal=terminal)
    with Bar(console, "runs", 2) as bar:
        bar.advance()
        bar.advance()
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == ""
    assert not any(isinstance(thread, threading.Timer) for thread in threading.enumerate())


class _AtOnce(threading.Timer):
    """Nothing to wait for, and no other thread."""

    def start(self) -> None:
        self.function(*self.args, **self.kwargs)

    def join(self, timeout: float | None = None) -> None:
        pass


def test_a_bar_may_learn_of_more_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows how many are done of all that are known by then."""
    monkeypatch.setattr(threading, "Timer", _AtOnce)
    monkeypatch.setenv("TERM", "xterm")
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with Bar(console, "runs") as bar:
        bar.expect(2)
        bar.advance()
        bar.expect(3)
    assert isinstance(console.file, io.StringIO)
    assert "1/5" in console.file.getvalue()
