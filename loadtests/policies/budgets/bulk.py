"""Many at once: what a budget answers for groups of requests, one alone being a group of one.

The formulas take whole numbers or arrays of them: a simulation asks for millions of clients.
"""

from typing import Protocol, Self, TypeVar, runtime_checkable


class Whole(Protocol):
    """A whole number, or an array of them."""

    def __add__(self, other: int | Self, /) -> Self: ...
    def __sub__(self, other: int | Self, /) -> Self: ...
    def __mul__(self, other: int, /) -> Self: ...
    def __floordiv__(self, other: int, /) -> Self: ...
    def __abs__(self) -> Self: ...


WholeT = TypeVar("WholeT", bound=Whole)


def _size(number: WholeT) -> WholeT:
    return abs(number)  # type: ignore[return-value]  # mypy forgets of which kind it was


def lesser(one: WholeT, other: WholeT) -> WholeT:
    """The lesser of two."""
    over = one - other
    return (over - _size(over)) // 2 + other


def at_most(number: WholeT, bound: int) -> WholeT:
    """The lesser of a number and a bound."""
    over = number - bound
    return (over - _size(over)) // 2 + bound


def at_least(number: WholeT, bound: int) -> WholeT:
    """The greater of a number and a bound."""
    over = number - bound
    return (over + _size(over)) // 2 + bound


@runtime_checkable
class BulkBudget(Protocol):
    """A budget that can be told of many things that happen one after another at the same time."""

    @property
    def counts_failures(self) -> bool:
        """Whether a failure matters that asks for no retry: out of attempts, say."""
        ...

    def requested_many(self, now_s: float, requests: int) -> None:
        """So many new requests."""
        ...

    def withdraw_many(self, now_s: float, failures: int) -> int:
        """Of so many failures in a row, each observed and then asking, how many are granted.

        These are the first ones. Where failures count, some of them need not ask.
        """
        ...

    def succeeded_many(self, now_s: float, successes: int) -> None:
        """So many attempts that succeeded."""
        ...
