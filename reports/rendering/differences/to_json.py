"""A comparison as JSON: `docs/compare.md` describes it."""

import json

from reports.judging.differences.comparison import Comparison, LaneRows
from reports.judging.differences.row import Row, Taken
from reports.judging.differences.sides import LaneOfSide, Side
from reports.judging.differences.verdicts import LEVEL
from reports.rendering.distribution_json import summary
from reports.statistics.value import Value

SCHEMA = 1
Json = dict[str, object]


def to_json(found: Comparison) -> str:
    """The whole comparison, indented, with a newline at the end."""
    return json.dumps(_short(document(found)), indent=2, allow_nan=False) + "\n"


def document(found: Comparison) -> Json:
    """As JSON values."""
    return {
        "schema": SCHEMA,
        "worse": found.worse,
        "level": LEVEL,
        "least": {"share": found.least.share, "seconds": found.least.seconds},
        "tested": found.tested,
        "each_dip": found.base.each_dip,
        "fewest_samples": found.fewest,
        "base": _side(found.base),
        "new": _side(found.new),
        "only_in_base": list(found.only_base),
        "only_in_new": list(found.only_new),
        "differing": {
            key: [found.base.conditions.get(key), found.new.conditions.get(key)]
            for key in found.differing
        },
        "notes": list(found.notes),
        "lanes": [_lane(lane) for lane in found.lanes],
    }


def _side(side: Side) -> Json:
    return {
        "name": side.name,
        "runs": list(side.runs),
        "left_out": [{"run": one.run, "because": one.because} for one in side.left_out],
    }


def _lane(lane: LaneRows) -> Json:
    return {
        "lane": lane.lane,
        "base": _lane_of_side(lane.base),
        "new": _lane_of_side(lane.new),
        "measures": {row.measure.name: _row(row) for row in lane.rows},
    }


def _lane_of_side(lane: LaneOfSide) -> Json:
    return {
        "policy": lane.policy,
        "describe": lane.describe,
        "samples": len(lane.samples),
        "left_out": lane.unsettled,
    }


def _row(row: Row) -> Json:
    found = row.difference
    return {
        "unit": row.measure.unit.value,
        "better": row.measure.better.value,
        "verdict": row.verdict.value,
        "p": row.p_value,
        "p_uncorrected": found and found.p_value,
        "chance_that_new_is_less": found and found.superiority,
        "difference": found and _amount(found.shift),
        "interval": found and found.interval and [_amount(end) for end in found.interval],
        "samples_needed": row.needed,
        "base": _taken(row.base) | {"summary": found and summary(found.base)},
        "new": _taken(row.new) | {"summary": found and summary(found.new)},
    }


def _taken(taken: Taken) -> Json:
    return {"measured": taken.measured, "missing": taken.missing, "late": taken.late}


def _amount(value: Value | None) -> float | None:
    return None if value is None else value.amount


def _short(value: object) -> object:
    """Floats to nine digits, so that 0.1 · 3 reads 0.3; everything else as it is."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value]
    return value
