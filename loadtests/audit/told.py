"""What the client was told, and what makes the rest less certain. Pure."""

from collections import defaultdict
from collections.abc import Iterator

from loadtests.audit import words
from loadtests.audit.answer import End
from loadtests.audit.course import Audit, Course
from loadtests.audit.finding import Finding, Kind, got, methods, nouns

_SHOWN_NAMES = 4


def disturbed(audit: Audit) -> Iterator[Finding]:
    """Requests of which nothing can be told, as they met something else; by what that was."""
    by_cause: dict[tuple[str, ...], list[Course]] = defaultdict(list)
    for course in audit.disturbed:
        by_cause[course.disturbances].append(course)
    for causes, courses in by_cause.items():
        served = any(course.probe.refusal is None for course in courses)
        things = words.listing(["what is served"] * served + nouns(courses))
        text = (
            f"Nothing can be told of {things} ({words.listing(methods(courses))}): "
            f"{words.printable(words.listing(causes), 400)}."
        )
        yield Finding(Kind.DISTURBED, text)


def told(audit: Audit) -> Iterator[Finding]:
    """Refusals of which the client was told otherwise, and what the answers say sent them."""
    by_answer: dict[str, list[Course]] = defaultdict(list)
    for course in audit.courses:
        if course.total and course.answer.status is not None and _otherwise(course):
            by_answer[got(course)].append(course)
    for answer, courses in by_answer.items():
        longest = words.duration(max(course.answer.elapsed_s for course in courses))
        served = courses[0].answer.served
        why = ": a cache, or something else to fall back to" if served else ""
        text = f"You get {answer} for {words.listing(nouns(courses))}, within {longest}{why}."
        yield Finding(Kind.ANSWERS, text)
    names = dict.fromkeys(
        f"{header}: {words.printable(course.answer.headers[header], 60)}"
        for course in audit.all_courses
        for header in ("server", "via")
        if header in course.answer.headers
    )
    if names:
        shown = words.listing(list(names)[:_SHOWN_NAMES])
        yield Finding(Kind.ANSWERS, f"The answers say what sent them: {shown}.")


def _otherwise(course: Course) -> bool:
    refusal = course.probe.refusal
    if refusal is None or (refusal.kind == "cut" and course.answer.end is End.CUT_SHORT):
        return False
    return course.answer.status != refusal.status


def limits(audit: Audit) -> Iterator[Finding]:
    """What was not seen, and what disturbed."""
    for text in _limits(audit):
        yield Finding(Kind.LIMITS, text)


def _limits(audit: Audit) -> Iterator[str]:
    waited = [course for course in audit.courses if course.answer.end is End.TIMED_OUT]
    if waited:
        yield (
            f"After {words.listing(nouns(waited))}, the entry was waited for "
            f"{words.duration(audit.timeout_s)}: what it does later is not seen (--timeout)."
        )
    if audit.closures:
        lasted_s = [closure.lasted_s for closure in audit.closures]
        longest = max((each for each in lasted_s if each is not None), default=None)
        how_long = "" if None in lasted_s or longest is None else f" for {words.duration(longest)}"
        yield (
            f"After failures nothing was let through{how_long}: a circuit breaker or a passive "
            "health check, which can hide retries (--pause)."
        )
    if audit.strangers:
        yield (
            f"{words.counted(audit.strangers, 'attempt')} of others came in the lane "
            f"{words.printable(audit.lane, 64)}: they were refused as well, and may have used up "
            "what is allowed of retries. Give the audit a --lane of its own."
        )
    left_off = sum(course.left_off for course in audit.all_courses)
    if left_off:
        yield f"{words.counted(left_off, 'attempt')} more came than the target keeps the times of."
