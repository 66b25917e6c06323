"""The scenario of a run, from its record: what has to be simulated to be like it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aftershock_units import format_rate
from loadtests.scenario import Admits, Scenario, ScenarioError, parse_scenario
from loadtests.target_found import Told, as_scenarios, difference, wanted_by
from reports.folding.phases import find_phases
from reports.folding.view import View
from reports.reading.read import read_record
from reports.reading.series import RunRecord
from reports.record import SIMULATED

_LOCUSTS_OWN = "rate_per_user"
"""What the record of a plain Locust test has among its options, and no scenario."""
_UNKNOWN = (
    "The record does not say which service the target of this run was: that of its scenario is "
    "simulated."
)


@dataclass(frozen=True)
class Likeness:
    """The scenario that is like a run, its seed included, and its record.

    `notes` say, a sentence each, where the record says otherwise than the scenario.
    """

    scenario: Scenario
    record: RunRecord
    notes: tuple[str, ...]


def liken(run: Path) -> Likeness:
    """The scenario of the run at this path, its folder or its record.

    Raises `ScenarioError`, naming the run.
    """
    try:
        record = read_record(run)
        scenario, notes = _scenario_of(record)
    except (ValueError, OverflowError) as error:
        raise ScenarioError(about(run, str(error))) from None
    return Likeness(scenario, record, notes)


def about(run: Path, message: str) -> str:
    """Each line of a message, with the run that it is about."""
    lines = message.splitlines() or ["the record cannot be read"]
    return "\n".join(line if line.startswith(str(run)) else f"{run}: {line}" for line in lines)


def _scenario_of(record: RunRecord) -> tuple[Scenario, tuple[str, ...]]:
    header = record.header
    if _LOCUSTS_OWN in header.scenario:
        raise ScenarioError(
            "made by Locust's own command line, and its record does not say how many users each "
            "lane had nor the parameters of its policies: only runs of `aftershock run` and "
            "`aftershock simulate` have their whole scenario in them"
        )
    if not {"load", "policies"} <= header.scenario.keys():
        raise ScenarioError("its record does not say which scenario was run")
    values = {**header.scenario, "seed": header.seed}
    scenario = parse_scenario(values)
    if header.source == SIMULATED:
        return scenario, ()
    if header.target is None:
        note = _UNKNOWN
    elif found := difference(header.target, wanted_by(scenario)):
        scenario = parse_scenario({**values, "target": _as_scenarios(header.target)})
        note = (
            f"The target of this run was not its scenario's, and is simulated as it was: {found}."
        )
    else:
        note = ""
    like, notes = _with_its_capacity(_as_live(scenario), seen_per_s(record))
    return like, (*notes, *([note] if note else []))


def _as_scenarios(target: Told) -> dict[str, object]:
    """What a target said of itself as a scenario says it. Raises `ScenarioError` if it cannot."""
    if target["workers"] is not None and target["service_time"] is None:
        raise ScenarioError(
            "the workers of its target took as long as the app behind them, and how long that is, "
            "is not in the record"
        )
    return as_scenarios(target)


def _as_live(scenario: Scenario) -> Scenario:
    """Without what a live run did not ask for: it has one size, and admits those who come first."""
    as_live = {"admits": Admits.IN_ORDER, "scale": 1.0}
    simulation = scenario.simulation.model_copy(update=as_live)
    return scenario.model_copy(update={"simulation": simulation})


def seen_per_s(record: RunRecord) -> Mapping[str, float]:
    """The capacity of each lane in the ticks before the first disturbance."""
    if not record.t_s.size:
        return {}
    views = [View(record, lane, find_phases(record, lane.lane)) for lane in record.lanes]
    return {view.lane.lane: view.usual / view.tick_s for view in views if view.usual}


def _with_its_capacity(
    scenario: Scenario, seen: Mapping[str, float]
) -> tuple[Scenario, tuple[str, ...]]:
    """The capacity that the target had: one that ran already need not have the scenario's."""
    said_per_s = scenario.target.capacity_per_s
    if said_per_s is None or all(_same(each, said_per_s) for each in seen.values()):
        return scenario, ()
    least, most = min(seen.values()), max(seen.values())
    if not _same(least, most):
        raise ScenarioError(
            f"its lanes had capacities from {format_rate(least)} to {format_rate(most)}: "
            "a scenario has one for all"
        )
    if scenario.target.service() is not None:
        raise ScenarioError(
            f"its target had a capacity of {format_rate(least)}, and the workers that are known of "
            f"make {format_rate(said_per_s)}: how many it had, and how fast, is not in the record"
        )
    target = scenario.target.model_copy(update={"rate_per_s": least})
    note = (
        f"The lanes of this run had a capacity of {format_rate(least)}, which is simulated, and "
        f"not {format_rate(said_per_s)}."
    )
    return scenario.model_copy(update={"target": target}), (note,)


def _same(a_per_s: float, b_per_s: float) -> bool:
    return math.isclose(a_per_s, b_per_s, rel_tol=1e-3)
