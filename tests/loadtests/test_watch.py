"""What the target answers becomes lines of the record, once each and on the run's clock."""

from dataclasses import dataclass, field, replace

import pytest

from faults.admin import AdminError, LaneTick, TickRow
from faults.statuses import ActionStatus, DipStatus, FaultStatus
from loadtests.watch import TargetWatch
from reports.record import Action, Fault, Health, Line, Tick, bucket_of

OFFSET_S = -100.0
"""The target has run for 100 s when the load begins."""


@dataclass
class FakeTarget:
    """Answers as the admin API does: ticks above a number, and all that is planned."""

    rows: list[TickRow] = field(default_factory=list)
    listed: list[DipStatus] = field(default_factory=list)
    struck: list[FaultStatus] = field(default_factory=list)
    operated: list[ActionStatus] = field(default_factory=list)

    def ticks(self, after: int | None) -> list[TickRow]:
        return [row for row in self.rows if after is None or row.seq > after]

    def dips(self) -> list[DipStatus]:
        return self.listed

    def faults(self) -> list[FaultStatus]:
        return self.struck

    def actions(self) -> list[ActionStatus]:
        return self.operated


def row(seq: int, lag_s: float = 0.001, cpu_s: float = 0.02) -> TickRow:
    lane = LaneTick(100.0, (0, 9, 2), (0, 8, 2), (0, 1), (0, 8, 2), (), 0)
    return TickRow(seq, seq / 10, lag_s, cpu_s, {"a": lane, "b": lane})


def dip(start_s: float, end_s: float, state: str = "active") -> DipStatus:
    return DipStatus("dip-1", start_s, end_s, "20/s", end_s - start_s, None, "step", state)


def of(kind: type, lines: list[Line]) -> list[Line]:
    return [line for line in lines if isinstance(line, kind)]


def test_each_tick_is_recorded_once_per_lane_on_the_runs_clock() -> None:
    """However often the target is asked."""
    target = FakeTarget([row(seq) for seq in range(1000, 1005)])
    watch = TargetWatch(target, "ab", OFFSET_S, 999, 0.1)
    first, second = watch.poll(), watch.poll()
    ticks = of(Tick, first)
    assert [(line.seq, line.lane) for line in ticks if isinstance(line, Tick)] == [
        (seq, lane) for seq in range(1000, 1005) for lane in "ab"
    ]
    assert isinstance(ticks[2], Tick)
    assert abs(ticks[2].t_s - 0.1) < 1e-9
    assert (ticks[2].offered, ticks[2].turned_away) == ([0, 9, 2], [0, 1])
    assert of(Tick, second) == []


def test_ticks_from_before_the_load_are_left_out() -> None:
    """They belong to whatever ran before."""
    watch = TargetWatch(FakeTarget([row(seq) for seq in range(995, 1002)]), "ab", OFFSET_S, 0, 0.1)
    assert {line.seq for line in watch.poll() if isinstance(line, Tick)} == {1000, 1001}


def test_health_is_folded_into_seconds() -> None:
    """A second is told when the next one begins, the last when the run ends."""
    target = FakeTarget([row(seq, lag_s=0.0005) for seq in range(1000, 1013)])
    watch = TargetWatch(target, "ab", OFFSET_S, 0, 0.1)
    [second] = of(Health, watch.poll())
    [rest] = watch.last_second()
    assert isinstance(second, Health)
    assert isinstance(rest, Health)
    assert (second.t_s, second.cpu, dict(second.late)) == (0.0, 0.2, {bucket_of(5): 10})
    assert (rest.t_s, rest.cpu, rest.late.total()) == (1.0, 0.2, 3)
    assert watch.last_second() == []


def test_a_dip_is_recorded_when_it_is_planned_and_again_when_it_changes() -> None:
    """A line with the same id replaces the one before it."""
    target = FakeTarget()
    watch = TargetWatch(target, "ab", OFFSET_S, 0, 0.1)
    assert watch.poll() == []
    target.listed = [dip(110.0, 112.0, "pending")]
    planned = Fault("dip", "dip-1", 10.0, 12.0, "20/s", "step", None)
    assert watch.poll() == [planned]
    target.listed = [dip(110.0, 112.0)]
    assert watch.poll() == []
    target.listed = [dip(110.0, 110.7, "ended")]
    assert watch.poll() == [Fault("dip", "dip-1", 10.0, 10.7, "20/s", "step", None)]


