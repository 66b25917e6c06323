"""Error ownership (Uber): retry only what the service that answers claims as its own error."""

from dataclasses import dataclass, field
from random import Random

from loadtests.policies.outcome import CONNECT_ERRORS, Outcome
from loadtests.policies.words.rule import BackoffWait, ServerWord, Unheeded

OWNED_HEADER = "X-Aftershock-Error-Owned"
_HEADER = OWNED_HEADER.lower()


@dataclass(frozen=True, slots=True)
class OwnedErrors:
    """Do not retry a failure unless the header says that it is the answering service's own.

    A service owns an error only if none of its outbound calls failed. So whoever calls what failed
    retries, and nobody further up: the storm stops at the immediate caller. No claim is no retry. A
    service that could not be connected to never called anybody: that failure is its own.
    """

    of: ServerWord = field(default_factory=Unheeded)

    def forbids(self, outcome: Outcome) -> bool:
        """Where the error is not claimed."""
        if outcome.succeeded or outcome.error in CONNECT_ERRORS:
            return self.of.forbids(outcome)
        claim = outcome.headers.get(_HEADER, "")
        return claim.strip().lower() != "true" or self.of.forbids(outcome)

    def demands(self, outcome: Outcome) -> bool:
        """As the other."""
        return self.of.demands(outcome)

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """As the other."""
        return self.of.wait_s(outcome, backoff_s, rng)

    def restarts_backoff(self, outcome: Outcome) -> bool:
        """As the other."""
        return self.of.restarts_backoff(outcome)

    def describe(self) -> str:
        """In words."""
        said = f"only where {OWNED_HEADER} is true"
        other = self.of.describe()
        return f"{other}, {said}" if other else said
