"""A comparison as JSON: `docs/compare.md` describes it."""

from reports.judging.differences.comparison import Comparison, LaneRows
from reports.judging.differences.row import Row, Taken
from reports.judging.differences.sides import LaneOfSide, Side
from reports.judging.differences.verdicts import LEVEL
from reports.rendering.distribution_json import summary
from reports.rendering.json_text import Json, indented, rounded, to_nine_digits
from reports.statistics.value import Value

SCHEMA = 1


def to_json(found: Comparison) -> str:
    """The whole comparison, indented, with a newline at the end."""
    return indented(rounded(document(found), to_nine_digits))


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
