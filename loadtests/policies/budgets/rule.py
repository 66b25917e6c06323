"""What a retry budget must answer: is there enough for one more retry?"""

from typing import Protocol

from loadtests.policies.outcome import Outcome


class Budget(Protocol):
    """Bounds the retries of a scope against its traffic. Times are of a clock that is passed in.

    The calls for one request come in this order: `requested`; for each attempt that ended
    `observed`, and then perhaps `withdraw`; at the end, whatever it was, `closed`. `held` is what
    the `withdraw` before this attempt took, 0 for a first one; `observed` settles it, so that
    `closed` gets what was taken for a retry that never ended.
    """

    def requested(self, now_s: float) -> None:
        """A new request was made."""
        ...

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """An attempt ended; `retryable` when it failed in a way that a retry may mend."""
        ...

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Take what a retry after `outcome` costs and return that; None, and nothing taken, if
        there is not enough.
        """
        ...

    def closed(self, now_s: float, held: float) -> None:
        """The request is over, abandoned ones too."""
        ...

    def describe(self) -> str:
        """In words."""
        ...
