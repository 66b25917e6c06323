"""The same as the events engine, the plain way: to look at when somebody makes that one faster.

Every request has its machine, every attempt goes to the live target's own methods, and all that is
going to happen is in one list. No layers, no faults, no words that are drawn.
"""

import math
from bisect import insort
from collections.abc import Callable
from itertools import count, cycle
from random import Random

from loadtests.arrivals import Arrivals, due_times
from loadtests.policies import Action, AttemptError, Call, Outcome, Request, Send, Stop
from loadtests.scenario import PolicyChoice, Scenario
from loadtests.simulation.fleet import source_of, states_of
from loadtests.simulation.stage import set_stage
from reports.record import Requests, bucket_of
from target_service.meter import LaneTick
from target_service.service import Fate, Job, Verdict

ANSWER, LIMIT, DUE, ARRIVAL = range(4)
"""The order of what happens at one instant, after the ends of work at the service."""
END = (math.inf, ARRIVAL, 0, lambda _at_s: None)


class Plainly:
    """One lane of a scenario."""

    def __init__(self, scenario: Scenario, choice: PolicyChoice) -> None:
        self.scenario = scenario
        self.stage = set_stage(scenario, choice.lane_name)
        self.target, self.lane = self.stage.target, self.stage.lane
        source = source_of(choice)
        self.policies = cycle([source.build() for _ in range(states_of(scenario, choice))])
        seed, lane = scenario.seed, choice.lane_name
        jitter = Random(f"{seed}/jitter-{lane}-{choice.name}/simulation")
        self.call = Call(jitter, path=scenario.load.path)
        word = scenario.target.word()
        self.headers = {name.decode(): value.decode() for name, value in word.fixed()}
        self.status = word.status
        self.ahead: list[tuple[float, int, int, Callable[[float], None]]] = [END]
        self.order = count()
        self.waiting: dict[Job, _Attempt] = {}
        self.ticks: list[LaneTick] = []
        self.seen: dict[int, Requests] = {}

    def at(self, at_s: float, rank: int, event: Callable[[float], None]) -> None:
        insort(self.ahead, (at_s, rank, next(self.order), event))

    def play(self) -> "Plainly":
        """To the end."""
        for due_s in self.arrivals():
            self.at(due_s, ARRIVAL, lambda at_s: _Request(self, at_s).start(at_s))
        for _ in range(self.stage.ticks):
            end_s = self.target.grid.start_s(self.target.seq + 1)
            while self.happens_before(end_s - 1e-10):
                pass
            self.target.observe(end_s, 0.0)
            self.look(end_s)
            finished = self.target.meter.last
            assert finished is not None
            self.ticks.append(finished.lanes[self.lane.name])
        return self

    def arrivals(self) -> list[float]:
        load = self.scenario.load
        found: list[float] = []
        rng = Random(f"{self.scenario.seed}/arrivals/0")
        phase = rng.random() if load.arrivals is Arrivals.CONSTANT else 0.0
        surges = self.stage.surges
        for due_s in due_times(
            load.arrivals, self.stage.rate_per_s, rng, phase=phase, surges=surges
        ):
            if due_s >= self.scenario.planned_end_s:
                return found
            found.append(due_s)
        raise AssertionError("arrivals are without end")

    def happens_before(self, before_s: float) -> bool:
        model = self.lane.model
        at_s, _, _, event = self.ahead[0]
        ends_s = math.inf if model is None or model.next_s is None else model.next_s
        if min(at_s, ends_s) >= before_s:
            return False
        if model is not None and ends_s <= at_s:
            model.advance(ends_s)
            self.look(ends_s)
        else:
            del self.ahead[0]
            event(at_s)
        return True

    def look(self, now_s: float) -> None:
        model = self.lane.model
        if model is None:
            return
        ended = list(model.ended)
        model.ended.clear()
        for job, fate in ended:
            attempt = self.waiting.pop(job, None)
            if attempt is None:
                continue
            self.target.complete(self.lane, job.attempt, now_s, shed=fate is not Fate.SERVED)
            status = {Fate.SERVED: 200, Fate.SHED: self.status, Fate.EXPIRED: 504}[fate]
            attempt.answered(status, now_s)

    def bin(self, tick: int) -> Requests:
        return self.seen.setdefault(tick, Requests(tick * 0.1, self.lane.name))


