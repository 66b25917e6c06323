"""What is remarkable about one lane, in sentences. A name stands between backticks."""

from reports.folding.windows import HOLD_S
from reports.measuring.recovery import Aftermath, Recovery
from reports.rendering import outcomes, triggers, words
from reports.text import listed, noun

LATER_S = 1.0
"""Goodput that comes back this much later than the load settles is worth a word."""
MUCH_LOST = 0.1


def of(policy: Recovery) -> list[str]:
    """Its verdict, relapses, goodput, and an operator's help; none where nothing is remarkable."""
    after, trigger = policy.after, policy.trigger
    if after is None or trigger is None or after.unwatched:
        return []
    name = f"`{words.name(policy)}`"
    found = []
    lost = _work_lost(after)
    if not after.recovered:
        verdict = f"{outcomes.not_recovered(after)} after the {noun(trigger.type)}{_calm(policy)}"
        found.append(f"{name}: {verdict}{f'; from then on {lost}' if lost else ''}.")
    elif lost:
        found.append(f"{name}: until it had recovered, {lost}.")
    if after.relapses:
        found.append(f"{name}: {_relapses(policy)}.")
    if apart_s(policy) > LATER_S:
        found.append(f"{name}: its load had settled, and goodput was back only {back(after)}.")
    if policy.helped_by:
        found.append(f"{name}: {_help(policy)}.")
    return found


def _work_lost(after: Aftermath) -> str | None:
    """What kept a storm alive that outlasted its cause: work that nobody waited for any more."""
    lasted = not after.recovered or max(after.settled_s or 0, after.goodput_back_s or 0) > LATER_S
    lost = after.work_lost or 0.0
    if not lasted or lost < MUCH_LOST:
        return None
    return f"{words.share(lost)} of the service's work was for clients that had gone"


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


def apart_s(policy: Recovery) -> float:
    """How much later goodput came back than the load settled; 0 where one of them did not."""
    after = policy.after
    if after is None or after.settled_s is None or after.starved:
        return 0.0
    back_s = after.goodput_from_s if after.goodput_back_s is None else after.goodput_back_s
    return 0.0 if back_s is None else back_s - after.settled_s


def back(after: Aftermath) -> str:
    """``after 3.2 s``; ``from 59.8 s on, …`` where it was not watched long enough since."""
    if after.goodput_back_s is not None:
        return f"after {words.seconds(after.goodput_back_s)}"
    since = words.seconds(after.goodput_from_s)
    return f"from {since} on, and not watched long enough to call it back"


def _help(policy: Recovery) -> str:
    """What an operator did before the lane settled: it did not recover by itself."""
    acted = [
        f"{triggers.action(event)} from {words.seconds(event.start_s)} to "
        f"{words.seconds(event.end_s)}"
        for event in policy.helped_by
    ]
    since = f"after the {noun(policy.trigger.type)}" if policy.trigger else "after the begin"
    told = f"{since}: {listed(acted, 3)}"
    settled_s = policy.after.settled_s if policy.after else None
    if settled_s is None:
        return f"what an operator did ({told}) had not helped by the end"
    return f"it settled after an operator had intervened ({told}), and not by itself"


def _relapses(policy: Recovery) -> str:
    """``relapsed 2 times after it had settled, the largest with 120 attempts above capacity``."""
    waves = policy.after.relapses if policy.after else ()
    if not waves:
        return "no relapse"
    often = "once" if len(waves) == 1 else f"{len(waves)} times"
    size = "with" if len(waves) == 1 else "at worst with"
    largest = words.count(max(wave.attempts for wave in waves))
    return f"relapsed {often} after it had settled, {size} {largest} attempts above capacity"


def with_failed(lane: Recovery) -> str:
    """``, with 12 of 3,000 requests failed``; nothing where the clients told nothing of that."""
    if lane.failed is None:
        return ""
    return f", with {words.count(lane.failed)} of {words.count(lane.requests)} requests failed"
