"""The runs of one lane at one value: the scenario without the other lanes, and with the value set.

No two values are given the same seeds. Which values are tried depends on what came of earlier
runs, so a seed used again would not be as good as chance.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from loadtests.scenario import Scenario, ScenarioError, parse_scenario
from loadtests.simulation.engines import Engine, choose
from loadtests.simulation.many import MAX_SEED, Task, tasks_of
from loadtests.simulation.measured import Measured
from loadtests.simulation.sweep.alone import only_lane
from loadtests.simulation.sweep.axes import Values, vary
from loadtests.simulation.sweep.paths import ONE_OF, members_of, place_of
from loadtests.simulation.tipping.ranges import Range
from loadtests.simulation.tipping.search import Ask, Plan, Tally


@dataclass(frozen=True, slots=True)
class Watched:
    """What was seen of the runs at one value beside their number.

    `observed_s` is the shortest time they were observed after the last disturbance, `latest_s` the
    latest that one of those that recovered had done so, and `lasted_s` how long the longest
    disturbance lasts.
    """

    observed_s: float
    latest_s: float
    lasted_s: float


@dataclass
class Lane:
    """The search in one lane. `tried` and `watched` are by the place of the value."""

    name: str
    policy: str
    values: Values
    range: Range
    engine: Engine
    first_seed: int
    tried: dict[int, Tally] = field(default_factory=dict)
    watched: dict[int, Watched] = field(default_factory=dict)
    seeds_used: int = 0

    def scenario_at(self, place: int) -> Scenario:
        """Of this lane alone. Raises `ScenarioError` where it cannot be."""
        settings = {self.range.path: self.range.values[place]}
        try:
            return only_lane(parse_scenario(vary(self.values, settings)), self.name)
        except ScenarioError as error:
            value = self.range.values[place]
            raise ScenarioError(f"{self.range.path} = {value}: {error}") from None

    def differs(self) -> bool:
        """Whether the field changes anything. Raises `ScenarioError` where an end cannot be."""
        low, high = (self.scenario_at(place) for place in (0, len(self.range.values) - 1))
        choose(low, self.engine)
        choose(high, self.engine)
        return low != high

    def tasks(self, ask: Ask) -> list[Task]:
        """So many runs, each with a seed that no other run of this lane has."""
        scenario = self.scenario_at(ask.place)
        seed = self.first_seed + self.seeds_used
        self.seeds_used += ask.runs
        return tasks_of(scenario.model_copy(update={"seed": seed}), self.engine, ask.runs)

    def add(self, place: int, runs: list[Measured]) -> None:
        """What came of runs at one value, in the order of their seeds."""
        if not runs:
            return
        recovered = [run for run in runs if run.recovered]
        before = self.tried.get(place, Tally(0, 0))
        self.tried[place] = before + Tally(len(recovered), len(runs))
        observed_s = min(run.observed_s for run in runs)
        latest_s = max((_recovered_s(run) for run in recovered), default=0.0)
        seen = self.watched.get(place)
        if seen is None:
            lasted_s = _longest_s(self.scenario_at(place))
            self.watched[place] = Watched(observed_s, latest_s, lasted_s)
        else:
            self.watched[place] = replace(
                seen,
                observed_s=min(seen.observed_s, observed_s),
                latest_s=max(seen.latest_s, latest_s),
            )


def _recovered_s(run: Measured) -> float:
    return max(run.settled_s or 0.0, run.goodput_back_s or 0.0)


def _longest_s(scenario: Scenario) -> float:
    events = (*scenario.dips, *scenario.faults, *scenario.spikes)
    return max((event.lasts_s for event in events), default=0.0)


def values_of_lane(
    values: Mapping[str, object], path: str, lane: str
) -> Mapping[str, object] | None:
    """The scenario in which ``dip.for`` is the dip of this lane; None where it has none.

    A path that names its table by number, or another table, is for the whole scenario. Raises
    `ScenarioError` where there are several that concern the lane.
    """
    table = ONE_OF.get(path.partition(".")[0])
    if table is None:
        return values
    members = members_of(values, table)
    own = [member for member in members if _concerns(member, lane)]
    if len(own) > 1 or not members:
        place_of(path, values)
    return {**values, table: own} if own else None


def _concerns(member: Mapping[str, object], lane: str) -> bool:
    lanes = member.get("lanes")
    return not isinstance(lanes, list | tuple) or lane in lanes


def check_seeds(scenario: Scenario, plan: Plan) -> None:
    """Raises `ScenarioError` where the seeds would not suffice."""
    if scenario.seed + plan.most_runs > MAX_SEED:
        raise ScenarioError(
            f"seed: {scenario.seed}: with {plan.most_runs} runs the last is above 2^53"
        )