class _Request:
    """One request of a client."""

    def __init__(self, play: Plainly, due_s: float) -> None:
        self.play = play
        self.due_s = due_s
        self.tick = play.target.seq
        self.request = Request(next(play.policies), play.call)
        self.flights: list[_Attempt] = []
        self.said = 0
        play.bin(self.tick).issued += 1

    def start(self, now_s: float) -> None:
        self.perform(self.request.start(now_s), now_s)

    def perform(self, action: Action, now_s: float) -> None:
        self.said += 1
        if isinstance(action, Stop):
            for flight in list(self.flights):
                flight.leave(now_s)
            self.count(action, now_s)
        elif isinstance(action, Send):
            attempt = _Attempt(self, self.request.sent(), action, now_s)
            self.play.bin(self.tick).attempts += 1
            if action.hedge_after_s is not None:
                self.ask_again(now_s + action.hedge_after_s)
            attempt.arrive(now_s)
        elif action.seconds is not None:
            self.ask_again(now_s + action.seconds)

    def count(self, stop: Stop, now_s: float) -> None:
        bin_ = self.play.bin(self.tick)
        if self.request.succeeded:
            bin_.succeeded += 1
            bin_.latency[bucket_of((now_s - self.due_s) * 1000)] += 1
        else:
            bin_.failed[stop.reason.value] += 1

    def ask_again(self, at_s: float) -> None:
        said = self.said

        def ask(now_s: float) -> None:
            if said == self.said:
                self.perform(self.request.resumed(now_s), now_s)

        self.play.at(at_s, DUE, ask)


class _Attempt:
    """One attempt of it."""

    def __init__(self, of: _Request, number: int, send: Send, now_s: float) -> None:
        play, load = of.play, of.play.scenario.load
        limit_s = load.timeout_s if send.timeout_s is None else min(send.timeout_s, load.timeout_s)
        self.of = of
        self.sent_s = now_s
        self.is_over = False
        self.job = Job(min(number, 32), deadline_s=now_s + limit_s if load.deadlines else None)
        of.flights.append(self)
        play.at(now_s + limit_s, LIMIT if limit_s == load.timeout_s else DUE, self.give_up)

    def arrive(self, now_s: float) -> None:
        play = self.of.play
        verdict = play.target.offer(play.lane, self.job, now_s)
        if verdict is not Verdict.TAKEN:
            self.answered(504 if verdict is Verdict.EXPIRED else play.status, now_s)
        elif play.lane.model is not None:
            play.waiting[self.job] = self
        else:
            play.target.complete(play.lane, self.job.attempt, now_s)
            self.answered(200, now_s)
        play.look(now_s)

    def answered(self, status: int, now_s: float) -> None:
        def comes(at_s: float) -> None:
            if not self.is_over:
                headers = self.of.play.headers if status >= 400 else {}
                self.end(Outcome(status, at_s - self.sent_s, None, headers, at_s), at_s)

        self.of.play.at(now_s + self.of.play.scenario.simulation.network_s, ANSWER, comes)

    def give_up(self, now_s: float) -> None:
        if not self.is_over:
            self.leave(now_s)
            took_s = now_s - self.sent_s
            outcome = Outcome(None, took_s, AttemptError.TIMEOUT, received_epoch_s=now_s)
            self.of.perform(self.of.request.finished(now_s, outcome), now_s)

    def end(self, outcome: Outcome, now_s: float) -> None:
        self.is_over = True
        self.of.flights.remove(self)
        self.of.perform(self.of.request.finished(now_s, outcome), now_s)

    def leave(self, now_s: float) -> None:
        self.is_over = True
        self.of.flights.remove(self)
        play = self.of.play
        if play.waiting.pop(self.job, None) is not None:
            play.target.leave(play.lane, self.job, now_s)
            play.target.abandon(play.lane, self.job.attempt, now_s)
            play.look(now_s)
