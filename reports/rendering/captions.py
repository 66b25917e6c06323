"""Captions that can stand alone: what was run, what disturbed it, what came of it.

Of what is drawn of a run nothing else need be at hand. Every figure is one of the tables.
"""

from collections.abc import Iterable, Iterator

from reports.measuring.catalogue import FAILED, TIMES_TRIGGER, brief_of
from reports.measuring.distribution import Distribution
from reports.measuring.downsampling import MOST
from reports.measuring.measure import Measure, Part
from reports.measuring.recovery import Figures, Recovery
from reports.rendering import cells, lingering, outcomes, sentences, spreads, triggers, words
from reports.summary import Report
from reports.text import clipped

LANE_TICKS, SHEET_TICKS = MOST, MOST // 2
"""How many ticks a picture draws of a lane."""
MOST_WORDS = 400
"""Letters that a policy is described in."""
_THINNED = "Of so long a run each column shows its highest and its lowest tick."
_SURE = "their 95% interval, of this run alone: other runs may differ by more"
_OVER = f"Figures are medians over the repetitions, in brackets {_SURE}."


def of_lane(policy: Recovery, report: Report) -> str:
    """The caption of the picture of one lane."""
    how = f" ({clipped(policy.describe, MOST_WORDS)})" if policy.describe else ""
    what = f"Offered load of {words.name(policy)}{how}"
    against = f"against a capacity of {words.rate(policy.capacity_per_s)}"
    came = (*_thinned([policy], LANE_TICKS), *_came(policy, report))
    return " ".join((f"{what} {against}.", *came, *_run(report)))


def of_sheet(report: Report) -> str:
    """The caption of the sheet of all lanes."""
    lanes = len(report.policies)
    what = "Offered load against capacity, all lanes to one scale" if lanes > 1 else "Offered load"
    each = f" {_OVER}" if report.distributions else ""
    came = (*_thinned(report.policies, SHEET_TICKS), *_headlines(report))
    return " ".join((f"{what}.{each}", *came, *_run(report)))


def figures(policy: Recovery, report: Report) -> str:
    """``first fit 2.4 s, settled 3.8 s, …``: what was measured of a lane, in a line."""
    found, measures = distribution(policy, report), brief_of(Part.RECOVERY, Part.COST)
    if found is None:
        told = [_figure(one, policy, report) for one in measures]
    else:
        told = [_spread(one, found, report) for one in measures]
    return ", ".join(one for one in told if not one.endswith(words.NOT_MEASURED))


def distribution(policy: Recovery, report: Report) -> Distribution | None:
    """That of this lane, where its trigger was repeated."""
    return next((found for found in report.distributions if found.lane == policy.lane), None)


def disturbed_by(found: Figures) -> str:
    """``a 2.0 s dip to 20/s``: what a lane's trigger was, in full."""
    trigger = found.trigger
    if trigger is None:
        return "nothing"
    left = trigger.capacity_per_s
    to = " to" if trigger.together == 1 else ", down to"
    depth = "" if left is None else f"{to} {words.rate(left)}"
    return f"{triggers.trigger(trigger)}{depth}"


def validity(report: Report) -> str:
    """``Valid.``; or that it is not, and why."""
    if report.valid:
        return f"Valid{' so far' if report.going_on else ''}."
    return f"NOT VALID: {'; '.join(map(quoted, report.invalid_because))}."


def quoted(sentence: str) -> str:
    """A sentence whose names stand between backticks, with quotation marks for those."""
    parts = sentence.split("`")
    return "".join(f"“{part}”" if place % 2 else part for place, part in enumerate(parts))


def _thinned(lanes: Iterable[Recovery], most: int) -> Iterator[str]:
    if any(one.drawn.t_s.size > most for one in lanes):
        yield _THINNED


def _came(policy: Recovery, report: Report) -> Iterator[str]:
    """What disturbed the lane, and what came of it."""
    found = distribution(policy, report)
    told = figures(policy, report)
    if policy.trigger is None:
        yield f"Nothing disturbed it: {told}."
    elif found is None:
        yield f"After {disturbed_by(policy)}: {told}."
    else:
        lost = spreads.not_recovered(found) or "recovered each time"
        yield (
            f"Over {len(found.samples)} times {disturbed_by(policy)}, {_sure(found)}: "
            f"{told}; {lost}."
        )
        if found.left_out:
            yield f"{found.left_out} more began before the one before was over."
    if policy.after and policy.after.starved:
        yield f"Its load fitted in capacity, and goodput was {outcomes.goodput_back(policy)}."
    if went_on := lingering.under_picture(policy, found):
        yield went_on
    if policy.helped_by and policy.after and policy.after.recovered:
        yield "It settled after an operator had intervened, and not by itself."


def _sure(found: Distribution) -> str:
    sure = any(summary.interval for summary in found.summaries.values())
    return (
        "median and its 95% interval (of this run alone)"
        if sure
        else "median, of too few for an interval"
    )


def _headlines(report: Report) -> Iterator[str]:
    said = (
        sentences.headline(report),
        sentences.runner_up(report),
        lingering.under_sheet(report.policies, report.distributions),
        sentences.unanswered(report),
    )
    yield from (quoted(one) for one in said if one)


def _run(report: Report) -> Iterator[str]:
    run, name = report.run, clipped(report.run.name)
    if simulated := sentences.simulated(report):
        yield f"Scenario {name}. {simulated}"
    else:
        made = words.started(run.started_epoch_s)
        yield f"Run {run.id} of the scenario {name}, {made}, seed {run.seed}."
    yield validity(report)
    if version := run.versions.get("aftershock"):
        yield f"Aftershock {version}."


def _figure(measure: Measure, policy: Recovery, report: Report) -> str:
    found = cells.cell(measure, policy)
    told = f"{cells.title(measure, report)} {found}"
    if measure is TIMES_TRIGGER and policy.trigger and found != words.NOT_MEASURED:
        told = f"{found} {triggers.length_of(policy.trigger)}"
    if measure is FAILED and found != words.NOT_MEASURED:
        told += f" of {words.count(policy.requests)} requests"
    return told.replace("settled not recovered", "not recovered")


def _spread(measure: Measure, found: Distribution, report: Report) -> str:
    told = (spreads.median(measure, found), spreads.interval(measure, found))
    return f"{cells.title(measure, report)} {' '.join(one for one in told if one)}"
