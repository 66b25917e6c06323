"""The report in sentences: what happened, and what a table of figures does not say.

A name stands between backticks.
"""

from collections.abc import Sequence

from reports.folding.trigger import Trigger
from reports.measuring.recovery import Aftermath, Recovery
from reports.rendering import lane_remarks, lingering, multiplied, triggers, words
from reports.rendering.repeated import sentences as repeated
from reports.summary import Report
from reports.text import noun


def headline(report: Report) -> str:
    """One sentence: what the slowest policy did, after each trigger where one was repeated."""
    if report.distributions:
        return repeated.headline(report)
    worst = None if report.worst is None else report.lane(report.worst)
    if report.going_on and (not_yet := _not_yet(report, worst)):
        return not_yet
    if worst is None or worst.after is None or worst.trigger is None:
        return "No dip was found in this run, so there is no recovery to measure."
    if worst.after.unwatched:
        what = noun(worst.trigger.type) if worst.trigger.together == 1 else "disturbances"
        return (
            f"Nothing was watched after the {what}: the run ended, and there is no recovery to "
            "measure."
        )
    return _outcome(report, worst, worst.after, worst.trigger)


def _not_yet(report: Report, worst: Recovery | None) -> str | None:
    """Of a run that goes on: what has not come about yet, and may."""
    if report.trigger is None:
        return "Nothing has disturbed this run yet."
    if not report.observed_s:
        return f"The {noun(report.trigger.type)} is not over yet."
    after = worst.after if worst else None
    if worst is None or after is None or worst.trigger is None or not after.too_soon:
        return None
    if after.calm_from_s is not None:
        return None  # which has a sentence of its own
    return (
        f"`{words.name(worst)}` has not settled yet, {words.seconds(after.observed_s)} after "
        f"{_over(worst.trigger)}."
    )


def _outcome(report: Report, worst: Recovery, after: Aftermath, found: Trigger) -> str:
    name, trigger, over = f"`{words.name(worst)}`", triggers.trigger(found), _over(found)
    if triggers.named_after(worst):
        trigger, over = "it", "it was over"
    if after.starved:
        return (
            f"{name} had not recovered {words.seconds(after.observed_s)} after {over}: "
            f"its load fitted in capacity, and its requests were not answered all the same."
        )
    if after.calm_from_s is not None:
        return (
            f"{name} was under capacity {words.seconds(after.calm_from_s)} after {over}, "
            f"and not watched long enough to call it settled."
        )
    if after.settled_s is None:
        return f"{name} had not recovered {words.seconds(after.observed_s)} after {over}."
    if not after.stormed:
        each = over if report.alike else "each disturbance was over"
        latest_s = max(p.after.settled_s or 0.0 for p in report.policies if p.after)
        when = f"{words.seconds(latest_s)} after" if latest_s else "as soon as"
        return f"Load was back under capacity {when} {each}."
    return (
        f"{name} kept the service overloaded for {words.seconds(after.settled_s)} "
        f"after {trigger}: {words.times(after.times_trigger)} {triggers.length_of(found)}."
    )


def _over(found: Trigger) -> str:
    """``a 2.0 s dip was over``, ``2 dips, 3.0 s together, were over``."""
    return f"{triggers.trigger(found)}{' was' if found.together == 1 else ', were'} over"


def so_far(report: Report) -> str | None:
    """That the run is not over, and how far it is; `None` for one that is."""
    return f"so far, {report.end_s:.1f} s into a run that goes on" if report.going_on else None


def simulated(report: Report) -> str | None:
    """That nothing was measured, and who played the run instead; `None` for a live one."""
    if not report.run.simulated:
        return None
    engine = report.run.versions.get("engine")
    by = f" by the {engine} engine" if engine else ""
    return f"Simulated{by} in virtual time, with seed {report.run.seed}: no service was loaded."


def runner_up(report: Report) -> str | None:
    """A second sentence: what layers multiplied, which policy recovered best, or up to where.

    `None` when nothing tells the lanes apart.
    """
    if said := multiplied.sentence(report):
        return said
    if report.distributions:
        return repeated.runner_up(report)
    return _tipping_point(report) or _best(report)


def _best(report: Report) -> str | None:
    best = None if report.best is None else report.lane(report.best)
    if best is None or best.after is None:
        return None
    how = "at once" if best.after.settled_s == 0 else f"after {words.seconds(best.after.settled_s)}"
    helped = ", and only once an operator had intervened" if best.helped_by else ""
    return f"`{words.name(best)}` recovered best: {how}{helped}{lane_remarks.with_failed(best)}."


def _tipping_point(report: Report) -> str | None:
    found = report.tipping_point
    if found is None:
        return None
    from_ = triggers.several(found.type, _lengths(found.recovered_s))
    return f"With this policy it recovered from {from_}, not from {_lengths(found.lost_s)}."


def _lengths(each_s: Sequence[float]) -> str:
    """``1.0 s``, ``0.5 s and 1.0 s``, ``0.5 s to 2.0 s``: no more than was tried."""
    tried = list(dict.fromkeys(map(words.seconds, sorted(each_s))))
    return " and ".join(tried) if len(tried) < 3 else f"{tried[0]} to {tried[-1]}"


def unanswered(report: Report) -> str | None:
    """Which lanes had many requests without an answer at the end; `None` where none had."""
    found = [
        f"{words.count(policy.unfinished or 0)} of {words.count(policy.requests)} requests of "
        f"`{words.name(policy)}`"
        for policy in report.policies
        if policy.unanswered
    ]
    if not found:
        return None
    more = f" and of {len(found) - 3} more" if len(found) > 3 else ""
    until = "so far" if report.going_on else "by the end of the run"
    return f"{', '.join(found[:3])}{more} had no answer {until}."


def remarks(report: Report) -> tuple[str, ...]:
    """Verdicts, relapses, goodput, an operator's help, retries, storms that noise would hide."""
    if report.distributions:
        went_on = lingering.of_samples(report.distributions)
        return (*repeated.remarks(report), *went_on, *_hidden(report))
    found = [remark for policy in report.policies for remark in lane_remarks.of(policy)]
    went_on = lingering.of_lanes(report.policies)
    return (*found, *_goodput_early(report), *went_on, *_hidden(report))


def _goodput_early(report: Report) -> tuple[str, ...]:
    """Whose requests were answered again while the load was still high: all in one sentence."""
    early = [
        f"`{words.name(policy)}` {lane_remarks.back(policy.after)}"
        for policy in report.policies
        if policy.after and lane_remarks.apart_s(policy) < -lane_remarks.LATER_S
    ]
    if not early:
        return ()
    return (f"Goodput was back before the load had settled: {', '.join(early)}.",)


def _hidden(report: Report) -> tuple[str, ...]:
    """Whose noise hides which storms: all lanes in one sentence when they are alike."""
    noisy = [policy for policy in report.policies if policy.after and policy.after.noise_hides]
    if not noisy:
        return ()
    limits = [p.after.noise_per_s for p in noisy if p.after and p.after.noise_per_s is not None]
    upto = f"{max(limits):,.1f}/s"
    capacity = words.rate(min(policy.capacity_per_s for policy in noisy))
    return (
        f"Load up to {upto} looks like ordinary variation here: a storm between the capacity, "
        f"{capacity}, and that is not counted.",
    )
