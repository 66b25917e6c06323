"""How the measures of a lane are distributed, as JSON: in a report's file and in that of many."""

from reports.measuring.distribution import Distribution
from reports.rendering.json_text import Json, value
from reports.statistics.summary import Summary


def distribution(found: Distribution) -> Json:
    """One lane; its measures by their names, without those that not every sample has."""
    return {
        "title": found.title,
        "lane": found.lane,
        "policy": found.policy,
        "n": len(found.samples),
        "runs": found.runs,
        "left_out": found.left_out,
        "recovered": found.recovered,
        "recovered_interval": list(found.recovered_interval),
        "measures": {name: summary(one) for name, one in found.summaries.items()},
    }


def summary(found: Summary) -> Json:
    """One measure. `interval` is null for fewer samples than it takes."""
    return {
        "n": found.n,
        "late": found.late,
        "median": value(found.median),
        "interval": [value(end) for end in found.interval] if found.interval else None,
        "p05": value(found.p05),
        "p95": value(found.p95),
        "least": value(found.least),
        "most": value(found.most),
    }
