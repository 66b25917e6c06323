"""What was done from the page, and what was not: the newest entries, for all who look."""

from collections import deque
from dataclasses import dataclass
from typing import Literal

KEPT = 50

Kind = Literal["done", "refused", "failed"]
"""What became of an act: it was done, it is not allowed, or it could not be done."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One act: a whole sentence that says what became of it."""

    t_epoch_s: float
    text: str
    kind: Kind


class ActLog:
    """At most `KEPT` entries, the newest last."""

    def __init__(self) -> None:
        """Nothing has been done."""
        self._entries: deque[Entry] = deque(maxlen=KEPT)

    def add(self, t_epoch_s: float, text: str, kind: Kind) -> None:
        """Something has been done, or not."""
        self._entries.append(Entry(t_epoch_s, text, kind))

    def entries(self) -> tuple[Entry, ...]:
        """All that are kept."""
        return tuple(self._entries)
