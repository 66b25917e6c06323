"""What else there is to choose: fewer unserved requests for time, and changes of the service.

A name stands between backticks.
"""

from collections.abc import Sequence

from loadtests.simulation.advising.figures import Standing
from loadtests.simulation.advising.findings import Findings
from loadtests.simulation.advising.ranking import pareto_front
from loadtests.simulation.advising.telling import (
    back,
    before,
    failures,
    named,
    percent,
    settled,
)
from reports.rendering import words

MOST_OFFERS = 3


def fewer_failed(findings: Findings, better: Standing) -> list[str]:
    """What it costs to fail fewer: the front from the advice on."""
    offers: list[Standing] = []
    for one in reversed(_least_amplified(pareto_front(findings.tried))):
        last = offers[-1] if offers else better
        if one.fails_less(last) and last.sooner(one):
            offers.append(one)
    if not offers:
        fewest = min(findings.tried, key=lambda one: one.unserved.median)
        if fewest.fails_less(better) or len(findings.tried) < 2:
            return []
        return ["No policy that was tried leaves fewer requests unserved by more than the noise."]
    told = ", ".join(
        f"{percent(one.unserved.median)} with {named(one)}{_as_now(findings, one)} ({settled(one)})"
        for one in _spaced(offers)
    )
    return [f"Fewer unserved requests cost time under overload: {told}."]


def _as_now(findings: Findings, one: Standing) -> str:
    return " as now" if findings.have == (one,) else ""


def _least_amplified(front: Sequence[Standing]) -> list[Standing]:
    """One at each point."""
    found: dict[tuple[float, float], Standing] = {}
    for one in sorted(front, key=lambda one: one.amplification):
        found.setdefault((round(one.unserved.median, 3), one.settled.median), one)
    return sorted(found.values(), key=lambda one: one.unserved.median)


def _spaced(offers: Sequence[Standing]) -> Sequence[Standing]:
    """The first, the last, and one halfway between them in what fails."""
    if len(offers) <= MOST_OFFERS:
        return offers
    middle = (offers[0].unserved.median + offers[-1].unserved.median) / 2
    half = min(offers[1:-1], key=lambda one: abs(one.unserved.median - middle))
    return [offers[0], half, offers[-1]]


def service_changes(findings: Findings) -> list[str]:
    """Whether a change at the service helps where the clients alone do not."""
    if not findings.service:
        return []
    by_name = {one.candidate.name: one for one in findings.have}
    helpful = [
        one for one in findings.service if one.back and one.sooner(by_name[one.candidate.of])
    ]
    if not helpful:
        changes = list(dict.fromkeys(one.candidate.change for one in findings.service))
        return [f"Nor does it help to change the service: {', '.join(changes)}."]
    best = min(helpful, key=lambda one: (round(one.settled.median, 1), one.unserved.median))
    have = by_name[best.candidate.of]
    return [
        f"Change the service: with {best.candidate.change} and {named(have)} as it is, "
        f"{back(best, findings.what, both=True)}, {_without(have)}; {failures(have, best)}."
    ]


def _without(have: Standing) -> str:
    if have.back:
        return before(have)
    return f"and without that not within {words.span(have.observed_s)}"
