"""Folds a record into the frozen `Report` that every renderer shows."""

from dataclasses import dataclass
from pathlib import Path

from reports.folding.phases import end_of_load_s, find_phases
from reports.folding.run import Run, run_of
from reports.folding.trigger import Trigger, trigger_of
from reports.judging.capacity import LISTED, Change, changes_of, note_on
from reports.judging.health import Vitals, stalls, vitals
from reports.judging.ranking import best, standings_of, worst
from reports.judging.several import several
from reports.judging.tipping import TippingPoint, tipping_point
from reports.judging.validity import reasons
from reports.measuring.distribution import Distribution, of_run
from reports.measuring.lane import recovery_of
from reports.measuring.recovery import Recovery
from reports.prediction import Prediction
from reports.reading.lines import RecordError
from reports.reading.read import read_record
from reports.reading.series import RunRecord
from reports.record import Action, Fault


@dataclass(frozen=True)
class Report:
    """All that is said of a run. Renderers show it and compute nothing.

    `trigger` is the last disturbance of the run to end, and `observed_s` how long the lanes were
    watched after it; 0 when there was none. A lane has a trigger of its own, which may be another.
    `happened` is every disturbance and every action of an operator, by their start. Where a trigger
    was repeated, `distributions` say of each lane how its measures are distributed. `prediction` is
    there when it was asked for. `going_on`: the run is not over.
    """

    run: Run
    trigger: Trigger | None
    end_s: float
    observed_s: float
    policies: tuple[Recovery, ...]
    happened: tuple[Fault | Action, ...]
    vitals: Vitals
    invalid_because: tuple[str, ...]
    notes: tuple[str, ...]
    distributions: tuple[Distribution, ...] = ()
    going_on: bool = False
    prediction: Prediction | None = None

    @property
    def valid(self) -> bool:
        """Whether the result can be trusted."""
        return not self.invalid_because

    @property
    def disturbed(self) -> bool:
        """Whether there was anything to recover from: a disturbance, of a lane that is there."""
        return any(lane.trigger is not None for lane in self.policies)

    @property
    def alike(self) -> bool:
        """Whether all lanes had the same trigger, so that it need not be said of each."""
        return self.trigger is None or all(
            self.trigger.same_as(policy.trigger) for policy in self.policies
        )

    @property
    def worst(self) -> str | None:
        """The lane that recovered worst; `None` where none was disturbed."""
        return worst(standings_of(self.policies, self.distributions))

    @property
    def best(self) -> str | None:
        """The lane that recovered best; `None` where nothing tells the lanes apart.

        Nor where each recovered from something else.
        """
        triggers = {lane.trigger for lane in self.policies if lane.after and lane.requests}
        if len(triggers) > 1 and not self.distributions:
            return None
        return best(standings_of(self.policies, self.distributions))

    @property
    def tipping_point(self) -> TippingPoint | None:
        """Between which lengths of a disturbance its policy ceases to recover, if that shows."""
        return tipping_point(self.policies)

    def lane(self, name: str) -> Recovery:
        """The lane of this name."""
        return next(policy for policy in self.policies if policy.lane == name)


def fold(record: RunRecord, *, so_far: bool = False) -> Report:
    """Measure and judge `record`. `so_far`: where it has no end, that is because it goes on."""
    phases = find_phases(record)
    going_on = so_far and record.end is None
    changes = changes_of(record)
    policies = tuple(recovery_of(record, lane, going_on=going_on) for lane in record.lanes)
    distributions = of_run(policies)
    said = (
        *several(record, phases, policies, repeated=bool(distributions)),
        note_on(changes),
        stalls(record, phases),
    )
    return Report(
        run=run_of(record),
        trigger=trigger_of(record, phases) if phases else None,
        end_s=end_of_load_s(record),
        observed_s=phases.observed_s if phases else 0.0,
        policies=policies,
        distributions=distributions,
        happened=_happened(record, changes),
        vitals=vitals(record, phases),
        invalid_because=reasons(record, phases, going_on=going_on),
        notes=(*record.notes, *filter(None, said)),
        going_on=going_on,
    )


def build_report(path: Path, *, so_far: bool = False) -> Report:
    """The report of the run at `path`, a run's folder or its record. Raises `RecordError`."""
    try:
        return fold(read_record(path), so_far=so_far)
    except OverflowError:
        raise RecordError(f"{path}: a number in the record is too large to be a count") from None


def _happened(record: RunRecord, changes: tuple[Change, ...]) -> tuple[Fault | Action, ...]:
    changed = [change.action for change in changes[:LISTED]]
    spans: tuple[Fault | Action, ...] = (*record.faults, *record.actions, *changed)
    real = [span for span in spans if span.end_s > span.start_s]
    return tuple(sorted(real, key=lambda span: (span.start_s, span.end_s)))
