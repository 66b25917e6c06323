"""How a run was made: what the header of its record says."""

from collections.abc import Mapping
from dataclasses import dataclass

from reports.folding.conditions import key_of
from reports.reading.series import RunRecord
from reports.record import SIMULATED


@dataclass(frozen=True)
class Run:
    """How the run was made."""

    id: str
    name: str
    source: str
    started_epoch_s: float
    tick_s: float
    seed: int
    versions: Mapping[str, str]
    scenario: Mapping[str, object]

    @property
    def simulated(self) -> bool:
        """Whether nothing was measured: it was played in virtual time, which has no date."""
        return self.source == SIMULATED

    @property
    def origin(self) -> tuple[object, ...]:
        """The same for copies of a run, and for no others."""
        key = key_of(self.source, self.scenario)
        policies = repr(self.scenario.get("policies"))
        versions = sorted(self.versions.items())
        return (key, policies, self.id, self.seed, self.started_epoch_s, *versions)


def run_of(record: RunRecord) -> Run:
    """How the run of this record was made."""
    header = record.header
    return Run(
        id=header.id,
        name=header.name,
        source=header.source,
        started_epoch_s=header.anchor_epoch_s,
        tick_s=header.tick_s,
        seed=header.seed,
        versions=header.versions,
        scenario=header.scenario,
    )
