"""The report as JSON: `docs/report.md` describes it, `docs/report.schema.json` checks it."""

import json
from dataclasses import asdict

from reports.recovery import Recovery
from reports.summary import Report

SCHEMA = 1
Json = dict[str, object]


def to_json(report: Report) -> str:
    """The whole report, indented, with a newline at the end. Seconds and rates have 6 decimals."""
    return json.dumps(_rounded(document(report)), indent=2, allow_nan=False) + "\n"


def document(report: Report) -> Json:
    """The report as JSON values. The series that charts show stay in the record."""
    dip = report.dip
    return {
        "schema": SCHEMA,
        "valid": report.valid,
        "invalid_because": list(report.invalid_because),
        "notes": list(report.notes),
        "dip": dip and {**asdict(dip), "length_s": dip.length_s},
        "observed_s": report.observed_s,
        "end_s": report.end_s,
        "policies": [_policy(policy) for policy in report.policies],
        "health": asdict(report.vitals),
        "run": asdict(report.run),
    }


def _policy(policy: Recovery) -> Json:
    after, cost = policy.after, policy.cost
    return {
        "name": policy.policy,
        "lane": policy.lane,
        "describe": policy.describe,
        "first_fit_s": after and after.first_fit_s,
        "settled_s": after and after.settled_s,
        "recovered": after and after.recovered,
        "times_dip": after and after.times_dip,
        "relapses": after and len(after.relapses),
        "relapse_waves": [asdict(wave) for wave in after.relapses] if after else [],
        "storm_attempts": after and after.storm_attempts,
        "noise_per_s": after and after.noise_per_s,
        "noise_hides_storms": after and after.noise_hides,
        "capacity_per_s": policy.capacity_per_s,
        "offered_before_per_s": policy.offered_before_per_s,
        "peak_per_s": policy.peak_per_s,
        "attempts": policy.attempts,
        "requests": policy.requests,
        "amplification": policy.amplification,
        "worst_amplification": policy.worst_amplification,
        "succeeded": policy.succeeded,
        "failed": policy.failed,
        "failed_by_reason": dict(policy.failed_by_reason),
        "failed_anyway": cost and cost.failed_anyway,
        "unfinished": policy.unfinished,
        "goodput_before_per_s": cost and cost.goodput_before_per_s,
        "goodput_lost": cost and cost.goodput_lost,
        "latency_before_ms": cost and cost.latency_before_ms,
        "latency_back_s": cost and cost.latency_back_s,
    }


def _rounded(value: object) -> object:
    """Floats to six decimals, so that 0.1 · 3 reads 0.3; everything else as it is."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
