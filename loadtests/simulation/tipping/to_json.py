"""The answer as `tipping-point.json`: plain values, for other programs."""

import json

from loadtests.simulation.tipping.answer import Answers, LaneAnswer
from loadtests.simulation.tipping.finding import Point
from loadtests.simulation.tipping.remarks import remarks
from loadtests.simulation.tipping.sentences import sentence

JSON_NAME = "tipping-point.json"
SCHEMA = 1


def to_json(answers: Answers) -> str:
    """All of it, with a line at the end."""
    found = {
        "schema": SCHEMA,
        "scenario": answers.name,
        "source": answers.source,
        "along": answers.path,
        "range": answers.range_text,
        "confidence": answers.confidence,
        "most_runs": answers.most_runs,
        "engines": list(answers.engines),
        "interrupted": answers.interrupted,
        "lanes": [_lane(answer, answers) for answer in answers.lanes],
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _lane(answer: LaneAnswer, answers: Answers) -> dict[str, object]:
    found = answer.finding
    return {
        "lane": answer.lane,
        "policy": answer.policy,
        "verdict": found.verdict.value,
        "sentence": sentence(answer, answers),
        "recovers_at": _value(answer, found.lower),
        "does_not_at": _value(answer, found.upper),
        "larger_is_worse": found.rising,
        "half_recover_at": None if found.estimate is None else round(found.estimate, 6),
        "unit": answer.range.unit,
        "as_fine_as_the_range": found.fine,
        "runs": found.runs,
        "observed_s": round(answer.observed_s, 6),
        "remarks": list(remarks(answer, answers)),
        "points": [_point(point, answer) for point in found.points],
    }


def _value(answer: LaneAnswer, place: int | None) -> str | None:
    return None if place is None else answer.range.values[place]


def _point(point: Point, answer: LaneAnswer) -> dict[str, object]:
    seen = answer.watched[point.place]
    return {
        "value": answer.range.values[point.place],
        "size": answer.range.sizes[point.place],
        "runs": point.tally.runs,
        "recovered": point.tally.recovered,
        "share_low": round(point.share.low, 6),
        "share_high": round(point.share.high, 6),
        "answer": point.answer.value if point.answer else None,
        "latest_recovery_s": round(seen.latest_s, 6) if point.tally.recovered else None,
    }
