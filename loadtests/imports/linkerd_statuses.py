"""Which statuses Linkerd takes as failures: by annotations and by a profile's response classes."""

from loadtests.imports.imported import Notes
from loadtests.imports.node import Node

_STATUSES = range(100, 600)
_WORDS = {"5xx": range(500, 600), "gateway-error": range(502, 505)}
_EXPECTED = (
    "5xx, gateway-error, statuses or ranges as in 500-504, with commas between and no spaces"
)


def conditions(node: Node) -> list[int]:
    """The statuses in ``5xx,429,502-504``."""
    statuses: set[int] = set()
    for part in node.text().split(","):
        if part.lower() in _WORDS:
            statuses.update(_WORDS[part.lower()])
            continue
        first, dash, last = part.partition("-")
        low, high = _status(first), _status(last if dash else first)
        if low is None or high is None or low > high:
            raise node.wrong(_EXPECTED)
        statuses.update(range(low, high + 1))
    return sorted(statuses)


def _status(text: str) -> int | None:
    if not (text.isascii() and text.isdecimal() and len(text) == 3):
        return None
    return int(text) if int(text) in _STATUSES else None


def failures(classes: Node, notes: Notes) -> list[int]:
    """The statuses that are failures: the first class that a status matches says so, else 5xx."""
    read = []
    for item in classes.items():
        flag = item.get("isFailure")
        condition = item.need("condition", "a status, all, any or not")
        read.append((_matching(condition), flag is not None and flag.flag()))
        notes.ignored += item.unread()
    return [status for status in _STATUSES if _is_failure(status, read)]


def _is_failure(status: int, classes: list[tuple[frozenset[int], bool]]) -> bool:
    for matching, is_failure in classes:
        if status in matching:
            return is_failure
    return status >= 500


def _matching(condition: Node) -> frozenset[int]:
    """The statuses that fit; several fields of one condition hold together."""
    found: list[frozenset[int]] = []
    if status := condition.get("status"):
        low, high = status.get("min"), status.get("max")
        least, most = (low.whole(100, 599) if low else 100), (high.whole(100, 599) if high else 599)
        if low is None and high is None:
            raise status.wrong("min, max or both")
        found.append(frozenset(range(least, most + 1)))
    if every := condition.get("all"):
        found.append(frozenset(_STATUSES).intersection(*map(_matching, every.items())))
    if either := condition.get("any"):
        found.append(frozenset[int]().union(*map(_matching, either.items())))
    if other := condition.get("not"):
        found.append(frozenset(_STATUSES) - _matching(other))
    if not found:
        raise condition.wrong("a status, all, any or not")
    return frozenset(_STATUSES).intersection(*found)
