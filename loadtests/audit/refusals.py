"""The ways in which the target refuses a request while it is audited. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["error", "reset", "cut", "hang"]

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
DEFAULT_METHODS = ("GET", "POST")
NOT_IDEMPOTENT = frozenset({"POST", "PATCH"})
"""Done twice they may do their work twice (RFC 9110 §9.2.2)."""

RETRY_AFTER_S = 1.0
"""What the 429 says in Retry-After: longer than anybody waits by themselves."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One way to refuse: `kind` and `status` are those of the target's fault.

    `name` is what it is called at the command line and in tables, `noun` in sentences.
    """

    name: str
    noun: str
    kind: Kind
    status: int | None = None
    retry_after_s: float | None = None
    half_done: bool = False
    """Whether a client cannot know if the service did the work."""


def _error(status: int, noun: str, retry_after_s: float | None = None) -> Refusal:
    half_done = status in {500, 502, 504}
    return Refusal(str(status), noun, "error", status, retry_after_s, half_done)


REFUSALS = {
    refusal.name: refusal
    for refusal in (
        _error(503, "a 503"),
        _error(429, "a 429", RETRY_AFTER_S),
        _error(500, "a 500"),
        _error(502, "a 502"),
        _error(504, "a 504"),
        Refusal("reset", "a connection reset", "reset", half_done=True),
        Refusal("cut", "an answer cut short", "cut", half_done=True),
        Refusal("hang", "a missing answer", "hang", half_done=True),
    )
}
"""By their names, in the order they are tried: what takes longest comes last."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One marked request; without a refusal it is to be served."""

    method: str
    refusal: Refusal | None = None


def parse_refusals(names: Iterable[str]) -> tuple[Refusal, ...]:
    """The refusals of these names, or all. Raises `ValueError`, naming what is allowed."""
    wanted = tuple(dict.fromkeys(names)) or tuple(REFUSALS)
    for name in wanted:
        if name not in REFUSALS:
            raise ValueError(f"refusal: {name[:32]!r} is not one of {', '.join(REFUSALS)}")
    return tuple(REFUSALS[name] for name in REFUSALS if name in wanted)


def parse_methods(names: Iterable[str]) -> tuple[str, ...]:
    """These methods, or GET and POST. Raises `ValueError`, naming what is allowed."""
    wanted = tuple(dict.fromkeys(name.upper() for name in names)) or DEFAULT_METHODS
    for name in wanted:
        if name not in METHODS:
            raise ValueError(f"method: {name[:32]!r} is not one of {', '.join(METHODS)}")
    return wanted


def plan(refusals: Iterable[Refusal], methods: Iterable[str]) -> tuple[Probe, ...]:
    """Every refusal with every method, refusal by refusal."""
    methods = tuple(methods)
    return tuple(Probe(method, refusal) for refusal in refusals for method in methods)
