"""Folds many runs into a `Study`: which are under one condition, and what each lane had in all."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reports.folding.conditions import conditions_of, differences, key_of, labels, names_tell, size
from reports.measuring.catalogue import SETTLED
from reports.measuring.distribution import distribution_of
from reports.measuring.drawing import around
from reports.measuring.recovery import Recovery
from reports.measuring.sampling import Sampled, SampledRun
from reports.several.naming import LaneId, lane_id, titles_of
from reports.several.reading import sampled_run
from reports.several.study import Condition, StudiedLane, Study, StudyRun
from reports.statistics.survival import curve
from reports.summary import Report
from reports.text import clipped

MAX_CONDITIONS = 24
CAPACITY_SPREAD = 1.01
LONGEST = 40
"""Of a scenario's name, which stands over a column."""
BEFORE_S = 5.0
"""So much before the trigger is drawn."""


class StudyError(ValueError):
    """Runs of which no study can be made."""


Drawings = dict[tuple[str, LaneId], tuple[str, Recovery]]
"""Of a lane under a condition: from which run, and what is drawn of it."""


def study_of(reports: Iterable[Report]) -> Study:
    """Of the reports of at least one run, of each of which only figures are kept.

    But for those lanes that are drawn: the first of each under each condition. Raises `StudyError`.
    """
    runs: list[SampledRun] = []
    drawings: Drawings = {}
    for report in reports:
        run = sampled_run(report.run.id, report)
        runs.append(run)
        if run.valid:
            key = key_of(report.run.source, report.run.scenario)
            for lane, drawn in zip(run.lanes, report.policies, strict=True):
                if (key, lane_id(lane)) not in drawings:
                    drawings[key, lane_id(lane)] = report.run.id, _around_trigger(drawn)
    return studied(runs, drawings)


def _around_trigger(lane: Recovery) -> Recovery:
    """With what is drawn from shortly before the trigger on: an hour before it takes much room."""
    length_s = lane.trigger.length_s if lane.trigger else 0.0
    return replace(lane, drawn=around(lane.drawn, -length_s - BEFORE_S, math.inf), episodes=())


def studied(
    runs: Sequence[SampledRun],
    drawings: Drawings | None = None,
    *,
    planned: int | None = None,
    notes: tuple[str, ...] = (),
) -> Study:
    """Of at least one run; none is counted twice. Raises `StudyError`."""
    groups: dict[str, list[StudyRun]] = {}
    for run in _each_once(runs):
        groups.setdefault(key_of(run.run.source, run.run.scenario), []).append(run)
    if len(groups) > MAX_CONDITIONS:
        raise StudyError(
            f"these runs were made under {len(groups):,} conditions, which differ in "
            f"{', '.join(_differences(groups)[:4])}: at most {MAX_CONDITIONS} are put side by side"
        )
    keys = _differences(groups)
    told = {key: _conditions(each) for key, each in groups.items()}
    ordered = sorted(groups, key=lambda key: [size(told[key].get(one)) for one in keys])
    names = [{clipped(run.run.name, LONGEST) for run in groups[key]} for key in ordered]
    named = names_tell(names)
    called = [*map(min, names)] if named else labels([told[key] for key in ordered])
    titles = titles_of((lane, run.run.scenario) for run in runs for lane in run.lanes)
    conditions = tuple(
        Condition(
            label=name if len(ordered) > 1 else "",
            differs={one: told[key].get(one, "") for one in keys},
            runs=tuple(groups[key]),
            lanes=tuple(_lanes(key, groups[key], titles, drawings or {})),
            notes=tuple(_notes(groups[key])),
            named=named,
        )
        for key, name in zip(ordered, called, strict=True)
    )
    return Study(conditions, len(runs) if planned is None else planned, notes)


def _conditions(runs: Sequence[StudyRun]) -> dict[str, str]:
    return conditions_of(runs[0].run.source, runs[0].run.scenario)


def _differences(groups: Mapping[str, Sequence[StudyRun]]) -> list[str]:
    return differences([_conditions(runs) for runs in groups.values()])


def _each_once(runs: Sequence[SampledRun]) -> Iterator[StudyRun]:
    """A copy of a run is no second run: chance would look like a rule."""
    seen = set()
    for run in runs:
        because = run.invalid_because
        if run.valid and run.run.origin in seen:
            because = (f"it is the same run as another {run.run.id}",)
        elif run.valid:
            seen.add(run.run.origin)
        yield StudyRun(run.run, because, run.lanes)


def _lanes(
    key: str,
    runs: Sequence[StudyRun],
    titles: Mapping[LaneId, str],
    drawings: Drawings,
) -> Iterator[StudiedLane]:
    present = {lane_id(lane) for run in runs for lane in run.lanes}
    found: dict[LaneId, list[Sampled]] = {own: [] for own in titles}
    for run in runs:
        for lane in run.lanes if run.counts else ():
            found[lane_id(lane)].append(lane)
    for own, each in found.items():
        if any(lane.samples for lane in each):
            drawn_from, drawn = drawings.get((key, own), ("", None))
            yield replace(_studied(titles[own], each), drawn=drawn, drawn_from=drawn_from)
        else:
            yield StudiedLane(titles[own], own[2], None, present=own in present)


def _studied(title: str, each: Sequence[Sampled]) -> StudiedLane:
    samples = [one for lane in each for one in lane.samples]
    settled = [value for one in samples if (value := SETTLED.of(one)) is not None]
    return StudiedLane(
        title=title,
        describe=each[0].describe,
        distribution=distribution_of(
            title, [lane.samples for lane in each], sum(lane.left_out for lane in each)
        ),
        present=True,
        disturbed=bool(settled),
        settled_by=curve(settled) if settled else (),
        watched_s=max((one.after.observed_s for one in samples if one.after), default=0.0),
        unanswered=sum(one.unanswered for one in samples),
    )


def _notes(runs: Sequence[StudyRun]) -> Iterator[str]:
    """What the scenario does not say: the service was another."""
    rates = [
        one.capacity_per_s for r in runs if r.counts for lane in r.lanes for one in lane.samples
    ]
    if rates and max(rates) > CAPACITY_SPREAD * min(rates):
        yield (
            f"The capacity before the disturbance was from {min(rates):,.0f}/s to "
            f"{max(rates):,.0f}/s: their figures are of services that differ."
        )
