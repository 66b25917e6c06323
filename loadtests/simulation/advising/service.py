"""What could be changed at the service, where the clients alone do not bring it back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadtests.scenario import Scenario
from loadtests.simulation.advising.candidates import Candidate, Kind
from loadtests.simulation.advising.figures import Standing
from loadtests.simulation.advising.situation import Values
from target_service.service.config import Abandoned

MOST_CLIENTS = 3
"""Of what there is, so many are tried with each change, the worst first."""


@dataclass(frozen=True)
class Change:
    """A change of the service: what it is called, and the settings by table of the scenario."""

    words: str
    settings: Mapping[str, Values]


def needs_service(standings: Sequence[Standing]) -> bool:
    """Whether what there is, or most of what was tried, does not bring the service back."""
    lost = [one for one in standings if not one.back]
    have = any(one.candidate.kind is Kind.HAVE for one in lost)
    return have or 2 * len(lost) > len(standings)


def changes_of(scenario: Scenario) -> Iterator[Change]:
    """Ways not to work for clients that have gone; a service without a queue has none."""
    service, capacity_per_s = scenario.target.service(), scenario.target.capacity_per_s
    if service is None or capacity_per_s is None:
        return
    if service.abandoned is Abandoned.FINISH:
        yield Change('`abandoned = "drop"` in [target]', {"target": {"abandoned": "drop"}})
    if not service.heed_deadlines:
        yield Change(
            "`deadlines = true` in [load] and `heed_deadlines = true` in [target]",
            {"load": {"deadlines": True}, "target": {"heed_deadlines": True}},
        )
    # Whoever is last in it still has half of its time left for the work.
    short = max(1, int(capacity_per_s * scenario.load.timeout_s / 2))
    if short < service.queue:
        yield Change(
            f"`queue = {short}` in [target] in place of {service.queue}",
            {"target": {"queue": short}},
        )


def with_changes(scenario: Scenario, standings: Sequence[Standing]) -> tuple[Candidate, ...]:
    """What there is, with each change of the service, if that is called for."""
    if not needs_service(standings):
        return ()
    have = [one for one in standings if one.candidate.kind is Kind.HAVE]
    worst = sorted(have, key=lambda one: (-one.settled.median, -one.unserved.median))[:MOST_CLIENTS]
    return tuple(
        Candidate(
            name=f"{one.name}, {change.words.replace(chr(96), '')}",
            kind=Kind.SERVICE,
            choice=one.candidate.choice,
            change=change.words,
            of=one.name,
            service=change.settings,
        )
        for change in changes_of(scenario)
        for one in worst
    )
