"""Hidden retries: of what, how often, how soon, and whether that is dangerous. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from loadtests.audit import words
from loadtests.audit.answer import End
from loadtests.audit.course import Audit, Course, Verdict
from loadtests.audit.finding import Finding, Kind, alike, got, methods, nouns
from loadtests.audit.refusals import NOT_IDEMPOTENT, Refusal

HEEDED = 0.95
"""A retry this share of Retry-After later has heeded it: clocks and networks are not exact."""


def retries(audit: Audit) -> Iterator[Finding]:
    """Refusals that are retried alike share a sentence, unless their waits differ by nature."""
    groups: dict[tuple[object, ...], list[Course]] = defaultdict(list)
    for refusal, number, courses in alike(audit.courses):
        if number:
            nature = (refusal.kind == "hang", refusal.retry_after_s)
            groups[number, tuple(methods(courses)), nature] += courses
    for courses in groups.values():
        text = (
            f"Something between you and the service retries {words.listing(nouns(courses))} "
            f"{_how_soon(courses)} ({words.listing(methods(courses))})."
        )
        yield Finding(Kind.RETRIES, text)


def _how_soon(courses: Sequence[Course]) -> str:
    """``three times within 80 ms``, ``once after 25 ms``, ``once after 0.4 ms to 6 ms``."""
    number, spans_s = courses[0].retries, [course.span_s for course in courses]
    shortest, longest = words.duration(min(spans_s)), words.duration(max(spans_s))
    if number > 1:
        return f"{words.times(number)} within {longest}"
    after = longest if shortest == longest else f"{shortest} to {longest}"
    return f"{words.times(number)} after {after}"


def copies(audit: Audit) -> Iterator[Finding]:
    """More than one attempt of a request that the target is not made to refuse."""
    for course in audit.healthy:
        if not course.retries:
            continue
        arrived = f"{course.total:,} attempts within {words.duration(course.span_s)}"
        if course.answer.served:
            text = (
                f"Even a {course.probe.method} that is served becomes {arrived}: something sends "
                "copies of it (a mirror, or hedged requests)."
            )
        else:
            text = (
                f"A {course.probe.method} that is not to be refused becomes {arrived}, and you get "
                f"{got(course)}: try a --path that is served."
            )
        yield Finding(Kind.COPIES, text)


def none(audit: Audit) -> Iterator[Finding]:
    """Said only where every request was seen to arrive."""
    if audit.verdict is Verdict.NO_RETRIES:
        requests = words.counted(len(audit.courses), "refused request")
        text = f"Nothing between you and the service retries: {requests}, one attempt each."
        yield Finding(Kind.NONE, text)


def danger(audit: Audit) -> Iterator[Finding]:
    """Retries of what may do its work twice."""
    for method in sorted(NOT_IDEMPOTENT):
        retried = [c for c in audit.courses if c.probe.method == method and c.retries]
        doubtful = [c for c in retried if c.probe.refusal and c.probe.refusal.half_done]
        if doubtful:
            text = (
                f"{method} is retried too: after {words.listing(nouns(doubtful), 'or')} nobody "
                "knows whether the work was done, so it may be done more than once."
            )
        elif retried:
            text = (
                f"{method} is retried too, after {words.listing(nouns(retried), 'or')}: harmless "
                "only as long as the service refuses before it does anything."
            )
        else:
            continue
        yield Finding(Kind.DANGER, text)


def orphaned(audit: Audit) -> Iterator[Finding]:
    """Attempts for a client that has given up."""
    courses = [course for course in audit.courses if course.answer.end is End.TIMED_OUT]
    late = [
        attempt
        for course in courses
        for attempt in course.attempts
        if attempt.t_s - course.attempts[0].t_s > course.answer.elapsed_s
    ]
    if late:
        text = (
            f"{words.counted(len(late), 'attempt')} came after you had given up "
            f"({words.duration(audit.timeout_s)}): work that nobody waits for."
        )
        yield Finding(Kind.DANGER, text)


def retry_after(audit: Audit) -> Iterator[Finding]:
    """Was the server's word on when to come back heeded, and did it reach the client?"""
    by_refusal: dict[Refusal, list[Course]] = defaultdict(list)
    for course in audit.courses:
        if course.probe.refusal is not None and course.probe.refusal.retry_after_s is not None:
            by_refusal[course.probe.refusal].append(course)
    for refusal, courses in by_refusal.items():
        wanted_s = refusal.retry_after_s or 0.0
        said = f"The Retry-After of {refusal.noun} ({words.duration(wanted_s)})"
        waits_s = [min(course.intervals_s) for course in courses if course.intervals_s]
        if waits_s:
            heeded = "heeded" if min(waits_s) >= HEEDED * wanted_s else "not heeded"
            text = f"{said} is {heeded}: a retry came {words.duration(min(waits_s))} later."
            yield Finding(Kind.RETRY_AFTER, text)
        arrived = [course for course in courses if course.total and course.answer.shows_headers]
        told = [course for course in arrived if "retry-after" in course.answer.headers]
        if told:
            only = "" if told == arrived else f", for {words.listing(methods(told))} only"
            yield Finding(Kind.RETRY_AFTER, f"{said} is passed on to you{only}.")
        elif arrived:
            yield Finding(Kind.RETRY_AFTER, f"{said} does not reach you.")
