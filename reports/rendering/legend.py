"""What the colours in the charts of a run are, for page and pictures alike."""

from collections.abc import Iterator, Sequence

from reports.measuring.recovery import Recovery
from reports.measuring.repeated import relapses
from reports.rendering import layers, triggers
from reports.rendering.repeated.sentences import EARLY
from reports.summary import Report

ON_PAGES = {"predicted", "unsteady"}
"""What pictures do not show."""


def entries(report: Report, lanes: Sequence[Recovery]) -> Iterator[tuple[str, str]]:
    """Kind and title of all that is drawn of these lanes."""
    yield from layers.legend(report.policies)
    yield "capacity", "capacity"
    if report.prediction:
        yield "predicted", "predicted: the median, and the range of 90% of the predictions"
    if any(one.service.blocked for one in lanes):
        yield "through", "let through by the operator"
    if any(one.drawn.faults for one in lanes):
        yield "fault", triggers.band(report)
    if any(one.drawn.actions for one in lanes):
        yield "action", "what an operator did"
    if report.distributions:
        yield "settled", "settled"
        if any(one.lost for one in report.distributions):
            yield "lost", "not recovered"
        if any(one.left_out for one in report.distributions):
            yield "unsteady", EARLY
    if any(one.service.longest_queue for one in lanes):
        yield "queue", "queue, beneath"
    if any(_relapsed(one, report) for one in lanes):
        yield "relapse", "relapse, with the windows that see it"


def _relapsed(lane: Recovery, report: Report) -> bool:
    if report.distributions:
        return bool(relapses(lane))
    return bool(lane.after and lane.after.relapses)
