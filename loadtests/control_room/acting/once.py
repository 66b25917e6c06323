"""Does a thing once for each key, however often it is asked for: a double click dips once."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Value = TypeVar("Value")

KEPT = 256
"""How many keys are remembered, the newest."""


class OtherActError(ValueError):
    """The key was used before, for something else."""


@dataclass(eq=False)
class _Entry(Generic[Value]):
    """What was asked with a key, and what became of it once it is `over`."""

    asked: object
    over: threading.Event = field(default_factory=threading.Event)
    answers: list[Value] = field(default_factory=list)


class Once(Generic[Value]):
    """The answers by key. Threads and greenlets may share it."""

    def __init__(self, stands: Callable[[Value], bool], kept: int = KEPT) -> None:
        """Only an answer that `stands` is kept; after any other the key may be tried again."""
        self._stands = stands
        self._kept = kept
        self._entries: OrderedDict[str, _Entry[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def do(self, key: str, asked: object, work: Callable[[], Value]) -> tuple[Value, bool]:
        """What `work` answers, and whether it was another call with this key that did it.

        While that call is under way this one waits for its answer. `asked` is what the key stands
        for. Raises `OtherActError` when that was something else before, and what `work` raises.
        """
        with self._lock:
            entry = self._entries.get(key)
            ours = entry is None
            if entry is None:
                entry = self._entries[key] = _Entry(asked)
                self._forget_oldest()
        if entry.asked != asked:
            raise OtherActError("it was used before, for something else")
        if ours:
            return self._work(key, entry, work), False
        entry.over.wait()
        if not entry.answers:  # the other call raised: nothing is known but that
            return self.do(key, asked, work)
        return entry.answers[0], True

    def _work(self, key: str, entry: _Entry[Value], work: Callable[[], Value]) -> Value:
        stands = False
        try:
            answer = work()
            entry.answers.append(answer)
            stands = self._stands(answer)
            return answer
        finally:
            if not stands:
                with self._lock:
                    if self._entries.get(key) is entry:
                        del self._entries[key]
            entry.over.set()

    def _forget_oldest(self) -> None:
        """Never one that is under way: its second click may still come."""
        for key in list(self._entries)[: max(0, len(self._entries) - self._kept)]:
            if self._entries[key].over.is_set():
                del self._entries[key]
