"""The report in sentences: what happened, and what a table of figures does not say.

A name stands between backticks.
"""

import math

from reports.folding.windows import HOLD_S
from reports.measuring.recovery import Aftermath, Recovery
from reports.rendering import words
from reports.rendering.repeated import sentences as repeated
from reports.summary import Report
from reports.text import noun

LATER_S = 1.0
"""Goodput that comes back this much later than the load settles is worth a word."""
MUCH_LOST = 0.1


def headline(report: Report) -> str:
    """One sentence: what the slowest policy did, after each trigger where one was repeated."""
    if report.distributions:
        return repeated.headline(report)
    measured = (policy for policy in report.policies if policy.after and policy.requests)
    worst = max(measured, key=_slowness, default=None)
    if report.going_on and (not_yet := _not_yet(report, worst)):
        return not_yet
    return _outcome(report, worst)


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
        f"{words.trigger(worst.trigger)} was over."
    )


def _outcome(report: Report, worst: Recovery | None) -> str:
    if worst is None or worst.after is None or worst.trigger is None:
        return "No dip was found in this run, so there is no recovery to measure."
    name, after, trigger = f"`{words.name(worst)}`", worst.after, words.trigger(worst.trigger)
    if words.named_after(worst):
        trigger = "it"
    if after.starved:
        return (
            f"{name} had not recovered {words.seconds(after.observed_s)} after {trigger} was over: "
            f"its load fitted in capacity, and its requests were not answered all the same."
        )
    if after.calm_from_s is not None:
        return (
            f"{name} was under capacity {words.seconds(after.calm_from_s)} after {trigger} "
            f"was over, and not watched long enough to call it settled."
        )
    if after.settled_s is None:
        return (
            f"{name} had not recovered {words.seconds(after.observed_s)} after {trigger} was over."
        )
    if not after.stormed:
        each = trigger if report.alike else "each disturbance"
        latest_s = max(p.after.settled_s or 0.0 for p in report.policies if p.after)
        when = f"{words.seconds(latest_s)} after" if latest_s else "as soon as"
        return f"Load was back under capacity {when} {each} was over."
    return (
        f"{name} kept the service overloaded for {words.seconds(after.settled_s)} "
        f"after {trigger}: {words.times(after.times_trigger)} {words.length(worst.trigger.type)}."
    )


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
    if multiplied := _multiplied(report):
        return multiplied
    return repeated.runner_up(report) if report.distributions else _best(report)


def _best(report: Report) -> str | None:
    measured = [policy for policy in report.policies if policy.after and policy.requests]
    if len(measured) < 2:
        return None
    if any(policy.trigger != measured[0].trigger for policy in measured):
        return _tipping_point(measured)
    # Who holds requests back until the end fails none, and is no better for it.
    answered = [policy for policy in measured if not policy.unanswered]
    if not answered:
        return None
    worst, best = max(measured, key=_slowness), min(answered, key=_merit)
    alike = _slowness(worst)[:2] == _slowness(best)[:2]
    if best.after is None or not best.after.recovered or alike:
        return None
    how = "at once" if best.after.settled_s == 0 else f"after {words.seconds(best.after.settled_s)}"
    helped = ", and only once an operator had intervened" if best.helped_by else ""
    return (
        f"`{words.name(best)}` recovered best: {how}{helped}, "
        f"with {words.count(best.failed)} of {words.count(best.requests)} requests failed."
    )


def unanswered(report: Report) -> str | None:
    """Which lanes had many requests without an answer at the end; `None` where none had."""
    found = [
        f"{words.count(policy.unfinished)} of {words.count(policy.requests)} requests of "
        f"`{words.name(policy)}`"
        for policy in report.policies
        if policy.unanswered
    ]
    if not found:
        return None
    more = f" and of {len(found) - 3} more" if len(found) > 3 else ""
    until = "so far" if report.going_on else "by the end of the run"
    return f"{', '.join(found[:3])}{more} had no answer {until}."


def _multiplied(report: Report) -> str | None:
    """Where attempts pass several layers: what the worst of them made of a request."""
    stacks = [(p.stacks.in_trigger, p) for p in report.policies if p.stacks and p.stacks.in_trigger]
    worst, policy = max(stacks, key=lambda pair: pair[0].product or 0.0, default=(None, None))
    if worst is None or policy is None or (worst.product or 0.0) < 2:
        return None
    factors = [worst.counted(level.factor) for level in worst.levels if level.factor]
    product = worst.counted(worst.product or 0.0)
    # Figures that were rounded one by one need not multiply to the last digit.
    sign = "=" if math.isclose(math.prod(map(float, factors)), float(product)) else "≈"
    return (
        f"Layers multiply: `{words.name(policy)}` made {' · '.join(factors)} {sign} {product} "
        f"attempts of a request."
    )


def _tipping_point(measured: list[Recovery]) -> str | None:
    """Of one policy under disturbances that differ in length only: up to which it recovers."""
    kinds = {(p.policy, p.trigger.type, p.trigger.text) for p in measured if p.trigger}
    lost = [p.trigger.length_s for p in measured if p.trigger and p.after and not p.after.recovered]
    back = [p.trigger.length_s for p in measured if p.trigger and p.after and p.after.recovered]
    if len(kinds) != 1 or not lost or not back or max(back) >= min(lost):
        return None
    from_ = words.several(kinds.pop()[1], f"up to {words.seconds(max(back))}")
    return (
        f"With this policy it recovered from {from_}, not from {words.seconds(min(lost))} or more."
    )


