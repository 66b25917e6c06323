"""What became of one attempt."""

from dataclasses import dataclass

RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})
"""The statuses that a second try can turn into a success (article 003)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The status of an attempt, or the transport error that it met instead of one.

    Exactly one of `status` and `error` is set. `elapsed_s` runs from the attempt's sending to
    its last byte. `retry_after_s` is the wait the server asked for, where it did.
    """

    status: int | None
    elapsed_s: float
    error: str | None = None
    retry_after_s: float | None = None

    def __post_init__(self) -> None:
        """Raises `ValueError` unless exactly one of status and error is set."""
        if (self.status is None) == (self.error is None):
            raise ValueError("an outcome has either a status or an error")

    @property
    def succeeded(self) -> bool:
        """An answer came, and it was no error."""
        return self.status is not None and self.status < 400

    @property
    def retryable(self) -> bool:
        """The same attempt may succeed later: a transport error or one of `RETRYABLE_STATUSES`."""
        return self.status is None or self.status in RETRYABLE_STATUSES
