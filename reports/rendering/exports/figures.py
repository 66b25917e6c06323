"""What was measured, what happened, and how the instrument did, as frames."""

from collections.abc import Iterator

import polars as pl

from reports.folding.histogram import upper_quantile
from reports.measuring.catalogue import MEASURES
from reports.measuring.distribution import Distribution
from reports.measuring.recovery import Episode, Figures, Recovery
from reports.reading.series import RunRecord
from reports.record import Action, Fault, Health
from reports.rendering import columns
from reports.statistics.value import Value
from reports.summary import Report

Row = dict[str, str | float | int | bool | None]
Schema = dict[str, type[pl.DataType]]

LANE: Schema = {columns.LANE: pl.String, "policy": pl.String, "title": pl.String}
MEASURED: Schema = {
    "trigger": pl.String,
    "trigger_start_s": pl.Float64,
    "trigger_end_s": pl.Float64,
    "observed_s": pl.Float64,
    "recovered": pl.Boolean,
    **{measure.name: pl.Float64 for measure in MEASURES},
    "load_settled_s": pl.Float64,
}
_MEASURES: Schema = {
    **LANE,
    "episode": pl.Int64,
    "began_unsettled": pl.Boolean,
    "cut_by_next": pl.Boolean,
    **MEASURED,
}
_POINTS = ("least", "p05", "median", "p95", "most", "interval_low", "interval_high")
DISTRIBUTED: Schema = {
    **LANE,
    "measure": pl.String,
    "samples": pl.Int64,
    "late": pl.Int64,
    "left_out": pl.Int64,
    **{name: pl.Float64 for point in _POINTS for name in (point, f"{point}_beyond")},
}
_HAPPENED: Schema = {
    "kind": pl.String,
    "type": pl.String,
    "id": pl.String,
    "start_s": pl.Float64,
    "end_s": pl.Float64,
    "lanes": pl.String,
    "capacity": pl.String,
    "shape": pl.String,
    "text": pl.String,
}
_HEALTH: Schema = {
    columns.TIME: pl.Float64,
    "source": pl.String,
    "worker": pl.String,
    "cpu_share": pl.Float64,
    "late_p99_ms": pl.Float64,
    "late_max_ms": pl.Float64,
}


def measures(report: Report) -> pl.DataFrame:
    """A row a lane over the run, without an episode's number, and one for each of its episodes.

    A moment that had not come about by `observed_s` is null, as is what cannot be measured.
    """
    rows = [row for policy in report.policies for row in _measured(policy)]
    return pl.DataFrame(rows, schema=_MEASURES)


def _measured(policy: Recovery) -> Iterator[Row]:
    yield _row(policy, policy, None)
    for episode in policy.episodes:
        yield _row(policy, episode.figures, episode)


def _row(policy: Recovery, figures: Figures, episode: Episode | None) -> Row:
    return {
        columns.LANE: policy.lane,
        "policy": policy.policy,
        "title": policy.title,
        "episode": episode.number if episode else None,
        "began_unsettled": episode.began_unsettled if episode else None,
        "cut_by_next": episode.cut_by_next if episode else None,
        **measured(figures),
    }


def measured(figures: Figures) -> Row:
    """What disturbed a lane, and every measure of it: the columns `MEASURED`."""
    trigger, after = figures.trigger, figures.after
    return {
        "trigger": trigger.type if trigger else None,
        "trigger_start_s": round(trigger.start_s, 6) if trigger else None,
        "trigger_end_s": round(trigger.end_s, 6) if trigger else None,
        "observed_s": after.observed_s if after else None,
        "recovered": after.recovered if after else None,
        **{measure.name: _number(measure.plain(figures)) for measure in MEASURES},
        "load_settled_s": _number(after.settled_s if after else None),
    }


def _number(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


def distributions(report: Report) -> pl.DataFrame:
    """A row a lane and measure, where a trigger was repeated.

    A figure that had not come about is null, and in `…_beyond` stands how long it was watched.
    """
    rows = [row for found in report.distributions for row in distributed(found)]
    return pl.DataFrame(rows, schema=DISTRIBUTED)


def distributed(found: Distribution) -> Iterator[Row]:
    """A row a measure: the columns `DISTRIBUTED`."""
    for name, summary in found.summaries.items():
        low, high = summary.interval or (None, None)
        values = (summary.least, summary.p05, summary.median, summary.p95, summary.most)
        yield {
            columns.LANE: found.lane,
            "policy": found.policy,
            "title": found.title,
            "measure": name,
            "samples": summary.n,
            "late": summary.late,
            "left_out": found.left_out,
            **{
                column: number
                for point, value in zip(_POINTS, (*values, low, high), strict=True)
                for column, number in _point(point, value)
            },
        }


def _point(name: str, value: Value | None) -> Iterator[tuple[str, float | None]]:
    amount = None if value is None else round(value.amount, 6)
    late = value is not None and value.late
    yield name, None if late else amount
    yield f"{name}_beyond", amount if late else None


def happened(report: Report) -> pl.DataFrame:
    """Every disturbance and every action of an operator; `lanes` is null where it was all."""
    return pl.DataFrame([_span(span) for span in report.happened], schema=_HAPPENED)


def _span(span: Fault | Action) -> Row:
    fault = span if isinstance(span, Fault) else None
    return {
        "kind": span.kind,
        "type": span.type,
        "id": span.id,
        "start_s": round(span.start_s, 6),
        "end_s": round(span.end_s, 6),
        "lanes": None if span.lanes is None else "; ".join(span.lanes),
        "capacity": fault.capacity if fault else None,
        "shape": fault.shape if fault else None,
        "text": span.text,
    }


def health(record: RunRecord) -> pl.DataFrame:
    """A row a second and process of the instrument."""
    return pl.DataFrame([_second(line) for line in record.health], schema=_HEALTH)


def _second(line: Health) -> Row:
    return {
        columns.TIME: round(line.t_s, 6),
        "source": line.source,
        "worker": line.worker,
        "cpu_share": line.cpu,
        "late_p99_ms": _late_ms(upper_quantile(line.late, 0.99)),
        "late_max_ms": _late_ms(upper_quantile(line.late, 1.0)),
    }


def _late_ms(tenths: float | None) -> float | None:
    """Lateness is recorded in tenths of a millisecond."""
    return None if tenths is None else round(tenths / 10, 2)
