"""What the flags of the verbs that play a scenario change in it, before it is read."""

from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path

from aftershock_units import format_duration, format_share
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.schedule import Part, dip_parts, fault_parts, spike_parts
from faults.spike import Spike
from faults.wire import TargetState
from loadtests.imports import printable
from loadtests.policy_names import MAX_LANE, file_remarks, policy_table
from loadtests.running_target import scenario_at
from loadtests.scenario import (
    PolicyChoice,
    Scenario,
    ScenarioError,
    load_scenario_values,
    parse_scenario,
)

Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags as they were given; None: not."""

    policies: list[str] | None = None
    rate: str | None = None
    utilisation: str | None = None
    arrivals: str | None = None
    path: str | None = None
    capacity: str | None = None
    workers: int | None = None
    service_time: str | None = None
    dip: str | None = None
    fault: str | None = None
    spike: str | None = None
    warm_up: str | None = None
    observation: str | None = None
    seed: int | None = None
    scale: str | None = None
    admits: str | None = None

    def given(self) -> list[str]:
        """The names of those that were, as they are written."""
        names = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        written = {"policies": "policy"}
        return [f"--{written.get(name, name).replace('_', '-')}" for name in names]

    def change(self, values: Values) -> None:
        """Put what was given into a scenario's values. Raises `ScenarioError`."""
        override_load(values, self.rate, self.utilisation)
        override(values, "load", arrivals=self.arrivals, path=self.path)
        override_service(values, self.capacity, self.workers, self.service_time)
        override(values, "simulation", scale=self.scale, admits=self.admits)
        override_top(values, warm_up=self.warm_up, observation=self.observation, seed=self.seed)
        if self.policies:
            values["policies"] = chosen_policies(values, self.policies)
        if self.dip is not None:
            values["dips"] = dips_of(self.dip)
        # One that says nothing, such as an empty variable's, takes no default dip away.
        if self.fault is not None and (faults := faults_of(self.fault)):
            values["faults"] = faults
        if self.spike is not None and (spikes := spikes_of(self.spike)):
            values["spikes"] = spikes


def read_scenario(
    file: Path | None, flags: Flags, running: TargetState | None = None
) -> tuple[Scenario, list[str]]:
    """The scenario of a file, or the default one, with the flags; and remarks about it.

    It is played at the target that is `running`, or at one of its own. Raises `ScenarioError`, a
    line a mistake; those that are the file's begin with its name.
    """
    values = load_scenario_values(file) if file else {}
    flags.change(values)
    try:
        if running is None:
            return parse_scenario(values), remarks(values)
        scenario, notes = scenario_at(running, values)
        return scenario, [*remarks(values), *notes]
    except ScenarioError as error:
        if file is None:
            raise
        own = _mistakes(load_scenario_values(file))
        lines = [
            f"{printable(str(file))}: {line}" if line in own else line
            for line in str(error).splitlines()
        ]
        raise ScenarioError("\n".join(lines)) from None


def change_scenario(scenario: Scenario, flags: Flags) -> Scenario:
    """A scenario that is there already, with the flags. Raises `ScenarioError`."""
    if flags == Flags():
        return scenario
    values: Values = scenario.model_dump(mode="json", by_alias=True)
    flags.change(values)
    return parse_scenario(values)


def _mistakes(values: Values) -> list[str]:
    try:
        parse_scenario(values)
    except ScenarioError as error:
        return str(error).splitlines()
    return []


def override(values: Values, table: str, **flags: object) -> None:
    """Flags that are given replace the keys of `table`."""
    given = {name: value for name, value in flags.items() if value is not None}
    settings = values.get(table, {})
    if given and isinstance(settings, dict):  # what is no table is refused with the rest
        values[table] = {**settings, **given}


def override_load(values: Values, rate: str | None, utilisation: str | None) -> None:
    """The flags for how much load there is: each in the place of either in the scenario."""
    settings = values.get("load")
    if (rate is not None or utilisation is not None) and isinstance(settings, dict):
        kept = {key: value for key, value in settings.items() if key not in _HOW_MUCH}
        values["load"] = kept
    override(values, "load", rate=rate, utilisation=utilisation)


_HOW_MUCH = ("rate", "utilisation")


def override_service(
    values: Values, capacity: str | None, workers: int | None, service_time: str | None
) -> None:
    """The flags for the target: workers come in the place of the scenario's capacity."""
    override(values, "target", capacity=capacity, workers=workers, service_time=service_time)
    settings = values.get("target")
    if workers is not None and capacity is None and isinstance(settings, dict):
        settings.pop("capacity", None)


def override_top(values: Values, **flags: object) -> None:
    """Flags that are given replace the keys that are in no table."""
    values.update({name: value for name, value in flags.items() if value is not None})


def chosen_policies(values: Values, names: list[str]) -> list[Values]:
    """The named policies, with the scenario's parameters where it has them."""
    listed = values.get("policies")
    known = (
        {p.get("name"): p for p in listed if isinstance(p, dict)}
        if isinstance(listed, list)
        else {}
    )
    tables = [dict(known.get(name) or policy_table(name)) for name in names]
    _tell_apart(tables)
    return tables


def _tell_apart(tables: list[Values]) -> None:
    """Give lanes of one name a number: files are called alike, a policy can run beside itself."""
    taken: Counter[str] = Counter()
    for table in tables:
        try:
            lane = PolicyChoice.model_validate(table).lane_name
        except ValueError:
            continue  # the scenario names what is wrong with it
        taken[lane] += 1
        if taken[lane] > 1:
            table["lane"] = f"{lane[: MAX_LANE - 5]} ({taken[lane]})"


def remarks(values: Values) -> list[str]:
    """What is left out of the policies that are named by files: never silently."""
    listed = values.get("policies")
    names = (
        [p.get("name") for p in listed if isinstance(p, dict)] if isinstance(listed, list) else []
    )
    return [line for name in names if isinstance(name, str) for line in file_remarks(name)]


def dips_of(text: str) -> list[Values]:
    """As a scenario has them: a dip that does not say when begins when the warm-up is over."""
    try:
        parts = dip_parts(text)
    except ValueError as error:
        raise ScenarioError(f"--dip: {error}") from None
    dips = [(part.first, part) for part in parts]
    return [{"capacity": dip.capacity, "shape": dip.shape, **_when(part)} for dip, part in dips]


def faults_of(text: str) -> list[Values]:
    """As a scenario has them; likewise."""
    try:
        parts = fault_parts(text)
    except ValueError as error:
        raise ScenarioError(f"--fault: {error}") from None
    return [{**_what(part.first), **_when(part)} for part in parts]


def _what(fault: ServiceFault) -> Values:
    durations = {"add": fault.add_s, "spread": fault.spread_s, "retry_after": fault.retry_after_s}
    said = {name: format_duration(value) for name, value in durations.items() if value is not None}
    return {
        "type": fault.type, "share": format_share(fault.share), "status": fault.status, **said
    }  # fmt: skip


def spikes_of(text: str) -> list[Values]:
    """As a scenario has them; likewise."""
    try:
        parts = spike_parts(text)
    except ValueError as error:
        raise ScenarioError(f"--spike: {error}") from None
    return [{"factor": part.first.factor, **_when(part)} for part in parts]


def _when(part: Part[Dip] | Part[ServiceFault] | Part[Spike]) -> Values:
    event = part.first
    at = format_duration(event.at_s) if part.at_said else None
    every = None if part.every_s is None else format_duration(part.every_s)
    when: Values = {"for": format_duration(event.for_s), "at": at, "lanes": event.lanes}
    return {**when, "repeat": part.repeat, "every": every}
