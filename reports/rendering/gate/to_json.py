"""The verdict as JSON: `docs/ci.md` describes it."""

import json

from reports.judging.gate.verdict import Finding, Verdict
from reports.rendering.gate.sentences import said
from reports.statistics.value import Value

SCHEMA = 1
Json = dict[str, object]


def to_json(verdict: Verdict, exit_code: int) -> str:
    """The whole verdict, indented, with a newline at the end."""
    return json.dumps(document(verdict, exit_code), indent=2, allow_nan=False) + "\n"


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
        "worst": worst and {"run": worst.run, "number": worst.number, **_value(worst.value)},
        "most": worst and _rounded(worst.bound),
        "n": found.n,
        "within": found.within,
        "not_measured": found.unmeasured,
        "began_unsettled": found.unsettled,
        "confidence": rule.confidence,
        "sure": _rounded(found.sure),
        "needed": found.needed,
    }


def _value(value: Value | None) -> Json:
    """`null` for what had not come about; `beyond` says by when."""
    late = value is not None and value.late
    return {
        "value": _rounded(value.amount) if value and not late else None,
        "beyond": _rounded(value.amount) if value and late else None,
    }


def _rounded(amount: float | None) -> float | None:
    return None if amount is None else round(amount, 6)
