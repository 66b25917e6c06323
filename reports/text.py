"""Names and nouns that sentences are made of, for the checks as for the renderers."""

from collections.abc import Sequence

NOUNS = {
    "dip": "dip",
    "spike": "load spike",
    "latency": "added latency",
    "error": "errors",
    "hang": "hang",
    "reset": "resets",
    "cut": "cut answers",
}
"""What each type of disturbance is called after "the": "before the load spike"."""

ENDINGS = {
    "not-retried": "their policy never retries",
    "not-retryable": "such a failure is not retried",
    "out-of-attempts": "the limit on attempts was reached",
    "budget": "the retry budget had nothing left",
    "deadline": "the time for the whole request was over",
    "forbidden-by-server": "the server said not to retry",
    "breaker-open": "the client's circuit breaker was open",
    "throttled-by-client": "the client throttled itself",
    "user-gave-up": "the user had left",
    "given-up-by-library": "the library gave up",
}
"""Why failed requests had no further attempt, after "because"."""


def noun(kind: str) -> str:
    """What a disturbance of this type is called after "the"; of a type unknown, "disturbance"."""
    return NOUNS.get(kind, "disturbance")


def names_of(lanes: Sequence[str]) -> str:
    """Lanes by name, in quotes; of many, the first three and how many more."""
    return listed([f"`{name[:60]}`" for name in lanes], 3)


def clipped(text: str, most: int = 80) -> str:
    """Of a long text the begin and the end, which tell names of one make apart."""
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}…{text[len(text) - (most - 1) // 2 :]}"


def listed(each: Sequence[str], most: int) -> str:
    """``a, b and 2 more``: of many the first `most`."""
    more = f" and {len(each) - most} more" if len(each) > most else ""
    return ", ".join(each[:most]) + more
