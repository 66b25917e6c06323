"""The triggers of a lane one by one: each is a case of its own, if it met a steady state."""

from collections.abc import Iterator
from dataclasses import replace

from reports.folding.phases import Phases, find_episodes
from reports.folding.view import View
from reports.folding.windows import HOLD_S
from reports.measuring.figures import figures_of
from reports.measuring.recovery import Aftermath, Episode, Figures

ROUNDING_S = 1e-6


def episodes_of(view: View, whole: Figures) -> tuple[Episode, ...]:
    """The lane's triggers in the order of time. `whole` is what was measured over the run.

    Where there is one trigger only, its figures are those of the run.
    """
    each = find_episodes(view.record, view.lane.lane)
    if len(each) == 1:
        only = each[0]
        return (Episode(1, len(only.disturbances), False, False, whole),)
    measured = [
        figures_of(
            replace(
                view,
                phases=phases,
                span_s=(phases.begin_s, phases.end_s),
                going_on=view.going_on and phases is each[-1],
            )
        )
        for phases in each
    ]
    return tuple(_numbered(each, measured))


def _numbered(each: tuple[Phases, ...], measured: list[Figures]) -> Iterator[Episode]:
    unsettled = False
    for number, (phases, figures) in enumerate(zip(each, measured, strict=True), 1):
        last = number == len(each)
        yield Episode(number, len(phases.disturbances), unsettled, not last, figures)
        unsettled = figures.after is not None and not _is_calm_at_end(figures.after)


def _is_calm_at_end(after: Aftermath) -> bool:
    """Whether the lane had recovered, and had been calm for the hold when it was last watched.

    A relapse is a storm of its own, and over by the same rule.
    """
    last_s = max((wave.end_s for wave in after.relapses), default=0.0)
    return after.recovered and last_s <= after.observed_s - HOLD_S + ROUNDING_S
