"""What to change, in sentences that the figures carry: never more than noise allows.

A name stands between backticks.
"""

from loadtests.simulation.advising.candidates import Kind
from loadtests.simulation.advising.figures import SETTLED_STEP_S, UNSERVED_STEP, Standing
from loadtests.simulation.advising.findings import Findings
from loadtests.simulation.advising.offers import fewer_failed, service_changes
from loadtests.simulation.advising.telling import (
    back,
    before,
    failures,
    goodput,
    named,
    percent,
    settled,
)
from reports.rendering import words

MEANING = (
    f"Two policies differ where the 95% intervals of their medians have nothing in common, and by "
    f"more than {SETTLED_STEP_S * 1000:.0f} ms, or {UNSERVED_STEP:.1%} of requests."
)
"""What counts as a difference."""


def sentences(findings: Findings) -> tuple[str, ...]:
    """The advice: what to change, what is gained by it, and what it costs."""
    best = findings.best
    if best is None:
        return (_no_pick(findings), *service_changes(findings))
    return (
        *_alike(findings),
        *_main(findings, best),
        *_others(findings, best),
        *_retrying(findings, best),
        *_smaller(findings, best),
        *fewer_failed(findings, best),
        *service_changes(findings),
    )


def _main(findings: Findings, best: Standing) -> list[str]:
    worst = findings.have[0]
    kept = best is findings.kept
    said = [_keep(findings, best)] if kept else []
    if best is worst:
        return said
    if _told_apart(worst, best):
        return [*said, replace(worst, best, findings.what)]
    if kept:
        return said
    return [
        f"With {named(worst)} {percent(worst.unserved.median)} of requests go unserved, more than "
        f"the limit; the runs do not tell it apart from {named(best)}, with "
        f"{percent(best.unserved.median)}. More --runs may."
    ]


def _others(findings: Findings, best: Standing) -> list[str]:
    """A word on each of what there is that `_main` does not name."""
    worst = findings.have[0]
    spoken = findings.kept is None or _told_apart(worst, best)
    rest = [one for one in findings.have if one is not best and not (one is worst and spoken)]
    alike = [one for one in rest if not _told_apart(one, best)]
    others = [one for one in rest if one not in alike]
    told = []
    if alike:
        told.append(f"As good as {named(best)}: {', '.join(map(named, alike))}.")
    if others:
        figures = ", ".join(
            f"{named(one)} ({settled(one)}, {percent(one.unserved.median)} unserved)"
            for one in others
        )
        told.append(f"Replace by {named(best)} also: {figures}.")
    return told


def _told_apart(a: Standing, b: Standing) -> bool:
    return not (a.as_soon(b) and a.fails_alike(b))


def _alike(findings: Findings) -> list[str]:
    """Where recovery does not depend on the clients."""
    tried = [one.standing for one in findings.ranked if one.within]
    first = min(tried, key=lambda one: one.settled.median)
    known = all(one in tried for one in findings.have)
    if len(tried) < 2 or not known or not all(one.as_soon(first) for one in tried):
        return []
    quiet = not any(one.retries for one in tried)
    why = "none of them retried anything" if quiet else "the choice makes no difference to that"
    which = "" if len(tried) == len(findings.ranked) else " that keep to the limit"
    return [f"With each of the {len(tried)} policies{which} {back(first, findings.what)}: {why}."]


def _retrying(findings: Findings, best: Standing) -> list[str]:
    """Where the advice is not to retry: with what to do it all the same."""
    if best.retries or best.candidate.kind is Kind.HAVE:
        return []
    soon = [
        one.standing
        for one in findings.ranked
        if one.within and one.standing.retries and one.standing.near(best)
    ]
    if not soon:
        return []
    fewest = min(soon, key=lambda one: one.unserved.median)
    changes = [one for one in soon if one.candidate.of == findings.have[0].name]
    alike = [one for one in changes if not fewest.fails_less(one)]
    one = alike[0] if alike else fewest
    answers = f" ({goodput(one)})" if one.answers_later else ""
    return [
        f"If single failures are to be retried too: with {named(one)} the load is back as "
        f"soon{answers}; {failures(best, one)}."
    ]


def _keep(findings: Findings, kept: Standing) -> str:
    others = sum(one.within for one in findings.ranked) - 1
    told = f"Keep {named(kept)}: {_course(kept, findings)}."
    if not others:
        alone = len(findings.tried) < 2
        return f"{told} Nothing else {'was tried' if alone else 'is within the limit'}."
    if not _unbeaten(findings, kept):
        return f"{told} It is as good as the first, but for the runs' noise: more --runs may tell."
    return (
        f"{told} Of the {others} others within the limit none is back sooner, or as soon with "
        f"fewer unserved, by more than the runs' noise."
    )


def _unbeaten(findings: Findings, kept: Standing) -> bool:
    return not any(
        one.sooner(kept) or (one.as_soon(kept) and one.fails_less(kept))
        for one in (ranked.standing for ranked in findings.ranked if ranked.within)
    )


def _course(one: Standing, findings: Findings) -> str:
    return f"{back(one, findings.what)}, and {percent(one.unserved.median)} of requests go unserved"


def replace(have: Standing, better: Standing, what: str) -> str:
    """One in the place of another: the change, the gain and the cost."""
    candidate = better.candidate
    change = candidate.change if candidate.of == have.name else ""
    told = (
        f"Give {named(have)} {change} ({named(better)})"
        if change
        else f"Replace {named(have)} by {named(better)}"
    )
    return f"{told}: {_recovery(have, better, what)}; {failures(have, better)}."


def _recovery(have: Standing, better: Standing, what: str) -> str:
    if have.as_soon(better):
        if not better.back:
            return f"{back(better, what)} with either"
        return f"{back(better, what)}, as with {named(have)}"
    return f"{back(better, what)}, {before(have)}"


def _smaller(findings: Findings, best: Standing) -> list[str]:
    """A change of what there is, where the advice is to have another."""
    worst = findings.have[0]
    if best.candidate.of == worst.name or best is worst:
        return []
    changes = [
        one.standing
        for one in findings.ranked
        if one.within
        and one.standing.candidate.of == worst.name
        and one.standing.candidate.choice.name == worst.candidate.choice.name
        and one.standing.sooner(worst)
    ]
    if not changes:
        return []
    return [f"A smaller change: {_lower(replace(worst, changes[0], findings.what))}"]


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _no_pick(findings: Findings) -> str:
    """Where nothing recovers, or nothing within the limit."""
    limit = percent(findings.limit.share)
    fewest = min(findings.tried, key=lambda one: (one.unserved.median, one.settled.median))
    observed = words.span(fewest.observed_s)
    if not any(one.back for one in findings.tried):
        return (
            f"Nothing that was tried at the clients brings the service back within {observed} of "
            f"{findings.what}; the fewest requests go unserved with {named(fewest)}, "
            f"{percent(fewest.unserved.median)}."
        )
    if any(one.within for one in findings.ranked):
        first = next(one for one in findings.tried if one.back)
        return (
            f"Of the policies that leave at most {limit} of requests unserved none is back within "
            f"{observed}; {named(first)} is, and {percent(first.unserved.median)} go unserved."
        )
    return (
        f"No policy keeps unserved requests to {limit}: the fewest go unserved with "
        f"{named(fewest)}, {percent(fewest.unserved.median)}, and "
        f"{back(fewest, findings.what)}."
    )
