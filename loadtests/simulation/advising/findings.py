"""What was found, as sentences need it: the ranking, and who of it matters."""

from dataclasses import dataclass

from loadtests.simulation.advising.candidates import Kind
from loadtests.simulation.advising.figures import Standing
from loadtests.simulation.advising.ranking import Limit, Ranked


@dataclass(frozen=True)
class Findings:
    """All that sentences are made of. `service` are the candidates with a changed service.

    `what` is what recovery is measured after: "the dip".
    """

    ranked: tuple[Ranked, ...]
    service: tuple[Standing, ...]
    limit: Limit
    what: str

    @property
    def tried(self) -> tuple[Standing, ...]:
        """All of them in order."""
        return tuple(one.standing for one in self.ranked)

    @property
    def have(self) -> tuple[Standing, ...]:
        """What the scenario has, the worst first: what recovers last, of these what fails most."""
        have = [one for one in self.tried if one.candidate.kind is Kind.HAVE]
        return tuple(sorted(have, key=lambda one: (-one.settled.median, -one.unserved.median)))

    @property
    def pick(self) -> Standing | None:
        """The first within the limit, if it recovers at all."""
        first = next((one.standing for one in self.ranked if one.within), None)
        return first if first is not None and first.back else None

    @property
    def kept(self) -> Standing | None:
        """What there is already and is as good as the pick, if anything is."""
        pick = self.pick
        if pick is None:
            return None
        within = [one.standing for one in self.ranked if one.within]
        alike = [
            one
            for one in self.have
            if one in within and one.as_soon(pick) and not pick.fails_less(one)
        ]
        if pick in alike:
            return pick
        return min(alike, key=lambda one: (one.unserved.median, one.amplification), default=None)

    @property
    def best(self) -> Standing | None:
        """What the advice is to have: one that there is already, if none is better."""
        return self.kept or self.pick
