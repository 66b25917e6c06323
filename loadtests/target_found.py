"""What a target says of itself, held against what a scenario wants: a running one stays so."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from aftershock_units import format_rate, format_share, parse_rate_per_s
from faults.wire import TargetState
from loadtests.scenario import Scenario, parse_scenario
from target_service.admin.state_models import RefusalOut, ServiceOut

Told = Mapping[str, object]
"""A target's settings by the keys of a scenario's `[target]`; None: it has no such thing."""


def told_by(state: TargetState) -> Told | None:
    """What the target that is there says; None: it is of a version that does not tell all."""
    if state.refusal is None:
        return None
    return {
        "capacity": format_rate(state.capacity_per_s),
        "turn_away_cost": format_share(state.turn_away_cost),
        **({"workers": None} if state.service is None else asdict(state.service)),
        **asdict(state.refusal),
    }


def wanted_by(scenario: Scenario) -> Told:
    """What the target of the scenario would say."""
    target = scenario.target
    service, capacity_per_s = target.service(), target.capacity_per_s
    return {
        "capacity": None if capacity_per_s is None else format_rate(capacity_per_s),
        "turn_away_cost": format_share(target.turn_away_share),
        **({"workers": None} if service is None else ServiceOut.of(service).model_dump()),
        **RefusalOut.of(target.word()).model_dump(),
    }


def as_scenarios(told: Told) -> dict[str, object]:
    """A scenario's `[target]` for it: what a target has by itself is left out.

    Workers make the capacity; another one that they had shows in the ticks.
    """
    least = ("capacity",) if told["workers"] is None else ("workers", "service_time")
    said = {name: told[name] for name in least if told[name] is not None}
    usual = wanted_by(parse_scenario({"target": said}))
    left = told.keys() - {"capacity", *least}
    more = {name: told[name] for name in sorted(left) if told[name] not in {None, usual.get(name)}}
    if "retry_after" not in more:
        more.pop("retry_after_as", None)
    return said | more


def difference(told: Told, wanted: Told) -> str:
    """In what a target is not the one that is wanted, in a line; empty: in nothing."""
    return ", ".join(f"{name} {is_} and not {said}" for name, is_, said in _differing(told, wanted))


def _differing(told: Told, wanted: Told) -> Iterator[tuple[str, str, str]]:
    """What differs, as it is, as it is wanted."""
    for name, is_ in told.items():
        if name not in wanted or is_ == (said := wanted[name]):
            continue
        if name != "capacity" or (said is not None and not _are_close(str(is_), str(said))):
            yield name, _word(is_), _word(said)


def _are_close(one: str, other: str) -> bool:
    """Two rates; a capacity is rounded where workers make it."""
    return math.isclose(parse_rate_per_s(one), parse_rate_per_s(other), rel_tol=1e-3)


def _word(value: object) -> str:
    return "none" if value is None else str(value).lower()
