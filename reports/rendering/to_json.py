"""The report as JSON: `docs/report.md` describes it, `docs/report.schema.json` checks it."""

import json
from dataclasses import asdict

from reports.folding.trigger import Trigger
from reports.measuring.recovery import Recovery
from reports.prediction import PredictedLane, Prediction, Range, first_fit_s, settled_s
from reports.summary import Report

SCHEMA = 1
Json = dict[str, object]


def to_json(report: Report) -> str:
    """The whole report, indented, with a newline at the end. Seconds and rates have 6 decimals."""
    return json.dumps(_rounded(document(report)), indent=2, allow_nan=False) + "\n"


def document(report: Report) -> Json:
    """The report as JSON values. The series that charts show stay in the record."""
    return {
        "schema": SCHEMA,
        "valid": report.valid,
        "going_on": report.going_on,
        "invalid_because": list(report.invalid_because),
        "notes": list(report.notes),
        "trigger": _trigger(report.trigger),
        "observed_s": report.observed_s,
        "end_s": report.end_s,
        "policies": [_policy(policy) for policy in report.policies],
        "health": asdict(report.vitals),
        "run": asdict(report.run),
        **({"prediction": _prediction(report, report.prediction)} if report.prediction else {}),
    }


def _policy(policy: Recovery) -> Json:
    after, cost = policy.after, policy.cost
    return {
        "name": policy.policy,
        "lane": policy.lane,
        "describe": policy.describe,
        "trigger": _trigger(policy.trigger),
        "observed_s": after and after.observed_s,
        "first_fit_s": after and after.first_fit_s,
        "settled_s": after and after.settled_s,
        "recovered": after and after.recovered,
        "times_trigger": after and after.times_trigger,
        "goodput_back_s": after and after.goodput_back_s,
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
        "longest_queue": policy.service.longest_queue,
        "abandoned": policy.service.abandoned,
        "work_lost": after and after.work_lost,
        "shed": policy.service.shed,
        "blocked": policy.service.blocked,
        "failed_by_service": policy.service.failed,
        "layers": policy.stacks and asdict(policy.stacks),
        "faults": [asdict(fault) for fault in policy.drawn.faults],
        "actions": [asdict(action) for action in policy.drawn.actions],
    }


def _prediction(report: Report, prediction: Prediction) -> Json:
    lanes = [(policy, prediction.of(policy.lane)) for policy in report.policies]
    return {
        "runs": prediction.runs,
        "seed": prediction.seed,
        "engine": prediction.engine,
        "notes": list(prediction.notes),
        "policies": [_predicted(policy, lane) for policy, lane in lanes if lane],
    }


def _predicted(policy: Recovery, lane: PredictedLane) -> Json:
    after = policy.after is not None
    return {
        "name": policy.policy,
        "lane": lane.lane,
        "peak_per_s": _range(lane.peak_per_s, policy.peak_per_s),
        "first_fit_s": _range(lane.first_fit_s, first_fit_s(policy)) if after else None,
        "settled_s": _range(lane.settled_s, settled_s(policy)) if after else None,
        "failed": _range(lane.failed, policy.failed),
        "attempts": _range(lane.attempts, policy.attempts),
    }


def _range(found: Range | None, measured: float | None) -> Json | None:
    return {**asdict(found), "within": found.holds(measured)} if found else None


def _trigger(trigger: Trigger | None) -> Json | None:
    return {**asdict(trigger), "length_s": trigger.length_s} if trigger else None


def _rounded(value: object) -> object:
    """Floats to six decimals, so that 0.1 · 3 reads 0.3; everything else as it is."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
