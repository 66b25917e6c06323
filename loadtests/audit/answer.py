"""What the client of one request gets. Pure; `sending` gets it from the network."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class End(StrEnum):
    """How a request ended for its client, in words."""

    ANSWERED = "answered"
    CUT_SHORT = "cut short"
    CLOSED = "closed"
    RESET = "reset"
    TIMED_OUT = "timed out"
    NOT_HTTP = "not HTTP"
    RAISED = "raised"
    REFUSED = "connection refused"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the client of one request got, after `elapsed_s` seconds.

    Names of headers are in lower case; `problem` is the system's word where there was no answer.
    `shows_headers` is false where nobody can say which there were.
    """

    end: End
    elapsed_s: float
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    shows_headers: bool = True

    @property
    def served(self) -> bool:
        """Whether it is no error."""
        return self.status is not None and self.status < 400


class Sender(Protocol):
    """Sends one request to whatever is audited."""

    def send(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Send it, and wait for how it ends."""
        ...
