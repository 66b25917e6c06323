"""What a library retries that wraps a function and knows nothing of HTTP: what the function raises.

Which failures raise is up to the function: `raise_for_status` makes an exception of every status
from 400 on, and a library that retries any exception then retries a 404 as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from loadtests.policies.call import Call
from loadtests.policies.conditions import RetryOn
from loadtests.policies.outcome import AttemptError, Outcome
from loadtests.policies.units import listing

ERROR_WORDS = {error.name.lower().replace("_", "-"): error for error in AttemptError}
"""Each error in one word, as parameters name them."""


@dataclass(frozen=True, slots=True)
class Raised:
    """These statuses (any from 400 on, where None) and errors, by whatever method."""

    statuses: frozenset[int] | None = None
    errors: frozenset[AttemptError] = frozenset(AttemptError)

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By what the outcome was."""
        if outcome.error is not None:
            return outcome.error in self.errors
        return self.statuses is None or outcome.status in self.statuses

    def describe(self) -> str:
        """As in ``any status from 400 on; any error``."""
        statuses = "any status from 400 on" if self.statuses is None else listing(self.statuses)
        if self.errors == frozenset(AttemptError):
            return f"{statuses}; any error"
        return f"{statuses}; {listing(error.value for error in self.errors)}"


@dataclass(frozen=True, slots=True)
class Either:
    """What one or the other retries: for libraries that judge answers and errors by two rules."""

    first: RetryOn
    second: RetryOn

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By the first rule or the second."""
        return self.first.retries(call, outcome, seen) or self.second.retries(call, outcome, seen)

    def describe(self) -> str:
        """One after the other."""
        return f"{self.first.describe()}; {self.second.describe()}"


def raised(statuses: frozenset[int] | None, errors: frozenset[str]) -> Raised:
    """From the values of parameters. Raises `KeyError` for what is none of `ERROR_WORDS`."""
    return Raised(statuses, frozenset(ERROR_WORDS[word] for word in errors))
