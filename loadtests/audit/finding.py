"""One thing that an audit found, and the words that several of them share. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from loadtests.audit.answer import End
from loadtests.audit.course import Course
from loadtests.audit.refusals import Refusal


class Kind(StrEnum):
    """What a finding is about."""

    DISTURBED = "disturbed"
    RETRIES = "retries"
    COPIES = "copies"
    DANGER = "danger"
    NONE = "none"
    LOST = "lost"
    RETRY_AFTER = "retry-after"
    NUMBERS = "numbers"
    ANSWERS = "answers"
    LIMITS = "limits"


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence or two."""

    kind: Kind
    text: str


def alike(courses: Iterable[Course]) -> Iterator[tuple[Refusal, int, list[Course]]]:
    """Courses of one refusal with equally many retries, whatever their methods."""
    groups: dict[tuple[Refusal, int], list[Course]] = defaultdict(list)
    for course in courses:
        if course.probe.refusal is not None:
            groups[course.probe.refusal, course.retries].append(course)
    for (refusal, retries), members in groups.items():
        yield refusal, retries, members


def nouns(courses: Iterable[Course]) -> list[str]:
    """What these were refused with, each once."""
    refusals = (course.probe.refusal for course in courses)
    return list(dict.fromkeys(refusal.noun for refusal in refusals if refusal is not None))


def methods(courses: Iterable[Course]) -> list[str]:
    """How these were sent, each once."""
    return list(dict.fromkeys(course.probe.method for course in courses))


def got(course: Course) -> str:
    """What the client got: ``a 503``, ``no answer in time``, ``a 200, cut short``."""
    answer = course.answer
    if answer.status is None:
        return _ENDS[answer.end]
    return f"a {answer.status}" + ("" if answer.end is End.ANSWERED else f", {answer.end.value}")


_ENDS = {
    End.ANSWERED: "an answer",
    End.CUT_SHORT: "an answer cut short",
    End.CLOSED: "a closed connection",
    End.RESET: "a connection reset",
    End.TIMED_OUT: "no answer in time",
    End.NOT_HTTP: "what is no HTTP",
    End.RAISED: "an exception",
    End.REFUSED: "no connection",
    End.UNREACHABLE: "no connection",
}
