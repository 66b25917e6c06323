"""The whole of a scenario, and what its parts must agree on."""

from collections import Counter
from collections.abc import Iterable
from typing import Self

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from aftershock_units import format_duration
from faults.action import OperatorAction
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.repeating import MAX_EVENTS, check_count
from faults.spike import Spike
from loadtests.opaque.catalogue import OPAQUE
from loadtests.scenario.action_choice import ActionChoice
from loadtests.scenario.check import MAX_TABLES, CheckTables, check_named
from loadtests.scenario.disturbances import DipChoice, Disturbance, FaultChoice, SpikeChoice
from loadtests.scenario.fields import Part, Seconds, Whole
from loadtests.scenario.load import Load
from loadtests.scenario.policy_choice import PolicyChoice
from loadtests.scenario.simulation import Simulation
from loadtests.scenario.target import Target

ARTICLE_000 = ("no-retry", "immediate", "exponential", "full-jitter", "full-jitter-budget")
SEEN_BEFORE_S = 1.0
"""How much load there is before anything goes wrong: without, nothing can be compared with it."""


class Scenario(Part):
    """The whole of it. The defaults are the run of article 000 at a tenth of its load."""

    name: str = Field("one-dip", pattern=r"^[ -~]{1,80}$")
    seed: Whole = Field(0, ge=0, le=2**53)
    warm_up_s: Seconds = Field(10.0, alias="warm_up")
    observation_s: Seconds = Field(30.0, alias="observation")
    load: Load = Field(default_factory=Load)
    target: Target = Field(default_factory=Target)
    policies: tuple[PolicyChoice, ...] = Field(
        default_factory=lambda: tuple(PolicyChoice(name=name) for name in ARTICLE_000),
        min_length=1,
        max_length=32,
    )
    dips: tuple[DipChoice, ...] = Field((), max_length=MAX_EVENTS)
    faults: tuple[FaultChoice, ...] = Field((), max_length=MAX_EVENTS)
    spikes: tuple[SpikeChoice, ...] = Field((), max_length=MAX_EVENTS)
    actions: tuple[ActionChoice, ...] = Field((), max_length=MAX_EVENTS)
    simulation: Simulation = Field(
        default_factory=Simulation, exclude_if=lambda given: given == Simulation()
    )
    check: CheckTables = Field((), max_length=MAX_TABLES, exclude_if=lambda given: not given)

    @model_validator(mode="before")
    @classmethod
    def _one_dip(cls, values: object) -> object:
        """There is one dip, unless the scenario names dips, none, or something else instead."""
        if isinstance(values, dict) and not {"dips", "faults", "spikes"} & values.keys():
            return {**values, "dips": ({},)}
        return values

    @model_validator(mode="wrap")
    @classmethod
    def _rate_of(cls, values: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        """A utilisation becomes the rate that it stands for."""
        made = read(values)
        load = made.load.resolved(made.target.capacity_per_s)
        return made if load is made.load else made.model_copy(update={"load": load})

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._check_lanes()
        self._check_dips()
        self._check_begin()
        self._check_repeated()
        for number, action in enumerate(self.actions):
            if action.at_s >= self.planned_end_s:
                raise ValueError(
                    f"actions.{number}: at: {action.at_s:g}s is not before the end of the run, "
                    f"{self.planned_end_s:g}s: let the observation last longer"
                )
        libraries = [choice.name for choice in self.policies if choice.name in OPAQUE]
        if self.load.deadlines and libraries:
            raise ValueError(
                f"load.deadlines: {libraries[0]} is a real library and says none: "
                "leave it or the deadlines out"
            )
        return self

    def _check_lanes(self) -> None:
        lanes = Counter(choice.lane_name for choice in self.policies)
        twice = [lane for lane, count in lanes.items() if count > 1]
        if twice:
            raise ValueError(
                f"policies: lane {twice[0]!r} is named twice; give each policy its own `lane`"
            )
        for table, named in self._lanes_named():
            unknown = set(named) - set(lanes)
            if unknown:
                raise ValueError(
                    f"{table}: unknown lane {sorted(unknown)[0]!r}: expected {', '.join(lanes)}"
                )
        check_named(self.check, [*lanes, *(choice.name for choice in self.policies)])

    def _lanes_named(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        for table, disturbances in self._disturbances():
            yield from ((table, event.lanes or ()) for event in disturbances)
        yield from (("actions", action.lanes or ()) for action in self.actions)

    def _disturbances(self) -> tuple[tuple[str, tuple[Disturbance, ...]], ...]:
        return (("dips", self.dips), ("faults", self.faults), ("spikes", self.spikes))

    def _check_dips(self) -> None:
        """The target can only lower what it has."""
        service = self.target.service()
        for number, dip in enumerate(self.dips):
            if dip.workers is not None and service is None:
                raise ValueError(
                    f"dips.{number}: workers: [target] has none: give it some, or a capacity here"
                )
            if dip.service_time_s is not None and (service is None or service.time is None):
                raise ValueError(
                    f"dips.{number}: service_time: [target] has none: give it one, "
                    "or a capacity here"
                )

    def _check_begin(self) -> None:
        """Recovery is a return to what was before: there must be something before."""
        for table, events in self._disturbances():
            for number, event in enumerate(events):
                if event.begin_s(self.warm_up_s) >= SEEN_BEFORE_S:
                    continue
                where = "warm_up" if event.at_s is None else f"{table}.{number}: at"
                begin = format_duration(event.begin_s(self.warm_up_s))
                raise ValueError(
                    f"{where}: {begin} is before any load was seen: expected at least "
                    f"{format_duration(SEEN_BEFORE_S)}, for something to compare with"
                )

    def _check_repeated(self) -> None:
        """Each time counts, and the last comes within a day."""
        for table, events in self._disturbances():
            where = table
            try:
                check_count(sum(event.times for event in events))
                for number, event in enumerate(events):
                    where = f"{table}.{number}"
                    event.begins_s(self.warm_up_s)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None

    def dip_schedule(self) -> tuple[Dip, ...]:
        """Each dip with its instant, in seconds from the beginning of the load."""
        return tuple(dip for choice in self.dips for dip in choice.dips(self.warm_up_s))

    def fault_schedule(self) -> tuple[ServiceFault, ...]:
        """The other faults, likewise."""
        return tuple(fault for choice in self.faults for fault in choice.faults(self.warm_up_s))

    def spike_schedule(self) -> tuple[Spike, ...]:
        """The spikes of load, likewise."""
        return tuple(spike for choice in self.spikes for spike in choice.spikes(self.warm_up_s))

    def action_schedule(self) -> tuple[OperatorAction, ...]:
        """What the operator does, likewise."""
        return tuple(choice.operator_action() for choice in self.actions)

    @property
    def planned_end_s(self) -> float:
        """The end of the observation, in seconds from the beginning of the load.

        It follows the last disturbance. Actions belong to what is observed.
        """
        disturbances = (*self.dips, *self.faults, *self.spikes)
        ends_s = (event.end_s(self.warm_up_s) for event in disturbances)
        return max(ends_s, default=self.warm_up_s) + self.observation_s

    def layers(self) -> tuple[dict[str, str], ...]:
        """The gateways from the outermost inward: the policy of each lane that retries there.

        A lane with fewer layers than others has its own next to the target.
        """
        depth = max(len(choice.layer_policies) for choice in self.policies)
        gateways: tuple[dict[str, str], ...] = tuple({} for _ in range(depth))
        for choice in self.policies:
            policies = choice.layer_policies
            for gateway, policy in zip(gateways[depth - len(policies) :], policies, strict=True):
                gateway[choice.lane_name] = policy
        return gateways
