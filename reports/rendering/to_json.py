"""The report as JSON: `docs/report.md` describes it, `docs/report.schema.json` checks it."""

from dataclasses import asdict

from reports.folding.trigger import Trigger
from reports.measuring.catalogue import MEASURES
from reports.measuring.measure import Measure, Unit
from reports.measuring.recovery import Episode, Figures, Recovery
from reports.prediction import PredictedLane, Prediction, Range, first_fit_s, settled_s
from reports.rendering.distribution_json import distribution
from reports.rendering.json_text import Json, indented, rounded
from reports.summary import Report

SCHEMA = 1


def to_json(report: Report) -> str:
    """The whole report, indented, with a newline at the end. Seconds and rates have 6 decimals."""
    return indented(rounded(document(report)))


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
        "worst": report.worst,
        "best": report.best,
        "policies": [_policy(policy) for policy in report.policies],
        "distributions": [distribution(lane) for lane in report.distributions],
        "health": asdict(report.vitals),
        "run": asdict(report.run),
        **({"prediction": _prediction(report, report.prediction)} if report.prediction else {}),
    }


def _policy(policy: Recovery) -> Json:
    return {
        "name": policy.policy,
        "lane": policy.lane,
        "title": policy.title,
        "describe": policy.describe,
        **_figures(policy),
        "layers": policy.stacks and asdict(policy.stacks),
        "faults": [asdict(fault) for fault in policy.drawn.faults],
        "actions": [asdict(action) for action in policy.drawn.actions],
        "episodes": [_episode(episode) for episode in policy.episodes],
    }


def _episode(episode: Episode) -> Json:
    return {
        "number": episode.number,
        "together": episode.together,
        "began_unsettled": episode.began_unsettled,
        "cut_by_next": episode.cut_by_next,
        **_figures(episode.figures),
    }


def _figures(figures: Figures) -> Json:
    """All measures by their names, and what they were measured against."""
    after, cost = figures.after, figures.cost
    return {
        "trigger": _trigger(figures.trigger),
        "observed_s": after and after.observed_s,
        "recovered": after and after.recovered,
        **{measure.name: _number(measure, figures) for measure in MEASURES},
        "relapse_waves": [asdict(wave) for wave in after.relapses] if after else [],
        "load_settled_s": after and after.settled_s,
        "lingering_per_s": after and after.lingering_per_s,
        "noise_per_s": after and after.noise_per_s,
        "noise_hides_storms": after and after.noise_hides,
        "capacity_per_s": figures.capacity_per_s,
        "offered_before_per_s": figures.offered_before_per_s,
        "succeeded": figures.succeeded,
        "failed_by_reason": dict(figures.failed_by_reason),
        "goodput_before_per_s": cost and cost.goodput_before_per_s,
        "latency_before_ms": cost and cost.latency_before_ms,
    }


def _number(measure: Measure, figures: Figures) -> float | int | None:
    """What is counted in whole numbers is written so."""
    found = measure.plain(figures)
    whole = found is not None and measure.unit is Unit.COUNT and found == int(found)
    return int(found) if whole and found is not None else found


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
        "failed": _range(lane.failed, policy.failed, known=policy.failed is not None),
        "attempts": _range(lane.attempts, policy.attempts),
    }


def _range(found: Range | None, measured: float | None, *, known: bool = True) -> Json | None:
    if found is None:
        return None
    return {**asdict(found), "within": found.holds(measured) if known else None}


def _trigger(trigger: Trigger | None) -> Json | None:
    return {**asdict(trigger), "length_s": trigger.length_s} if trigger else None
