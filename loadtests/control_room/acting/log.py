"""What was done from the page, and what could not be: the newest entries, for all who look."""

from collections import deque
from dataclasses import dataclass

KEPT = 50


@dataclass(frozen=True, slots=True)
class Entry:
    """One act; `ok` is false where it failed or was refused."""

    t_epoch_s: float
    text: str
    ok: bool


class ActLog:
    """At most `KEPT` entries, the newest last."""

    def __init__(self) -> None:
        """Nothing has been done."""
        self._entries: deque[Entry] = deque(maxlen=KEPT)

    def add(self, t_epoch_s: float, text: str, *, ok: bool) -> None:
        """Something has been done or refused."""
        self._entries.append(Entry(t_epoch_s, text, ok))

    def entries(self) -> tuple[Entry, ...]:
        """All that are kept."""
        return tuple(self._entries)
