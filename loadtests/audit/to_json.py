"""An audit as JSON, for programs. Times are seconds; those of attempts are the target's clock."""

import json

from loadtests.audit.course import Audit, Course
from loadtests.audit.findings import findings

SCHEMA_VERSION = 1


def to_json(audit: Audit) -> str:
    """All that was seen, and what was found in it."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "entry": audit.entry,
        "target": audit.target,
        "lane": audit.lane,
        "timeout_s": audit.timeout_s,
        "verdict": audit.verdict.value,
        "findings": [
            {"kind": finding.kind.value, "text": finding.text} for finding in findings(audit)
        ],
        "requests": [_course(course) for course in audit.requests],
        "closed_s": [closure.lasted_s for closure in audit.closures],
        "attempts_of_others": audit.strangers,
    }
    return json.dumps(document, indent=2) + "\n"


def _course(course: Course) -> dict[str, object]:
    refusal = course.probe.refusal
    return {
        "method": course.probe.method,
        "refused_with": refusal.name if refusal else None,
        "retry_after_s": refusal.retry_after_s if refusal else None,
        "trace": course.trace_id,
        "disturbances": list(course.disturbances),
        "attempts": course.total,
        "intervals_s": [round(interval_s, 6) for interval_s in course.intervals_s],
        "seen": [
            {
                "t_s": round(attempt.t_s, 6),
                "attempt": attempt.attempt,
                "outcome": attempt.outcome,
                "numbers": attempt.numbers,
            }
            for attempt in course.attempts
        ],
        "answer": {
            "end": course.answer.end.value,
            "status": course.answer.status,
            "elapsed_s": round(course.answer.elapsed_s, 6),
            "retry_after": course.answer.headers.get("retry-after"),
            "problem": course.answer.problem,
        },
    }
