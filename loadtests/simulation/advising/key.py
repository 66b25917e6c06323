"""Which points of the chart have letters, and to which group each belongs."""

from collections.abc import Sequence
from dataclasses import dataclass

from loadtests.simulation.advising.advice import Advice
from loadtests.simulation.advising.candidates import NO_RETRY, Kind
from loadtests.simulation.advising.ranking import Ranked, point

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
GROUPS = {
    "have": "what you have",
    "without": "without retries",
    "change": "changes of what you have",
    "other": "others",
}
"""Traces by name, with what the legend calls them; the last are drawn first."""


@dataclass(frozen=True)
class Keyed:
    """A point with a letter, and who stands there: the best ranked first."""

    letter: str
    at: tuple[float, float]
    who: tuple[Ranked, ...]


def key_of(advice: Advice) -> tuple[Keyed, ...]:
    """The points of the front and those of what there is, from few unserved requests to many."""
    at: dict[tuple[float, float], list[Ranked]] = {}
    for one in advice.ranked:
        if one.front or one.standing.candidate.kind is Kind.HAVE:
            at.setdefault(point(one.standing), []).append(one)
    places = sorted(at)[: len(LETTERS)]
    return tuple(
        Keyed(letter, place, tuple(sorted(at[place], key=_have_first)))
        for letter, place in zip(LETTERS, places, strict=False)
    )


def _have_first(one: Ranked) -> tuple[bool, int, float]:
    have = one.standing.candidate.kind is Kind.HAVE
    return not have, one.place, one.standing.amplification


def group_of(one: Ranked) -> str:
    """Which trace it belongs to."""
    candidate = one.standing.candidate
    if candidate.kind is Kind.HAVE:
        return "have"
    if candidate.choice.name == NO_RETRY:
        return "without"
    return "change" if candidate.kind is Kind.CHANGE else "other"


def groups(advice: Advice) -> list[tuple[str, str]]:
    """Name and title of the groups that occur, for the legend."""
    used = {group_of(one) for one in advice.ranked}
    return [(name, title) for name, title in GROUPS.items() if name in used]


def others_at(who: Sequence[Ranked]) -> str:
    """``and 3 more``, or nothing."""
    return f" and {len(who) - 1} more" if len(who) > 1 else ""
