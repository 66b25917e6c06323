"""Workers of a Dask cluster: other machines, on each of which this package is installed.

A sweep's cells are as pure there as here, so the figures are the same wherever they are played. It
needs `pip install "aftershock[cluster]"` here, and the same version of ours on every worker.
"""

import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from types import ModuleType, TracebackType
from typing import Protocol, Self, TypeVar, cast

from loadtests.imports import printable
from loadtests.simulation.workers import WorkersError

T = TypeVar("T")
R = TypeVar("R")

ANSWER_S = 10.0
"""How long a scheduler may take to answer, and to have a worker."""
MAX_CHUNK = 16
CHUNKS_EACH = 16
_WITH_PORTS = {"tcp", "tls", "ws", "wss"}
_MOST_PORT = 65_535
_AGAIN_S = 0.2
AHEAD = 2
"""Chunks that are sent ahead for every thread there: none waits for us."""


class _Future(Protocol):
    def result(self) -> object: ...


class _Done(Protocol):
    """Futures in the order in which they are done."""

    def add(self, future: _Future) -> None: ...
    def __iter__(self) -> Iterator[_Future]: ...


class _Client(Protocol):
    """What we use of `distributed.Client`, which has types for part of it only."""

    @property
    def loop(self) -> object: ...
    def submit(self, job: object, *arguments: object, pure: bool) -> _Future: ...
    def cancel(self, futures: Sequence[_Future]) -> None: ...
    def nthreads(self) -> Mapping[str, int]: ...
    def run(self, function: Callable[[], str], *, on_error: str) -> Mapping[str, object]: ...
    def wait_for_workers(self, n_workers: int, timeout: float) -> None: ...
    def close(self) -> None: ...


class DaskWorkers:
    """The workers of the Dask scheduler at `address`, as in ``tcp://10.0.0.5:8786``.

    They are asked when the context is entered: `WorkersError` says what is missing there or here.
    """

    def __init__(self, address: str, answer_s: float = ANSWER_S) -> None:
        """Nothing is asked of anybody yet."""
        self._address, self._answer_s = address, answer_s
        self._client: _Client | None = None

    def __enter__(self) -> Self:
        self._client = _connect(self._address, self._answer_s)
        try:
            _check(self._client, self._address, self._answer_s)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def each(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R]]:
        """See `Workers`. A chunk whose worker goes away is played by another."""
        client = self._client
        if client is None:
            raise RuntimeError("each: these workers are not entered")
        threads = max(1, sum(client.nthreads().values()))
        size = max(1, min(MAX_CHUNK, len(items) // (threads * CHUNKS_EACH)))
        starts = iter(range(0, len(items), size))
        under_way: dict[_Future, int] = {}
        done: _Done = _distributed().as_completed(loop=client.loop)

        def send() -> None:
            if (start := next(starts, None)) is not None:
                future = client.submit(_do, job, list(items[start : start + size]), pure=False)
                under_way[future] = start
                done.add(future)

        try:
            for _ in range(AHEAD * threads):
                send()
            for future in done:
                send()
                chunk = cast("list[R]", self._result(future))
                yield from enumerate(chunk, under_way.pop(future))
        finally:
            client.cancel(list(under_way))

    def _result(self, future: _Future) -> object:
        """What the job made of a chunk, or what it raised."""
        dask = _distributed()
        try:
            return future.result()
        except (dask.KilledWorker, dask.CancelledError, OSError) as error:
            raise WorkersError(f"the workers at {printable(self._address)}: {error}") from None


def _connect(address: str, answer_s: float) -> _Client:
    dask = _distributed()
    try:
        _check_address(address, answer_s)
    except OSError as error:
        raise _no_scheduler(address, error) from None
    try:
        client: _Client = dask.Client(address, timeout=answer_s, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise _no_scheduler(address, error) from None
    return client


def _no_scheduler(address: str, error: Exception) -> WorkersError:
    return WorkersError(
        f"no Dask scheduler answers at {printable(address)}: {printable(str(error))}: "
        "expected an address as in tcp://10.0.0.5:8786"
    )


def _check_address(address: str, answer_s: float) -> None:
    """Before there is a client: one that was never connected still complains when it goes.

    Raises `ValueError` for what is no address, and `OSError` where nobody listens.
    """
    addressing = import_module("distributed.comm.addressing")
    registry = import_module("distributed.comm.registry")
    try:
        kind, place = addressing.parse_address(address)
        registry.get_backend(kind)
        host, port = addressing.parse_host_port(place) if kind in _WITH_PORTS else ("", 0)
        if port > _MOST_PORT:
            raise ValueError(f"there is no port {port}")
    except ValueError as error:
        raise ValueError(
            f"--cluster: {printable(address)!r} is no address: {printable(str(error))}: "
            "expected one as in tcp://10.0.0.5:8786"
        ) from None
    if host:
        _await_listener(host, port, answer_s)


def _await_listener(host: str, port: int, answer_s: float) -> None:
    """Return when somebody listens there, who may be about to begin. Raises `OSError`."""
    deadline_s = time.monotonic() + answer_s
    while True:
        try:
            socket.create_connection((host, port), timeout=answer_s).close()
        except ConnectionRefusedError:
            if time.monotonic() >= deadline_s:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


def _distributed() -> ModuleType:
    """Dask's cluster, an extra."""
    try:
        return import_module("distributed")
    except ImportError:
        raise WorkersError('--cluster needs an extra: pip install "aftershock[cluster]"') from None


def _check(client: _Client, address: str, answer_s: float) -> None:
    """There are workers, and each has this version of ours."""
    where = printable(address)
    try:
        client.wait_for_workers(1, timeout=answer_s)
        there = client.run(_version, on_error="return")
    except (OSError, TimeoutError):
        raise WorkersError(f"the scheduler at {where} has no workers") from None
    here = version("aftershock")
    for worker, found in there.items():
        if found != here:
            said = found if isinstance(found, str) else "none"
            raise WorkersError(
                f"the worker {printable(worker)} needs aftershock {here} installed, and has {said}"
            )


def _version() -> str:
    """On the worker: what is installed there."""
    return version("aftershock")


def _do(job: Callable[[T], R], chunk: list[T]) -> list[R]:
    return [job(item) for item in chunk]
