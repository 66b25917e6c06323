"""Plays one lane from beginning to end in continuous time."""

import heapq
import math
from collections.abc import Iterator
from itertools import chain, repeat, takewhile
from random import Random

from loadtests.arrivals import Arrivals, due_times
from loadtests.policies import Call
from loadtests.policy_states import policies_in_turn
from loadtests.scenario import PolicyChoice, Scenario
from loadtests.simulation.events.agenda import Agenda
from loadtests.simulation.events.bounds import Bounds
from loadtests.simulation.events.clients import Clients, Terms
from loadtests.simulation.events.gateways import Gateway, gateways_before
from loadtests.simulation.events.meter import metered
from loadtests.simulation.events.seen import Seen
from loadtests.simulation.events.service import Service
from loadtests.simulation.fleet import jitter_of, lane_line, source_of, states_of
from loadtests.simulation.metered import PlayedLane
from loadtests.simulation.stage import Stage, Told, each_tick, set_stage, told_nobody
from target_service.meter import LaneTick

_EDGE_S = 1e-10
"""What comes so little before a tick begins belongs to it: sums of floats are not exact."""

_ARRIVAL, _DUE, _LIMIT, _ANSWER, _WORK = range(5)


def play(
    scenario: Scenario,
    choice: PolicyChoice,
    until_s: float = math.inf,
    on_second: Told = told_nobody,
) -> PlayedLane:
    """The lane from 0 to its last tick, or to that in which `until_s` is.

    Raises `PolicyError` and `ScenarioError`.
    """
    lane = _Playing(scenario, choice, until_s)
    return PlayedLane(
        lane=lane_line(scenario, choice),
        metered=metered([lane.tick() for _ in each_tick(lane.stage.ticks, on_second)]),
        clients=lane.seen.all(),
        layers=tuple(gateway.metered() for gateway in lane.gateways),
        faults=lane.stage.recorded_faults(),
        actions=lane.stage.recorded_actions(),
    )


def _arrivals(scenario: Scenario, stage: Stage) -> Iterator[float]:
    """When requests are due: the same for every lane. After the end none is."""
    rng = Random(f"{scenario.seed}/arrivals/0")
    phase = rng.random() if scenario.load.arrivals is Arrivals.CONSTANT else 0.0
    due = due_times(scenario.load.arrivals, stage.rate_per_s, rng, phase=phase, surges=stage.surges)
    is_before_end = stage.end_s.__gt__  # without a step of Python's for each
    return chain(takewhile(is_before_end, due), repeat(math.inf))


class _Playing:
    """A lane in the tick that is running."""

    def __init__(self, scenario: Scenario, choice: PolicyChoice, until_s: float) -> None:
        load, name = scenario.load, choice.lane_name
        self.stage = stage = set_stage(scenario, name, until_s)
        self.seen = Seen(stage.ticks)
        agenda = Agenda(name, scenario.simulation.network_s, load.timeout_s)
        service = Service(stage, agenda, scenario.target.word())
        self.gateways: tuple[Gateway, ...] = gateways_before(service, scenario, choice, agenda)
        call = Call(jitter_of(scenario, choice), path=load.path)
        end_s = stage.target.grid.start_s(stage.ticks) - _EDGE_S
        self._clients = Clients(
            policies_in_turn(source_of(choice), states_of(scenario, choice)),
            Terms(call, load.timeout_s, load.deadlines, end_s, Bounds(stage, choice)),
            self.gateways[0] if self.gateways else service,
            agenda,
            self.seen,
        )
        self._agenda = agenda
        self._service = service
        self._arrivals = _arrivals(scenario, stage)
        self._next_due_s = next(self._arrivals)

    def tick(self) -> LaneTick:
        """Play the tick that is running to its end, and begin the next."""
        target, service = self.stage.target, self._service
        end_s = target.grid.start_s(target.seq + 1)
        self._happen(target.seq, end_s - _EDGE_S)
        service.work_until(end_s - _EDGE_S)
        target.observe(end_s, 0.0)
        service.look()
        for gateway in self.gateways:
            gateway.close_tick()
        self._clients.close_tick()
        finished = target.meter.last
        assert finished is not None  # noqa: S101 - a tick has just been
        return finished.lanes[self.stage.lane.name]

    def _happen(self, tick: int, before_s: float) -> None:  # noqa: C901 - the one loop of it all
        """Let happen what does before that time, in its order.

        The service lags behind, to where somebody comes or goes, if all that could be heard of it
        meanwhile are successes from which nothing follows.
        """
        agenda, clients, service = self._agenda, self._clients, self._service
        arrivals = self._arrivals
        answers, limits, due = agenda.answers, agenda.limits, agenda.due
        quiet = clients.are_quiet and not self.gateways
        steps = self.stage.lane.model if not quiet or service.acts_by_itself else None
        while True:
            now_s, what = self._next_due_s, _ARRIVAL
            if due and due[0][0] <= now_s:
                now_s, what = due[0][0], _DUE
            if limits and limits[0].until_s <= now_s:
                now_s, what = limits[0].until_s, _LIMIT
            if answers and answers[0][0] <= now_s:
                now_s, what = answers[0][0], _ANSWER
            if steps and (ends_s := steps.next_s) is not None and ends_s <= now_s:
                now_s, what = ends_s, _WORK
            if now_s >= before_s:
                return
            if what == _ARRIVAL:
                clients.request(tick, now_s)
                self._next_due_s = next(arrivals)
            elif what == _ANSWER:
                agenda.next_answer(now_s)
            elif what == _LIMIT:
                agenda.next_limit(now_s)
            elif what == _DUE:
                heapq.heappop(due)[2](now_s)
            else:
                service.work(now_s)
