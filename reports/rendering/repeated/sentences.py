"""The run in sentences, where a trigger was repeated. A name stands between backticks."""

from collections.abc import Iterator

from reports.measuring.catalogue import SETTLED, TIMES_TRIGGER
from reports.measuring.distribution import Distribution
from reports.measuring.recovery import Aftermath, Episode, Recovery
from reports.rendering import lane_remarks, spreads, triggers, words
from reports.summary import Report

EARLY = "began before it was over the one before"
"""Of a trigger that is no sample."""


def headline(report: Report) -> str:
    """One sentence: what the slowest lane did, over all."""
    worst = next(one for one in report.distributions if one.lane == report.worst)
    lane = lane_of(worst, report)
    each = repetitions(worst, lane)
    over = f"Over {each} `{worst.title}`"
    if worst.lost:
        left_out = f", and {worst.left_out} {EARLY}" if worst.left_out else ""
        return f"{over} did not recover in {worst.lost} {_watched(lane)}{left_out}."
    if not any(after.stormed for one in report.distributions for after in _afters(one)):
        return f"Load was back under capacity as soon as each of {each} was over."
    times = f": {spreads.median(TIMES_TRIGGER, worst)} {_length(lane)}"
    return f"{over} {spreads.settled_within(worst)}{times}."


def runner_up(report: Report) -> str | None:
    """Which lane recovered best; `None` when nothing tells the lanes apart."""
    if report.best is None:
        return None
    best = next(one for one in report.distributions if one.lane == report.best)
    lane = lane_of(best, report)
    how = spreads.settled_within(best)
    return f"`{best.title}` recovered best: it {how}{lane_remarks.with_failed(lane)}."


def remarks(report: Report) -> Iterator[str]:
    """What the tables have no room for: relapses, an operator's help, and too few samples."""
    for found in report.distributions:
        relapsed = [len(after.relapses) for after in _afters(found)]
        if any(relapsed):
            times = sum(count > 0 for count in relapsed)
            yield (
                f"`{found.title}`: it relapsed in {times} of {len(relapsed)}, at worst "
                f"{_often(max(relapsed))}."
            )
    if few := spreads.too_few(report.distributions):
        yield few


def repetitions(found: Distribution, lane: Recovery) -> str:
    """``10 dips of 2.0 s``, ``10 times 5.0 s of errors``: what was repeated, and is over."""
    trigger, many = lane.trigger, len(found.samples) + found.left_out
    if trigger is None:
        return f"{many} disturbances"
    what = triggers.several(trigger.type, words.seconds(trigger.length_s))
    if many == 1:
        return triggers.trigger(trigger)
    if trigger.together > 1:
        return f"{many} times {triggers.trigger(trigger)}".replace(", ", " of ")
    return f"{many} {'' if trigger.type in triggers.LENGTHS else 'times '}{what}"


def lane_of(found: Distribution, report: Report) -> Recovery:
    """The lane as a whole."""
    return next(lane for lane in report.policies if lane.lane == found.lane)


def note_on(episode: Episode) -> str:
    """Why a trigger is no sample, or of what it is one; empty of an ordinary one."""
    if episode.began_unsettled:
        return EARLY
    return f"{episode.together} together" if episode.together > 1 else ""


def described(found: Distribution, lane: Recovery) -> str:
    """The charts of a lane in words, for those who do not see them."""
    lost = f", {spreads.not_recovered(found)}" if found.lost else ""
    return (
        f"Offered load of {words.name(lane)} over {repetitions(found, lane)}: peak "
        f"{words.rate(lane.peak_per_s)}, capacity {words.rate(lane.capacity_per_s)}; "
        f"settled after a median of {spreads.median(SETTLED, found)}{lost}."
    )


def _watched(lane: Recovery) -> str:
    """Until when those that did not recover were watched."""
    lost = [one for one in lane.episodes if one.figures.after and not one.figures.after.recovered]
    return "before the next began" if all(one.cut_by_next for one in lost) else "while watched"


def _length(lane: Recovery) -> str:
    return triggers.length_of(lane.trigger) if lane.trigger else "the trigger"


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def _afters(found: Distribution) -> list[Aftermath]:
    return [one.after for one in found.samples if one.after]
