"""gRPC's retry throttling: failures empty a bucket, successes fill it (gRFC A6)."""

from dataclasses import dataclass, field

from loadtests.policies.budgets.bulk import WholeT, at_least, at_most, lesser
from loadtests.policies.checks import check_within
from loadtests.policies.outcome import Outcome
from loadtests.policies.words.grpc import forbids_retry

_TOKEN = 1000
"""Thousandths."""


@dataclass(slots=True)
class GrpcThrottle:
    """Retries only while there are more than ``max_tokens / 2`` tokens; it starts full.

    A failure that could be retried, or was told not to, takes 1 (not below 0), a success gives
    `ratio`. The failure is taken *before* the comparison. A retry itself costs nothing. Counted in
    thousandths, as gRPC does: a ratio has three decimals.
    """

    max_tokens: float = 10.0
    ratio: float = 0.1
    thousandths: int = field(init=False)
    _most: int = field(init=False)
    _gain: int = field(init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` unless 0 < max_tokens ≤ 1000 and 0 < ratio ≤ 1000."""
        check_within("max_tokens", self.max_tokens, 0.001, 1000)
        check_within("token_ratio", self.ratio, 0.001, 1000)
        self._most = round(self.max_tokens * _TOKEN)
        self._gain = int(self.ratio * _TOKEN + 1e-6)
        self.thousandths = self._most

    @property
    def allows(self) -> bool:
        """More than half of the tokens are there."""
        return 2 * self.thousandths > self._most

    def requested(self, now_s: float) -> None:
        """A new request does not matter here."""

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """Take or give."""
        if outcome.succeeded:
            self.succeeded_many(now_s, 1)
        elif retryable or forbids_retry(outcome):
            self.thousandths = self.drained(self.thousandths, 1)

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Nothing is taken; None at half of the tokens and below."""
        return 0.0 if self.allows else None

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is held."""

    @property
    def counts_failures(self) -> bool:
        """Each failure that could be retried takes a token."""
        return True

    def requested_many(self, now_s: float, requests: int) -> None:
        """They do not matter here."""

    def withdraw_many(self, now_s: float, failures: int) -> int:
        """Take for each, and allow those before which there was enough."""
        allowed = self.allowed(self.thousandths, failures)
        self.thousandths = self.drained(self.thousandths, failures)
        return allowed

    def succeeded_many(self, now_s: float, successes: int) -> None:
        """Each gives."""
        self.thousandths = self.refilled(self.thousandths, successes)

    def refilled(self, thousandths: WholeT, successes: WholeT) -> WholeT:
        """``min(max_tokens, tokens + ratio · successes)``."""
        return at_most(successes * self._gain + thousandths, self._most)

    def drained(self, thousandths: WholeT, failures: WholeT) -> WholeT:
        """``max(0, tokens − failures)``."""
        return at_least(thousandths - failures * _TOKEN, 0)

    def allowed(self, thousandths: WholeT, failures: WholeT) -> WholeT:
        """Of so many failures in a row, the number of those after which more than half is left.

        The j-th is one while ``2 · (tokens − j) > max_tokens``.
        """
        first = (thousandths * 2 - self._most - 1) // (2 * _TOKEN)
        return at_least(lesser(failures, first), 0)

    def describe(self) -> str:
        """In words."""
        return (
            f"{self.max_tokens:g} tokens: a failure −1, a success +{self.ratio:g}; "
            f"retries only above {self.max_tokens / 2:g}"
        )
