"""What several runs say together, as frames: every sample, and how each measure is distributed."""

from collections.abc import Iterator

import polars as pl

from reports.rendering import columns
from reports.rendering.exports import figures
from reports.rendering.exports.figures import Row, Schema
from reports.several.study import Study

_CONDITION: Schema = {"condition": pl.String}
_MEASURES: Schema = {
    **_CONDITION,
    "run": pl.String,
    "seed": pl.Int64,
    "counts": pl.Boolean,
    **figures.LANE,
    "sample": pl.Int64,
    **figures.MEASURED,
}


def measures(study: Study) -> pl.DataFrame:
    """A row a run, lane and sample; `counts` is false for those of a run that is left out."""
    return pl.DataFrame(list(_measured(study)), schema=_MEASURES)


def _measured(study: Study) -> Iterator[Row]:
    for condition in study.conditions:
        for one in condition.runs:
            for lane in one.lanes:
                for number, sample in enumerate(lane.samples, 1):
                    yield {
                        "condition": condition.label,
                        "run": one.run.id,
                        "seed": one.run.seed,
                        "counts": one.counts,
                        columns.LANE: lane.lane,
                        "policy": lane.policy,
                        "title": lane.title,
                        "sample": number,
                        **figures.measured(sample),
                    }


def distributions(study: Study) -> pl.DataFrame:
    """A row a condition, lane and measure."""
    rows = [
        {"condition": condition.label, **row}
        for condition in study.conditions
        for found in condition.distributions
        for row in figures.distributed(found)
    ]
    return pl.DataFrame(rows, schema={**_CONDITION, **figures.DISTRIBUTED})
