"""The advice as JSON: all figures of all candidates."""

import json
import math

from loadtests.simulation.advising.advice import Advice, conditions, limit_line
from loadtests.simulation.advising.figures import Spread, Standing
from loadtests.simulation.advising.ranking import Ranked

SCHEMA = 1


def to_json(advice: Advice) -> str:
    """Indented; a time that was not seen is null."""
    values = {
        "schema": SCHEMA,
        "source": "simulated",
        "interrupted": advice.interrupted,
        "engines": advice.engines,
        "runs": advice.question.runs,
        "seed": advice.scenario.seed,
        "limit_unserved_share": advice.limit.share,
        "limit_asked": advice.limit.asked,
        "advice": [sentence.replace("`", "") for sentence in advice.sentences],
        "limit": limit_line(advice),
        "conditions": conditions(advice),
        "verify": list(advice.commands),
        "candidates": [_ranked(one) for one in advice.ranked],
        "service_changes": [_standing(one) for one in advice.service],
        "left_out": dict(advice.left_out),
        "scenario": advice.scenario.model_dump(mode="json", by_alias=True),
    }
    return json.dumps(values, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def _ranked(one: Ranked) -> dict[str, object]:
    return {
        "place": one.place,
        "within_limit": one.within,
        "on_front": one.front,
        **_standing(one.standing),
    }


def _standing(one: Standing) -> dict[str, object]:
    candidate = one.candidate
    return {
        "name": one.name,
        "kind": candidate.kind.value,
        "change": candidate.change.replace("`", ""),
        "of": candidate.of,
        "engine": one.engine,
        "policy": candidate.choice.model_dump(mode="json", by_alias=True),
        "runs": one.runs,
        "recovered": one.recovered,
        "settled_s": _spread(one.settled),
        "unserved_share": _spread(one.unserved),
        "goodput_back_s": _known(one.goodput.median),
        "peak_per_s": one.peak_per_s,
        "amplification": one.amplification,
        "observed_s": one.observed_s,
    }


def _spread(found: Spread) -> dict[str, float | None]:
    return {
        "median": _known(found.median),
        "low": _known(found.low),
        "high": _known(found.high),
    }


def _known(value: float) -> float | None:
    return round(value, 9) if math.isfinite(value) else None
