"""A study as JSON: each lane under each condition, and the figures of every run by its seed."""

import json
from collections.abc import Iterator
from importlib.metadata import version

from reports.measuring.catalogue import MEASURES
from reports.measuring.recovery import Figures
from reports.measuring.sampling import Sampled
from reports.rendering import spreads
from reports.rendering.distribution_json import distribution
from reports.rendering.json_text import Json, rounded, to_the_microsecond
from reports.several.paths import DISTRIBUTION
from reports.several.study import Condition, Placed, Study, StudyRun

SCHEMA = 2
CONFIDENCE = 0.95
JSON_NAME = DISTRIBUTION


def to_json(study: Study) -> str:
    """Times in seconds, to the microsecond; null for what did not come about.

    The same runs give the same text.
    """
    return "".join(_parts(study))


def _parts(study: Study) -> Iterator[str]:
    runs = study.runs
    names = {one.run.name for one in runs}
    plain: Json = {
        "schema": SCHEMA,
        "name": names.pop() if len(names) == 1 else None,
        "valid": study.valid,
        "versions": {"aftershock": version("aftershock")},
        "planned": study.planned,
        "done": len(runs),
        "left_out": sum(not one.counts for one in runs),
        "confidence": CONFIDENCE,
        "method": spreads.METHOD,
        "notes": list(study.notes),
        "worst": _placed(study.worst),
        "best": _placed(study.best),
    }
    yield "{\n"
    for name, value in plain.items():
        yield f"{json.dumps(name)}: {_line(value)},\n"
    yield from _list("conditions", map(_condition, study.conditions))
    yield ",\n"
    yield from _list("runs", _each_run(study))
    yield ",\n"
    scenarios = (each.runs[0].run.scenario for each in study.conditions)
    yield from _list("scenarios", map(dict, scenarios))
    yield "\n}\n"


def _list(name: str, values: Iterator[Json]) -> Iterator[str]:
    """A line for each member, so that a run is found by its seed with grep."""
    yield f"{json.dumps(name)}: [\n"
    for place, value in enumerate(values):
        yield f"{',' if place else ''}{_line(value)}\n"
    yield "]"


def _line(value: object) -> str:
    return json.dumps(rounded(value, _short), allow_nan=False)


def _placed(found: Placed | None) -> Json | None:
    return {"condition": found.number, "title": found.lane.title} if found else None


def _condition(condition: Condition) -> Json:
    return {
        "label": condition.label,
        "differs": dict(condition.differs),
        "runs": len(condition.runs),
        "left_out": len(condition.left_out),
        "notes": list(condition.notes),
        "lanes": [
            {
                **distribution(lane.distribution),
                "disturbed": lane.disturbed,
                "observed_s": lane.watched_s,
                "unanswered": lane.unanswered,
            }
            for lane in condition.lanes
            if lane.distribution
        ],
    }


def _each_run(study: Study) -> Iterator[Json]:
    for number, condition in enumerate(study.conditions):
        for run in condition.runs:
            yield _run(number, run)


def _run(condition: int, run: StudyRun) -> Json:
    made = run.run
    return {
        "condition": condition,
        "id": made.id,
        "seed": made.seed,
        "source": made.source,
        "engine": made.versions.get("engine"),
        "left_out_because": list(run.left_out_because),
        "lanes": [_lane(lane) for lane in run.lanes],
    }


def _lane(lane: Sampled) -> Json:
    return {
        "lane": lane.lane,
        "policy": lane.policy,
        "left_out": lane.left_out,
        "samples": [_sample(one) for one in lane.samples],
    }


def _sample(figures: Figures) -> Json:
    after = figures.after
    return {
        "recovered": after and after.recovered,
        "observed_s": after and after.observed_s,
        **{measure.name: measure.plain(figures) for measure in MEASURES},
        "load_settled_s": after and after.settled_s,
        "overdue": figures.overdue,
    }


def _short(number: float) -> float:
    """A file of many runs is long."""
    return int(number) if number.is_integer() else to_the_microsecond(number)
