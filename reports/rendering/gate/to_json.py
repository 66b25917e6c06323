"""The verdict as JSON: `docs/ci.md` describes it."""

from reports.judging.gate.finding import Finding
from reports.judging.gate.verdict import Verdict
from reports.rendering.gate.sentences import said
from reports.rendering.json_text import Json, indented, rounded, to_nine_digits, value

SCHEMA = 1


def to_json(verdict: Verdict, exit_code: int) -> str:
    """The whole verdict, indented, with a newline at the end."""
    return indented(rounded(document(verdict, exit_code), to_nine_digits))


def document(verdict: Verdict, exit_code: int) -> Json:
    """The verdict as JSON values."""
    return {
        "schema": SCHEMA,
        "verdict": verdict.outcome.value,
        "exit_code": exit_code,
        "runs": [
            {
                "run": run.name,
                "valid": run.valid,
                "invalid_because": list(run.invalid_because),
            }
            for run in verdict.runs
        ],
        "rules": [_finding(found) for found in verdict.findings],
    }


def _finding(found: Finding) -> Json:
    """What was asked of a lane, and what it did."""
    rule, worst = found.rule, found.worst
    return {
        "lane": found.lane,
        "policy": found.policy,
        "measure": rule.measure.name,
        "limit": {
            "text": rule.limit.text,
            "amount": rule.limit.amount,
            "in": rule.limit.unit.value,
        },
        "kept": found.kept,
        "why": found.why.value,
        "message": said(found),
        "worst": worst and {"run": worst.run, "number": worst.number, **value(worst.value)},
        "most": worst and worst.bound,
        "n": found.n,
        "within": found.within,
        "sample": "run" if found.by_run else "trigger",
        "triggers": found.triggers,
        "not_measured": found.unmeasured,
        "began_unsettled": found.unsettled,
        "confidence": rule.confidence,
        "sure": found.sure,
        "needed": found.needed,
    }