def remarks(report: Report) -> tuple[str, ...]:
    """Verdicts, relapses, goodput, an operator's help, and storms that noise would hide."""
    if report.distributions:
        return (*repeated.remarks(report), *_hidden(report))
    found = [remark for policy in report.policies for remark in _remarks(policy)]
    return (*found, *_goodput_early(report), *_hidden(report))


def _remarks(policy: Recovery) -> list[str]:
    after, trigger = policy.after, policy.trigger
    if after is None or trigger is None:
        return []
    name = f"`{words.name(policy)}`"
    found = []
    lost = _work_lost(after)
    if not after.recovered:
        verdict = f"{words.not_recovered(after)} after the {noun(trigger.type)}{_calm(policy)}"
        found.append(f"{name}: {verdict}{f'; from then on {lost}' if lost else ''}.")
    elif lost:
        found.append(f"{name}: until it had recovered, {lost}.")
    if after.relapses:
        found.append(f"{name}: {relapses(policy)}.")
    if _apart_s(policy) > LATER_S:
        found.append(f"{name}: its load had settled, and goodput was back only {_back(after)}.")
    if policy.helped_by:
        found.append(f"{name}: {_help(policy)}.")
    return found


def _work_lost(after: Aftermath) -> str | None:
    """What kept a storm alive that outlasted its cause: work that nobody waited for any more."""
    lasted = not after.recovered or max(after.settled_s or 0, after.goodput_back_s or 0) > LATER_S
    if not lasted or (after.work_lost or 0.0) < MUCH_LOST:
        return None
    return f"{words.share(after.work_lost)} of the service's work was for clients that had gone"


def _calm(policy: Recovery) -> str:
    """Of a lane that did not recover: what of it was calm all the same, where something was."""
    after = policy.after
    if after is None:
        return ""
    if after.starved:
        return f"; its load was under capacity from {words.seconds(after.settled_s)} on, in vain"
    if after.calm_from_s is None:
        return ""
    return (
        f"; it was under capacity from {words.seconds(after.calm_from_s)} on, and was watched for "
        f"less than the {HOLD_S:.0f} s more that it takes to call it settled"
    )


def _apart_s(policy: Recovery) -> float:
    """How much later goodput came back than the load settled; 0 where one of them did not."""
    after = policy.after
    if after is None or after.settled_s is None or after.starved:
        return 0.0
    back_s = after.goodput_from_s if after.goodput_back_s is None else after.goodput_back_s
    return 0.0 if back_s is None else back_s - after.settled_s


def _back(after: Aftermath) -> str:
    """``after 3.2 s``; ``from 59.8 s on, …`` where it was not watched long enough since."""
    if after.goodput_back_s is not None:
        return f"after {words.seconds(after.goodput_back_s)}"
    since = words.seconds(after.goodput_from_s)
    return f"from {since} on, and not watched long enough to call it back"


def _goodput_early(report: Report) -> tuple[str, ...]:
    """Whose requests were answered again while the load was still high: all in one sentence."""
    early = [
        f"`{words.name(policy)}` {_back(policy.after)}"
        for policy in report.policies
        if policy.after and _apart_s(policy) < -LATER_S
    ]
    if not early:
        return ()
    return (f"Goodput was back before the load had settled: {', '.join(early)}.",)


def _help(policy: Recovery) -> str:
    """What an operator did before the lane settled: it did not recover by itself."""
    acted = [
        f"{words.action(event)} from {words.seconds(event.start_s)} to {words.seconds(event.end_s)}"
        for event in policy.helped_by[:3]
    ]
    more = len(policy.helped_by) - len(acted)
    since = f"after the {noun(policy.trigger.type)}" if policy.trigger else "after the begin"
    listed = ", ".join(acted) + (f" and {more} more" if more else "")
    listed = f"{since}: {listed}"
    settled_s = policy.after.settled_s if policy.after else None
    if settled_s is None:
        return f"what an operator did ({listed}) had not helped by the end"
    return f"it settled after an operator had intervened ({listed}), and not by itself"


def relapses(policy: Recovery) -> str:
    """``relapsed 2 times after it had settled, the largest with 120 attempts above capacity``."""
    waves = policy.after.relapses if policy.after else ()
    if not waves:
        return "no relapse"
    often = "once" if len(waves) == 1 else f"{len(waves)} times"
    size = "with" if len(waves) == 1 else "at worst with"
    largest = words.count(max(wave.attempts for wave in waves))
    return f"relapsed {often} after it had settled, {size} {largest} attempts above capacity"


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


def _slowness(policy: Recovery) -> tuple[bool, float, int]:
    """Orders by settled, not recovered last and those calm at the end before the others; of
    equals, by failed requests.
    """
    after = policy.after
    if after is None or after.recovered:
        # A tick or two above capacity are no storm, and tell no policies apart.
        return (False, (after.settled_s or 0.0) if after and after.stormed else 0.0, policy.failed)
    calm_from_s = None if after.starved else after.calm_from_s
    return (True, math.inf if calm_from_s is None else calm_from_s, policy.failed)


def _merit(policy: Recovery) -> tuple[bool, float, bool, int]:
    """Orders by settled; of equals a policy that retries comes first: it is the better news."""
    lost, settled_s, failed = _slowness(policy)
    return (lost, settled_s, not policy.retries, failed)
