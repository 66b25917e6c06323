"""Kinds of failure that some libraries limit one by one: in connecting, in reading, by answers."""

from collections.abc import Mapping

from loadtests.policies.outcome import CONNECT_ERRORS, TRANSPORT_ERRORS, AttemptError

READ_ERRORS = TRANSPORT_ERRORS - CONNECT_ERRORS
ANSWERS = frozenset(range(100, 1000))


def within(
    limit: int | None,
    seen: Mapping[int | AttemptError, int],
    kinds: frozenset[int] | frozenset[AttemptError],
) -> bool:
    """Whether there were not more than `limit` failures of these kinds; None: no limit."""
    if limit is None:
        return True
    return sum(count for kind, count in seen.items() if kind in kinds) <= limit
