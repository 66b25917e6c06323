"""Whatever happens to a lane with workers, its counts add up and its promises hold."""

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from target_service.dips import DipPlan
from target_service.lanes import Lane
from target_service.levels import Level, parse_level, parse_service_time_level
from target_service.service import Abandoned, Fate, Job, QueueModel, ServiceConfig, Verdict
from target_service.service.config import Discipline, Order, ShedFirst
from target_service.service.times import parse_service_time
from target_service.target import Target

TIMES = ["30ms", "exponential 30ms", "lognormal 80ms 1"]
LEVELS = [parse_level("0%"), parse_level("35%"), parse_level("12/s")]
CONFIGS = st.builds(
    ServiceConfig,
    workers=st.integers(1, 4),
    time=st.sampled_from([parse_service_time(text) for text in TIMES]),
    queue=st.integers(0, 6),
    discipline=st.builds(
        Discipline, st.sampled_from(Order), st.just(0.02), st.sampled_from([0.02, 0.1])
    ),
    abandoned=st.sampled_from(Abandoned),
    turn_away_cost=st.sampled_from([0.0, 0.1, 1.0]),
    max_wait_s=st.sampled_from([None, 0.05]),
    shed_first=st.sampled_from(ShedFirst),
    heed_deadlines=st.booleans(),
)


@dataclass(frozen=True)
class Coming:
    """An attempt, some time after what was before it."""

    after_s: float
    attempt: int
    priority: int
    patience_s: float | None


GAPS = st.sampled_from([0.0, 0.001, 0.01, 0.0371, 0.12])
BURST = st.lists(
    st.builds(
        Coming,
        GAPS,
        attempt=st.integers(0, 4),
        priority=st.integers(0, 7),
        patience_s=st.sampled_from([None, 0.0, 0.03, 0.2]),
    ),
    min_size=2,
    max_size=9,
)