def test_a_dip_taken_back_before_it_began_gets_a_line_without_length() -> None:
    """Its plan stands in the record already."""
    target = FakeTarget(listed=[dip(110.0, 112.0, "pending")])
    watch = TargetWatch(target, "ab", OFFSET_S, 0, 0.1)
    watch.poll()
    target.listed = [dip(110.0, 110.0, "cancelled")]
    assert watch.poll() == [Fault("dip", "dip-1", 10.0, 10.0, "20/s", "step", None)]


def test_a_slow_start_belongs_to_the_dip() -> None:
    """What is left is said in words, with it."""
    status = DipStatus("dip-1", 110.0, 115.0, "2 workers", 2.0, None, "step", "active", 3.0)
    watch = TargetWatch(FakeTarget(listed=[status]), "ab", OFFSET_S, 0, 0.1)
    assert watch.poll() == [
        Fault("dip", "dip-1", 10.0, 15.0, "2 workers, slow start 3s", "step", None)
    ]


def test_faults_and_actions_are_recorded_as_dips_are() -> None:
    """In words, once each, and again when they change: a reopening ends when all is open."""
    fault = FaultStatus(
        "fault-1", 110.0, 112.0, "latency", 2.0, ("a",), "active", 0.5, add_s=0.2, spread_s=0.05
    )
    reopening = ActionStatus(
        "action-1", 112.0, 712.0, "reopen", 600.0, None, "active", 0.8, step=0.2, every_s=5.0
    )
    target = FakeTarget(struck=[fault], operated=[reopening])
    watch = TargetWatch(target, "ab", OFFSET_S, 0, 0.1)
    steps = "in steps of 20% every 5s, at most 5% errors"
    assert watch.poll() == [
        Fault("latency", "fault-1", 10.0, 12.0, lanes=("a",), text="200ms ± 50ms, 50%"),
        Action("reopen", "action-1", 12.0, 612.0, None, steps),
    ]
    assert watch.poll() == []
    target.operated = [replace(reopening, end_s=132.0, state="ended", share=0.0)]
    assert watch.poll() == [Action("reopen", "action-1", 12.0, 32.0, None, steps)]


def test_a_fault_and_an_action_of_an_earlier_run_are_no_part_of_this() -> None:
    """As with dips."""
    fault = FaultStatus("fault-1", 50.0, 52.0, "hang", 2.0, None, "ended", 1.0)
    action = ActionStatus("action-1", 50.0, 52.0, "shed", 2.0, None, "ended", 0.9)
    target = FakeTarget(struck=[fault], operated=[action])
    assert TargetWatch(target, "ab", OFFSET_S, 0, 0.1).poll() == []


def test_dips_that_were_over_before_the_load_began_are_no_part_of_the_run() -> None:
    """Somebody else's."""
    target = FakeTarget(listed=[dip(50.0, 52.0, "ended"), dip(100.0, 100.0, "cancelled")])
    assert TargetWatch(target, "ab", OFFSET_S, 0, 0.1).poll() == []


def test_a_call_that_fails_loses_no_ticks() -> None:
    """They are read again: ticks count as seen only when all else has been read too."""

    class Flaky(FakeTarget):
        fails = True

        def actions(self) -> list[ActionStatus]:
            if self.fails:
                raise AdminError("no answer")
            return super().actions()

    target = Flaky([row(seq) for seq in range(1000, 1003)])
    watch = TargetWatch(target, "ab", OFFSET_S, 999, 0.1)
    with pytest.raises(AdminError):
        watch.poll()
    target.fails = False
    assert {line.seq for line in watch.poll() if isinstance(line, Tick)} == {1000, 1001, 1002}


def test_an_idle_lane_of_somebody_elses_is_no_part_of_the_record() -> None:
    """The target remembers lanes of earlier tests; one that is loaded now concerns this run."""
    idle = LaneTick(100.0, (), (), (), (), (), 0)
    busy = LaneTick(100.0, (0, 5), (0, 5), (), (0, 5), (), 0)
    rows = [
        TickRow(1000 + n, 100 + n / 10, 0.0, 0.0, {"a": idle, "old": idle, "late": lane})
        for n, lane in enumerate([idle, busy, idle])
    ]
    watch = TargetWatch(FakeTarget(rows), "a", OFFSET_S, 999, 0.1)
    found = [(line.seq, line.lane) for line in watch.poll() if isinstance(line, Tick)]
    assert found == [(1000, "a"), (1001, "a"), (1001, "late"), (1002, "a"), (1002, "late")]
