"""An event loop in virtual time: it never waits, and its clock moves to whatever is due next."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Value = TypeVar("Value")


class _Selector(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready: Sequence[tuple[selectors.SelectorKey, int]] = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("all wait, and nothing is due")
            self.now_s += timeout
        return list(ready)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Its `time` begins at 0."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        """Virtual seconds."""
        return self._virtual.now_s


def run(main: Callable[[], Awaitable[Value]]) -> Value:
    """What `main` returns, run in virtual time."""

    async def begin() -> Value:
        return await main()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(begin())


def now_s() -> float:
    """The virtual time."""
    return asyncio.get_running_loop().time()
