"""Which tables there are: of a run, and of what several runs say together."""

from reports.reading.series import RunRecord
from reports.rendering.exports import figures, of_study, series
from reports.rendering.exports.writing import Table
from reports.several.study import Study
from reports.summary import Report


def of_run(record: RunRecord, report: Report) -> tuple[Table, ...]:
    """All tables of a run that have anything in them or could have had."""
    found = [
        Table("measures", lambda: [figures.measures(report)]),
        Table("happened", lambda: [figures.happened(report)]),
        Table("health", lambda: [figures.health(record)]),
    ]
    if record.lanes:
        found = [
            Table("ticks", lambda: series.ticks(record)),
            Table("requests", lambda: series.requests(record)),
            Table("failures", lambda: series.failures(record)),
            *found,
        ]
    if record.layers:
        found.append(Table("layers", lambda: series.layers(record)))
    if report.distributions:
        found.append(Table("distributions", lambda: [figures.distributions(report)]))
    return tuple(found)


def of_several(study: Study) -> tuple[Table, ...]:
    """Their figures; the series of each are those of its own record."""
    return (
        Table("measures", lambda: [of_study.measures(study)]),
        Table("distributions", lambda: [of_study.distributions(study)]),
    )