class Twins(RuleBasedStateMachine):
    """Two targets see the same; `often` is moved on at odd instants, `late` only when it must."""

    @initialize(config=CONFIGS, seed=st.integers(0, 1000))
    def begin(self, config: ServiceConfig, seed: int) -> None:
        """Both are at the beginning."""
        self.config = config
        self.now_s = 0.0
        self.targets = [Target(0, 0.1, 100_000, service=config, seed=seed) for _ in range(2)]
        self.lanes = [target.lane("a", 0.0) for target in self.targets]
        self.inside: dict[Job, Job] = {}
        self.ended: list[list[tuple[int, str, float, float]]] = [[], []]
        self.names: dict[Job, int] = {}
        self.number = 0

    def arrive(self, one: Coming) -> None:
        """An attempt arrives, at both."""
        self.now_s += one.after_s
        deadline_s = None if one.patience_s is None else self.now_s + one.patience_s
        jobs = [Job(one.attempt, one.priority, deadline_s) for _ in range(2)]
        said = [
            target.offer(lane, job, self.now_s)
            for target, lane, job in zip(self.targets, self.lanes, jobs, strict=True)
        ]
        assert said[0] is said[1]
        self.number += 1
        self.names |= dict.fromkeys(jobs, self.number)
        if said[0] is Verdict.TAKEN:
            self.inside[jobs[0]] = jobs[1]
        self.look()

    @rule(coming=BURST)
    def arrive_together(self, coming: list[Coming]) -> None:
        """Some arrive."""
        for one in coming:
            self.arrive(one)

    @rule(coming=BURST, after_s=GAPS, which=st.integers(0, 1000))
    def leave(self, coming: list[Coming], after_s: float, which: int) -> None:
        """A client goes, unless its answer comes at that instant."""
        self.arrive_together(coming)
        self.now_s += after_s
        self.advance(0)
        self.advance(1)
        self.look()
        if not self.inside:
            return
        job = list(self.inside)[which % len(self.inside)]
        for number, gone in enumerate((job, self.inside.pop(job))):
            self.targets[number].leave(self.lanes[number], gone, self.now_s)
            self.targets[number].abandon(self.lanes[number], gone.attempt, self.now_s)
        self.look()

    @rule(coming=BURST, after_s=st.floats(0, 0.07))
    def look_often(self, coming: list[Coming], after_s: float) -> None:
        """Only one is moved on."""
        self.arrive_together(coming)
        self.now_s += after_s
        self.advance(0)

    @rule(
        coming=BURST,
        level=st.sampled_from([*LEVELS, parse_service_time_level("200ms")]),
        for_s=st.floats(0.05, 0.6),
        slow_start_s=st.sampled_from([0.0, 0.3]),
    )
    def dip(self, coming: list[Coming], level: Level, for_s: float, slow_start_s: float) -> None:
        """Fewer or slower workers for a while."""
        plan = DipPlan(level, for_s, slow_start_s=slow_start_s)
        for target in self.targets:
            target.begin_dip(plan, self.now_s)
        self.arrive_together(coming)

    @rule(coming=BURST, per_s=st.floats(5, 200))
    def set_capacity(self, coming: list[Coming], per_s: float) -> None:
        """More or fewer workers for good."""
        for target in self.targets:
            target.set_capacity(per_s, None, self.now_s)
        self.arrive_together(coming)

    def advance(self, which: int) -> None:
        """Move one of them on to now."""
        self.targets[which].advance(self.now_s)
        self.model(self.lanes[which]).advance(self.now_s)

    @staticmethod
    def model(lane: Lane) -> QueueModel:
        assert lane.model is not None
        return lane.model

    def look(self) -> None:
        """Answer those that have been served or refused."""
        for number, (target, lane) in enumerate(zip(self.targets, self.lanes, strict=True)):
            model = self.model(lane)
            for job, fate in model.ended:
                self.ended[number].append(
                    (self.names[job], fate.value, job.arrived_s, job.started_s)
                )
                if fate is Fate.SERVED:
                    self.check_service(job)
                if job.gone:
                    continue
                target.complete(lane, job.attempt, self.now_s, shed=fate is not Fate.SERVED)
                if number == 0:
                    del self.inside[job]
            model.ended.clear()

    def check_service(self, job: Job) -> None:
        """Nothing begins too late."""
        config = self.config
        assert job.started_s >= job.arrived_s
        if config.max_wait_s is not None:
            assert job.started_s <= job.arrived_s + config.max_wait_s
        if config.discipline.order is Order.CODEL:
            assert job.started_s <= job.arrived_s + config.discipline.interval_s
        if config.heed_deadlines and job.deadline_s is not None:
            assert job.started_s < job.deadline_s

    def counts_add_up(self) -> None:
        """Of every tick, and of all of them with the running one."""
        for target, lane in zip(self.targets, self.lanes, strict=True):
            ticks = [*target.meter._closed]
            assert [seq for seq, _ in ticks] == list(range(target.seq))
            last = lane.counts.frozen(0.0)
            admitted = done = 0
            for tick in [*(lanes["a"] for _, lanes in ticks), last]:
                assert sum(tick.offered) == sum(tick.admitted) + sum(tick.turned_away)
                assert sum(tick.shed) <= sum(tick.completed)
                admitted += sum(tick.admitted)
                done += sum(tick.completed) + sum(tick.abandoned)
                if tick is not last:
                    assert admitted == done + tick.in_flight
                    assert tick.queue <= self.config.queue
            assert admitted == done + lane.in_flight
            assert lane.in_flight >= 0

    @invariant()
    def totals_add_up(self) -> None:
        """At any time."""
        for lane in getattr(self, "lanes", ()):
            sums = [lane.totals, lane.counts]
            admitted = sum(sum(some.admitted) for some in sums)
            assert sum(sum(some.offered) for some in sums) == admitted + sum(
                sum(some.turned_away) for some in sums
            )
            done = sum(sum(some.completed) + sum(some.abandoned) for some in sums)
            assert admitted == done + lane.in_flight
            assert self.model(lane).queue <= self.config.queue

    @invariant()
    def nobody_is_served_twice_and_late_is_as_often(self) -> None:
        """What has happened, happened in the same order and at the same instants."""
        if not hasattr(self, "targets"):
            return
        for ended in self.ended:
            names = [name for name, *_ in ended]
            assert len(set(names)) == len(names)
        assert self.ended[0][: len(self.ended[1])] == self.ended[1][: len(self.ended[0])]

    def teardown(self) -> None:
        """In the end everybody is served or refused, and both have seen the same."""
        if not hasattr(self, "targets"):
            return
        self.now_s += 100
        self.advance(0)
        self.advance(1)
        self.look()
        self.counts_add_up()
        assert self.ended[0] == self.ended[1]
        assert not self.inside, "somebody still waits"
        assert [lane.in_flight for lane in self.lanes] == [0, 0]


TestTwins = Twins.TestCase
TestTwins.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
