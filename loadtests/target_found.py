"""A target that runs already, held against the one that a scenario wants: it stays as it is."""

import math
from collections.abc import Iterator
from dataclasses import asdict

from aftershock_units import format_rate, format_share
from faults.wire import TargetState
from loadtests.scenario import Scenario
from target_service.admin.state_models import ServiceOut


def difference(found: TargetState, scenario: Scenario) -> str:
    """In what the target differs from the scenario's, in a line; empty: in nothing."""
    told = ", ".join(
        f"{name} {is_} and not {said}" for name, is_, said in _differing(found, scenario)
    )
    return f"the target stays as it is, and the scenario wants another: {told}" if told else ""


def _differing(found: TargetState, scenario: Scenario) -> Iterator[tuple[str, str, str]]:
    """What differs, as it is, as the scenario has it."""
    planned_per_s = scenario.target.capacity_per_s
    if planned_per_s is not None and not _are_close(found.capacity_per_s, planned_per_s):
        yield "capacity", format_rate(found.capacity_per_s), format_rate(planned_per_s)
    if not _are_close(found.turn_away_cost, share := scenario.target.turn_away_share):
        yield "turn_away_cost", format_share(found.turn_away_cost), format_share(share)
    wanted = scenario.target.service()
    there = {} if found.service is None else asdict(found.service)
    said = {} if wanted is None else ServiceOut.of(wanted).model_dump()
    if bool(there) is not bool(said):
        yield "workers", str(there.get("workers", "none")), str(said.get("workers", "none"))
        return
    for name, value in there.items():
        if value != said[name]:
            yield name, _word(value), _word(said[name])


def _are_close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-3)


def _word(value: object) -> str:
    return "none" if value is None else str(value).lower()
