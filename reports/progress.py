"""How far a long piece of work is, for whoever waits for it in a terminal."""

import threading
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column

QUIET_S = 2.0
"""Who waits for longer sees a bar: what was loaded and read before has been waited for as well."""
LEAST_S = 0.5
"""What takes less needs no bar, however long there was nothing before."""
BEGAN_S = time.monotonic()
"""When the program did, as good as."""


def quiet_s(now_s: float) -> float:
    """For how long a piece of work that begins now is waited for without a bar."""
    return max(LEAST_S, BEGAN_S + QUIET_S - now_s)


class Bar:
    """A bar for so many pieces of work, in a terminal, when it takes more than two seconds.

    Without any it moves until some are expected. It is gone when the work is done.
    """

    def __init__(self, console: Console, what: str, total: int = 0) -> None:
        """`what`: what the pieces are, in the plural."""
        self._total = total
        self._progress = Progress(
            TextColumn("{task.description}", table_column=Column(no_wrap=True)),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            expand=True,
        )
        self._task = self._progress.add_task(what, total=total or None)
        self._timer = threading.Timer(quiet_s(time.monotonic()), self._progress.start)
        self._timer.daemon = True
        self._seen = console.is_terminal

    def __enter__(self) -> Self:
        if self._seen:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._seen:
            self._timer.cancel()
            self._timer.join()  # it may be at work just now, and would start it after all
            self._progress.stop()

    def advance(self) -> None:
        """One piece more is done."""
        self._progress.advance(self._task)

    def expect(self, more: int) -> None:
        """There are so many pieces more than was known."""
        self._total += more
        self._progress.update(self._task, total=self._total)
