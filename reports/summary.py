"""Folds a record into the frozen `Report` that every renderer shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reports.lines import RecordError
from reports.phases import Phases, between, end_of_load_s, find_phases
from reports.reading import read_record
from reports.recovery import Recovery, recovery_of
from reports.series import RunRecord
from reports.validity import Vitals, reasons, stalls, vitals


@dataclass(frozen=True)
class Dip:
    """The dip that was measured, in seconds from the anchor.

    `capacity_per_s` is the lowest capacity in force in it, `count` how many dips the run had.
    """

    start_s: float
    end_s: float
    capacity_per_s: float | None
    shape: str
    lanes: tuple[str, ...] | None
    count: int

    @property
    def length_s(self) -> float:
        """How long capacity was lower."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class Run:
    """How the run was made: what the record's header says."""

    id: str
    name: str
    source: str
    started_epoch_s: float
    tick_s: float
    seed: int
    versions: Mapping[str, str]
    scenario: Mapping[str, object]


@dataclass(frozen=True)
class Report:
    """All that is said of a run. Renderers show it and compute nothing.

    `observed_s` is how long the lanes were watched after the dip; 0 when there was none.
    """

    run: Run
    dip: Dip | None
    end_s: float
    observed_s: float
    policies: tuple[Recovery, ...]
    vitals: Vitals
    invalid_because: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether the result can be trusted."""
        return not self.invalid_because


def fold(record: RunRecord) -> Report:
    """Measure and judge `record`."""
    phases = find_phases(record)
    run = (record.header.observe_from_s, end_of_load_s(record))
    return Report(
        run=_run(record),
        dip=_dip(record, phases) if phases else None,
        end_s=run[1],
        observed_s=phases.observed_s if phases else 0.0,
        policies=tuple(
            recovery_of(lane, record.t_s, record.tick_s, run, phases) for lane in record.lanes
        ),
        vitals=vitals(record, phases),
        invalid_because=reasons(record, phases),
        notes=(*record.notes, *_notes(phases), *filter(None, [stalls(record, phases)])),
    )


def build_report(path: Path) -> Report:
    """The report of the run at `path`, a run's folder or its record. Raises `RecordError`."""
    try:
        return fold(read_record(path))
    except OverflowError:
        raise RecordError(f"{path}: a number in the record is too large to be a count") from None


def _run(record: RunRecord) -> Run:
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


def _dip(record: RunRecord, phases: Phases) -> Dip:
    inside = between(record.t_s, phases.dip_start_s, phases.dip_end_s, record.tick_s)
    lanes = phases.dip.lanes
    lowest = [
        float(lane.capacity[inside].min()) / record.tick_s
        for lane in record.lanes
        if lane.capacity[inside].size and (lanes is None or lane.lane in lanes)
    ]
    return Dip(
        start_s=phases.dip_start_s,
        end_s=phases.dip_end_s,
        capacity_per_s=round(min(lowest), 6) if lowest else None,
        shape=phases.dip.shape,
        lanes=lanes,
        count=phases.dips,
    )


def _notes(phases: Phases | None) -> tuple[str, ...]:
    if phases is None:
        return ()
    notes = []
    if phases.dips > 1:
        notes.append(f"The run had {phases.dips} dips; recovery is measured after the last.")
    if phases.dip.lanes is not None:
        notes.append(
            "The dip was meant for some lanes only; all are measured against the same times."
        )
    return tuple(notes)
