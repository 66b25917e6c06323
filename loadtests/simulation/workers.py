"""Who does many pieces of work: processes here. Which one does what changes no result."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Protocol, Self, TypeVar

T = TypeVar("T")
R = TypeVar("R")

MAX_CHUNK = 16
CHUNKS_EACH = 16
"""Into how many pieces the share of each process is cut, at least: none is long without work."""

LOOK_UP_S = 0.2
"""A Ctrl-C may be delivered to another thread than the one that waits, and must be seen soon."""


class WorkersError(RuntimeError):
    """A process that worked has died."""


class Workers(Protocol):
    """Does many pieces of work. Leaving the context ends what is running."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End what is running; what was not begun never is."""

    def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        """What `job` makes of each item, with the index of the item, as they are done.

        `job` is a function of a module, and the items can be pickled. What it raises is raised
        here. Raises `WorkersError` when a process dies.
        """


def default_processes() -> int:
    """As many as there are cores for us."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalWorkers:
    """Processes of this machine; 1: no other than this one.

    They are spawned, not forked: a fork copies the locks of threads that it does not copy.
    """

    def __init__(self, processes: int, chunk: int = MAX_CHUNK) -> None:
        """None is started before there is work for it.

        A process is given at most `chunk` pieces of work at once: few where each takes long.
        """
        if processes < 1:
            raise ValueError(f"processes: {processes}: expected at least 1")
        self._processes = processes
        self._chunk = chunk
        self._pool: ProcessPoolExecutor | None = None
        self._started: set[BaseProcess] = set()
        self._lifeline: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pool, lifeline, started = self._pool, self._lifeline, self._started
        self._pool, self._lifeline, self._started = None, None, set()
        if lifeline is not None:
            lifeline.close()
        for process in started:
            process.terminate()  # one that is still importing does not see the lifeline yet
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        """See `Workers`."""
        if self._processes == 1:
            return ((index, job(item)) for index, item in enumerate(items))
        return self._each_elsewhere(job, items)

    def _each_elsewhere(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        """A few pieces at a time: what waits in a queue of theirs cannot be taken back."""
        size = max(1, min(self._chunk, len(items) // (self._processes * CHUNKS_EACH)))
        starts = iter(range(0, len(items), size))
        under_way: dict[Future[list[R]], int] = {}
        try:
            while True:
                while len(under_way) < 2 * self._processes:
                    if (start := next(starts, None)) is None:
                        break
                    chunk = list(items[start : start + size])
                    under_way[self._submit(job, chunk)] = start
                if not under_way:
                    return
                done, _ = wait(under_way, LOOK_UP_S, FIRST_COMPLETED)
                for future in sorted(done, key=under_way.__getitem__):
                    yield from enumerate(future.result(), under_way.pop(future))
        except BrokenProcessPool:
            raise WorkersError(
                "a process of ours died, perhaps because there was no memory left: "
                "try it with fewer --processes"
            ) from None
        finally:
            for future in under_way:
                future.cancel()

    def _submit(self, job: Callable[[T], R], chunk: list[T]) -> Future[list[R]]:
        if self._pool is None:
            # Not in the context below: what counts its semaphores undoes the context's work.
            self._pool = self._start()
        before = set(active_children())
        with _no_interrupt_for_children():
            try:
                return self._pool.submit(_do, job, chunk)
            finally:
                self._started |= set(active_children()) - before

    def _start(self) -> ProcessPoolExecutor:
        context = get_context("spawn")
        theirs, self._lifeline = context.Pipe(duplex=False)
        return ProcessPoolExecutor(self._processes, context, _live_with_parent, (theirs,))


def _do(job: Callable[[T], R], chunk: list[T]) -> list[R]:
    return [job(item) for item in chunk]


@contextmanager
def _no_interrupt_for_children() -> Iterator[None]:
    """What is started here never sees a Ctrl-C, not even while it imports: it is the parent's."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _live_with_parent(lifeline: Connection) -> None:
    """End at once when the parent closes its end of the pipe, or is no more, however it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        with suppress(EOFError, OSError):
            lifeline.recv()
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="lifeline").start()
