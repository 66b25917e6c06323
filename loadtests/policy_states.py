"""Whose policy each request has, where clients have states of their own: a budget, a breaker."""

import itertools
from collections.abc import Iterator

from loadtests.policies import RetryPolicy
from loadtests.policies.scope import MAX_OBJECTS
from loadtests.policy_names import PolicySource
from loadtests.scenario import ScenarioError


def policies_in_turn(source: PolicySource, states: int) -> Iterator[RetryPolicy]:
    """`states` policies with a state of their own each, over and over.

    Raises `ScenarioError` for too many: each is an object.
    """
    if states > MAX_OBJECTS:
        raise ScenarioError(too_many(source.name, states))
    return itertools.cycle([source.build() for _ in range(states)])


def too_many(name: str, states: int) -> str:
    """What is said where there are more clients with a state each than can be."""
    return (
        f"policies: {name}: {states:,} clients with a state each: expected at most "
        f"{MAX_OBJECTS:,} where each request is played by itself"
    )
