"""All that is needed before the first run: which lanes are searched, where and how."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version

from loadtests.overrides import Flags
from loadtests.scenario import Scenario, ScenarioError, parse_scenario
from loadtests.simulation.engines import Engine, choose
from loadtests.simulation.sweep.checking import check_flags
from loadtests.simulation.sweep.given import Given
from loadtests.simulation.tipping.answer import Answers, answer_of_lane
from loadtests.simulation.tipping.lanes import Lane, check_seeds, values_of_lane
from loadtests.simulation.tipping.ranges import Range, read_range
from loadtests.simulation.tipping.search import Plan
from reports.rendering import words


@dataclass(frozen=True)
class Hunt:
    """The searches of a scenario: one in each lane that the field concerns.

    `spared` are the lanes that it does not.
    """

    scenario: Scenario
    source: str
    lanes: tuple[Lane, ...]
    spared: tuple[str, ...]
    plan: Plan

    @property
    def range(self) -> Range:
        """The same in all lanes."""
        return self.lanes[0].range

    def announcement(self) -> tuple[str, ...]:
        """What is to be known before it begins."""
        span = self.range
        by_itself = ", the range it has by itself" if span.own else ""
        return (
            f"{span.path} is tried from {span.text}{by_itself}",
            *(f"{lane} is left out: {span.path} changes nothing there" for lane in self.spared),
        )

    def answers(self, *, interrupted: bool = False) -> Answers:
        """As sure as the runs of each lane are by now."""
        engines = {choose(lane.scenario_at(0), lane.engine).engine.value for lane in self.lanes}
        return Answers(
            name=self.scenario.name,
            source=self.source,
            scenario=self.scenario.model_dump(mode="json", by_alias=True),
            version=version("aftershock"),
            seeds=max(lane.seeds_used for lane in self.lanes),
            path=self.range.path,
            range_text=self.range.text,
            confidence=self.plan.confidence,
            most_runs=self.plan.most_runs,
            engines=tuple(sorted(engines)),
            lanes=tuple(answer_of_lane(lane, self.plan) for lane in self.lanes),
            interrupted=interrupted,
        )


def prepare(given: Given, along: str, confidence: float, most_runs: int) -> Hunt:
    """Read what is asked for. Raises `ScenarioError`, naming the file, the flag or the field."""
    scenario = _scenario(given.values, given.source)
    lanes, spared = [], []
    for choice in scenario.policies:
        lane = _lane(given.values, scenario, choice.lane_name, along, given.engine)
        if lane is None:
            spared.append(choice.lane_name)
        else:
            lanes.append(lane)
    if not lanes:
        raise ScenarioError(f"--along {words.printable(along)}: it changes nothing for any policy")
    _check_flags(lanes[0].range, given.flags)
    try:
        plan = Plan(lanes[0].range.sizes, confidence, most_runs)
    except ValueError as error:
        raise ScenarioError(f"--{error}") from None
    check_seeds(scenario, plan)
    return Hunt(scenario, given.source, tuple(lanes), tuple(spared), plan)


def _check_flags(span: Range, flags: Flags) -> None:
    try:
        check_flags({span.path: span.place.field}, flags)
    except ScenarioError as error:
        raise ScenarioError(f"--along {error}") from None


def _scenario(values: Mapping[str, object], source: str) -> Scenario:
    try:
        return parse_scenario(values)
    except ScenarioError as error:
        lines = (f"{source}: {line}" for line in str(error).splitlines())
        raise ScenarioError("\n".join(lines)) from None


def _lane(
    values: Mapping[str, object], scenario: Scenario, name: str, along: str, engine: Engine
) -> Lane | None:
    """The search in this lane; None where the field changes nothing there."""
    policy = next(choice.name for choice in scenario.policies if choice.lane_name == name)
    try:
        own = values_of_lane(values, along.partition("=")[0].strip(), name)
        if own is None:
            return None
        span = read_range(along, own, scenario)
        lane = Lane(name, policy, dict(own), span, engine, scenario.seed)
        return lane if lane.differs() else None
    except ScenarioError as error:
        raise ScenarioError(f"--along {error}") from None
