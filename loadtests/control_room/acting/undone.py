"""Why nothing was done: it is not allowed, or it could not be done."""

from dataclasses import dataclass
from typing import Literal

from faults.admin import AdminError
from loadtests.control_room.acting.asked import Act, EndOf
from loadtests.control_room.acting.told import Reply

LONGEST = 300
"""Characters of a problem: it may repeat what was asked, and is shown to all who look."""
_NOT_THE_ASKERS = frozenset({401, 403})
"""The target refuses us, not what is asked."""


class MayHaveBegunError(AdminError):
    """The target was told, and did not say whether it has begun."""


@dataclass(frozen=True, slots=True)
class Undone:
    """An act that was not done; `problem` is what is wrong, in `field` if it is in one.

    `stands`: it is not known whether anything was done, and the same key does not try again.
    """

    verb: str
    kind: Literal["refused", "failed"]
    problem: str
    field: str | None = None
    stands: bool = False

    def __post_init__(self) -> None:
        """Cut what is too long to be read."""
        if len(self.problem) > LONGEST:
            object.__setattr__(self, "problem", f"{self.problem[: LONGEST - 2]} …")

    @property
    def said(self) -> str:
        """The whole sentence: ``Block retries failed: no target answers at …``."""
        return f"{self.verb.replace('-', ' ').capitalize()} {self.kind}: {self.problem}"

    @property
    def reply(self) -> Reply:
        """What the page is answered; `error` is for beside the field, `said` for anywhere else."""
        body = {"kind": self.kind, "said": self.said, "error": self.problem, "field": self.field}
        return Reply(400 if self.kind == "refused" else 502, body, self.stands)


def by_target(verb: str, act: Act, error: AdminError) -> Undone:
    """The target has not done it: what it does not allow is refused in its own words."""
    said = error.said
    if said is None or error.status in _NOT_THE_ASKERS or not 400 <= (error.status or 0) < 500:
        return _failed(verb, error)
    if isinstance(act, EndOf) and error.status == 404:
        problem = f"the target knows no {act.id}: it was reset, or that was over long ago"
        return Undone(verb, "refused", problem, "id")
    if not said.fields:
        return Undone(verb, "refused", said.message)
    first = said.fields[0]
    # The target names the place in a list too: "lanes.0".
    return Undone(verb, "refused", first.problem, first.field.partition(".")[0])


def _failed(verb: str, error: AdminError) -> Undone:
    if not isinstance(error, MayHaveBegunError):
        return Undone(verb, "failed", str(error))
    problem = f"{error}. It may have begun all the same: see the list"
    return Undone(verb, "failed", problem, stands=True)
