"""The distribution as JSON: the summary of each lane, and the figures of every run by its seed."""

import json
import math
from dataclasses import asdict
from importlib.metadata import version

from loadtests.simulation.distribution.ranks import CONFIDENCE
from loadtests.simulation.distribution.summary import Distribution, LaneDistribution, Run, Spread

SCHEMA = 1
JSON_NAME = "distribution.json"


def to_json(found: Distribution) -> str:
    """Times in seconds; null for what did not come about while it was watched.

    The same scenario, engine and seeds give the same text.
    """
    values = {
        "schema": SCHEMA,
        "name": found.name,
        "engine": found.chosen.engine.value,
        "versions": {"aftershock": version("aftershock")},
        "planned": found.planned,
        "done": len(found.runs),
        "invalid": len(found.invalid),
        "confidence": CONFIDENCE,
        "lanes": [_lane(lane) for lane in found.lanes],
        "runs": [_run(run) for run in found.runs],
        "scenario": found.scenario,
    }
    parts = [f"{json.dumps(name)}: {_lines(value)}" for name, value in values.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(value: object) -> str:
    """A list has a line for each member, so that a run is found by its seed with grep."""
    if not isinstance(value, list):
        return json.dumps(value, allow_nan=False)
    return "[\n" + ",\n".join(json.dumps(one, allow_nan=False) for one in value) + "\n]"


def _lane(lane: LaneDistribution) -> dict[str, object]:
    return {
        "lane": lane.lane,
        "policy": lane.policy,
        "observed_s": _number(lane.observed_s),
        "recovered": {
            "runs": lane.recovered,
            "share": _number(lane.recovered_share),
            "interval": [_number(bound) for bound in lane.recovered_interval],
        },
        "figures": {name: _spread(spread) for name, spread in lane.spreads.items()},
    }


def _spread(spread: Spread) -> dict[str, object]:
    told: dict[str, object] = {
        name: _number(getattr(spread, name)) for name in ("p01", "p05", "median", "p95", "p99")
    }
    interval = spread.interval
    return {**told, "interval": [_number(bound) for bound in interval] if interval else None}


def _run(run: Run) -> dict[str, object]:
    lanes = [
        {name: _plain(value) for name, value in asdict(measured).items()} for measured in run.lanes
    ]
    return {"seed": run.seed, "invalid_because": list(run.invalid_because), "lanes": lanes}


def _plain(value: object) -> object:
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> float | None:
    """To the microsecond, as in a record."""
    return None if math.isinf(value) else round(value, 6)
