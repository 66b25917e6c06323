"""Plays one lane from beginning to end in continuous time."""

import heapq
import math
from collections.abc import Iterator
from random import Random

from loadtests.arrivals import Arrivals, due_times
from loadtests.policies import Call
from loadtests.scenario import PolicyChoice, Scenario
from loadtests.simulation.events.agenda import Agenda
from loadtests.simulation.events.clients import Clients
from loadtests.simulation.events.gateways import gateways_before
from loadtests.simulation.events.meter import metered
from loadtests.simulation.events.service import Service
from loadtests.simulation.fleet import jitter_of, lane_line, policies_in_turn, source_of, states_of
from loadtests.simulation.metered import PlayedLane
from loadtests.simulation.stage import Stage, set_stage
from target_service.meter import LaneTick

_EDGE_S = 1e-10
"""What comes so little before a tick begins belongs to it: sums of floats are not exact."""


def play(scenario: Scenario, choice: PolicyChoice) -> PlayedLane:
    """The lane from 0 to its last tick. Raises `PolicyError` and `ScenarioError`."""
    stage = set_stage(scenario, choice.lane_name)
    load = scenario.load
    agenda = Agenda(choice.lane_name, scenario.simulation.network_s, load.timeout_s)
    service = Service(stage, agenda, scenario.target.word())
    gateways = gateways_before(service, scenario, choice, agenda)
    clients = Clients(
        policies_in_turn(source_of(choice), states_of(scenario, choice)),
        Call(jitter_of(scenario, choice), path=load.path),
        gateways[0] if gateways else service,
        agenda,
        stage.ticks,
        load.timeout_s,
        load.deadlines,
    )
    lane = _Playing(stage, agenda, service, clients, _arrivals(scenario, stage))
    ticks = []
    for _ in range(stage.ticks):
        ticks.append(lane.tick())
        for gateway in gateways:
            gateway.close_tick()
    return PlayedLane(
        lane=lane_line(scenario, choice),
        metered=metered(ticks),
        clients=clients.seen(),
        layers=tuple(gateway.metered() for gateway in gateways),
        faults=stage.recorded_faults(),
        actions=stage.recorded_actions(),
    )


def _arrivals(scenario: Scenario, stage: Stage) -> Iterator[float]:
    """When requests are due: the same for every lane. After the planned end none is."""
    rng = Random(f"{scenario.seed}/arrivals/0")
    phase = rng.random() if scenario.load.arrivals is Arrivals.CONSTANT else 0.0
    due = due_times(scenario.load.arrivals, stage.rate_per_s, rng, phase=phase, surges=stage.surges)
    for due_s in due:
        if due_s >= scenario.planned_end_s:
            break
        yield due_s
    yield math.inf


class _Playing:
    """A lane in the tick that is running."""

    def __init__(
        self,
        stage: Stage,
        agenda: Agenda,
        service: Service,
        clients: Clients,
        arrivals: Iterator[float],
    ) -> None:
        self._stage = stage
        self._agenda = agenda
        self._service = service
        self._clients = clients
        self._arrivals = arrivals
        self._next_due_s = next(arrivals)

    def tick(self) -> LaneTick:
        """Play the tick that is running to its end, and begin the next."""
        target, lane = self._stage.target, self._stage.lane
        end_s = target.grid.start_s(target.seq + 1)
        while self._event(target.seq, end_s - _EDGE_S):
            pass
        target.observe(end_s, 0.0)
        self._service.look(end_s)
        finished = target.meter.last
        assert finished is not None  # noqa: S101 - a tick has just been
        return finished.lanes[lane.name]

    def _event(self, tick: int, before_s: float) -> bool:
        """Let happen what is next, if it is before that time."""
        agenda, model = self._agenda, self._stage.lane.model
        ends_s = model.next_s if model is not None else None
        times = (
            math.inf if ends_s is None else ends_s,
            agenda.answers[0][0] if agenda.answers else math.inf,
            agenda.limits[0][0] if agenda.limits else math.inf,
            agenda.due[0][0] if agenda.due else math.inf,
            self._next_due_s,
        )
        now_s = min(times)
        if now_s >= before_s:
            return False
        which = times.index(now_s)
        if which == 0:
            self._service.work(now_s)
        elif which == 1:
            _, attempt, reply = agenda.answers.popleft()
            if not attempt.over:
                attempt.over = True
                attempt.caller.ended(attempt, reply, now_s)
        elif which == 2:
            _, attempt = agenda.limits.popleft()
            if not attempt.over:
                attempt.over = True
                attempt.caller.gave_up(attempt, now_s)
        elif which == 3:
            _, _, event = heapq.heappop(agenda.due)
            event(now_s)
        else:
            self._next_due_s = next(self._arrivals)
            self._clients.request(tick, now_s)
        return True
