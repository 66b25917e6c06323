"""The word of a gRPC server: ``grpc-retry-pushback-ms``."""

import re
from dataclasses import dataclass
from random import Random

from loadtests.policies.outcome import Outcome
from loadtests.policies.words.rule import BackoffWait, Unheeded

_HEADER = "grpc-retry-pushback-ms"
_LARGEST_MS = 2**31 - 1


def forbids_retry(outcome: Outcome) -> bool:
    """The server pushed back for good: with a negative number, or one that cannot be read."""
    return _HEADER in outcome.headers and pushback_s(outcome) is None


def pushback_s(outcome: Outcome) -> float | None:
    """The wait that the server asks for; None where it asks for none, or forbids a retry."""
    value = outcome.headers.get(_HEADER)
    if value is None or not re.fullmatch(r"-?[0-9]{1,10}", value.strip()):
        return None
    milliseconds = int(value)
    return milliseconds / 1000 if 0 <= milliseconds <= _LARGEST_MS else None


@dataclass(frozen=True, slots=True)
class GrpcPushback(Unheeded):
    """gRFC A6: exactly that delay, without jitter, and then the backoff begins anew."""

    def forbids(self, outcome: Outcome) -> bool:
        """By a negative number, or one that is no signed 32-bit integer."""
        return forbids_retry(outcome)

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """What the server says, or else the backoff's own."""
        asked_s = pushback_s(outcome)
        return backoff_s() if asked_s is None else asked_s

    def restarts_backoff(self, outcome: Outcome) -> bool:
        """After a delay that the server named."""
        return pushback_s(outcome) is not None

    def describe(self) -> str:
        """In words."""
        return f"or exactly what {_HEADER} says (below 0: no retry)"
