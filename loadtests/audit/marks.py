"""Marks that did not arrive: what became of them, and of the numbers of attempts. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from loadtests.audit import words
from loadtests.audit.answer import End
from loadtests.audit.course import Audit, Course
from loadtests.audit.finding import Finding, Kind, got, methods, nouns

OUR_HEADER = "x-aftershock-attempt"
"""Sent as 1: whoever retries and knows it counts on."""
_SHOWN = 9


def lost(audit: Audit) -> Iterator[Finding]:
    """Requests of which the target saw nothing; those lost alike share a sentence."""
    groups: dict[tuple[bool, str, str], list[Course]] = defaultdict(list)
    for course in audit.all_courses:
        if course.total == 0:
            refused = course.probe.refusal is not None
            groups[refused, got(course), _why(course, audit)].append(course)
    for (refused, answer, why), courses in groups.items():
        sent = words.listing(methods(courses), "or")
        if refused:
            sent += f" to be refused with {words.listing(nouns(courses), 'or')}"
        text = f"No marked {sent} arrived at the target; you got {answer}. {why}"
        yield Finding(Kind.LOST, text)


def _why(course: Course, audit: Audit) -> str:
    if course.probe.refusal is not None and course.answer.served:
        return "Something in between answers by itself, such as a cache."
    if course.probe.refusal is not None:
        return "Something takes the target out of service after failures."
    if course.answer.end in {End.REFUSED, End.UNREACHABLE, End.RAISED}:
        problem = words.printable(course.answer.problem or course.answer.end)
        where = "The call" if course.answer.end is End.RAISED else "Nothing answers at the entry"
        return f"{where}: {problem}."
    return _elsewhere(course, audit)


def _elsewhere(course: Course, audit: Audit) -> str:
    """By what else arrived meanwhile."""
    if course.elsewhere.get(audit.lane):
        return (
            "Its lane arrived and its mark did not: let the header X-Aftershock-Trace pass; "
            "without it, single requests cannot be told apart."
        )
    if any(course.elsewhere.values()):
        lanes = words.listing(words.printable(lane, 64) for lane in course.elsewhere)
        return (
            f"Meanwhile attempts came in the lane {lanes}: something may drop the headers "
            "X-Aftershock-Trace and X-Aftershock-Lane. Let them pass."
        )
    if course.answer.end is End.ANSWERED:
        return (
            "Nothing else arrived meanwhile: the entry leads to another target, or something in "
            "between answers by itself, such as a cache."
        )
    return "Nothing else arrived meanwhile."


def numbers(audit: Audit) -> Iterator[Finding]:
    """Can the service tell a retry from a first attempt?"""
    retried = [course for course in audit.all_courses if len(course.attempts) > 1]
    if not retried:
        arrived = [course for course in audit.all_courses if course.attempts]
        if arrived and not any(_said(course, OUR_HEADER)[0] for course in arrived):
            yield Finding(Kind.NUMBERS, "X-Aftershock-Attempt is dropped on the way.")
        return
    headers = {header for course in retried for a in course.attempts for header in a.numbers}
    for header in sorted(headers):
        yield Finding(Kind.NUMBERS, _text(retried, header))
    if OUR_HEADER not in headers:
        yield Finding(Kind.NUMBERS, "X-Aftershock-Attempt is dropped on the way.")
    if not any(_tells(retried, header) for header in headers):
        yield Finding(Kind.NUMBERS, "No header tells the service that an attempt is a retry.")


def _text(courses: Sequence[Course], header: str) -> str:
    longest = max((_said(course, header) for course in courses), key=len)
    shown = ", ".join("–" if number is None else str(number) for number in longest[:_SHOWN])
    shown += ", …" if len(longest) > _SHOWN else ""
    if _counts(courses, header):
        return f"{header} tells the service which attempt it is: {shown}."
    if _tells(courses, header):
        return f"{header} tells the service a retry from a first attempt: {shown}."
    if len(set(longest)) == 1:
        return f"{header} stays {longest[0]}: by it, a retry looks like a first attempt."
    return f"{header} does not tell every retry from a first attempt: {shown}."


def _said(course: Course, header: str) -> Sequence[int | None]:
    return [attempt.numbers.get(header) for attempt in course.attempts]


def _counts(courses: Sequence[Course], header: str) -> bool:
    """Whether it is one more on every attempt of all of these."""
    return all(
        None not in pair and pair[1] == (pair[0] or 0) + 1
        for course in courses
        for pair in pairwise(_said(course, header))
    )


def _tells(courses: Sequence[Course], header: str) -> bool:
    """Whether it is higher on every retry than on the first attempt of its request."""
    return all(
        first is not None and number is not None and number > first
        for first, *others in (_said(course, header) for course in courses)
        for number in others
    )
