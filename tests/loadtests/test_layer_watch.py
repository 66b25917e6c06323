"""What a gateway metered becomes lines of the record: once each, of the run's lanes alone."""

from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from faults.admin import LaneTick, TickRow
from loadtests.layer_watch import LayerWatch
from reports.record import Health, LayerTick, bucket_of

Kind = TypeVar("Kind", LayerTick, Health)

OFFSET_S = -100.0
"""The gateway has run for 100 s when the load begins."""


@dataclass
class FakeGateway:
    """Answers as the admin API does: ticks above a number."""

    rows: list[TickRow] = field(default_factory=list)

    def ticks(self, after: int | None) -> list[TickRow]:
        return [row for row in self.rows if after is None or row.seq > after]


def row(seq: int, t_s: float, **lanes: tuple[int, ...]) -> TickRow:
    ticks = {
        name: LaneTick(0.0, offered, offered, (), (), (), 0) for name, offered in lanes.items()
    }
    return TickRow(seq, t_s, 0.0, 0.0, ticks)


def of(kind: type[Kind], lines: list[LayerTick | Health]) -> list[Kind]:
    return [line for line in lines if isinstance(line, kind)]


def watch_of(gateway: FakeGateway, after_seq: int = 0) -> LayerWatch:
    return LayerWatch(gateway, "gateway 1", ["a", "b"], OFFSET_S, after_seq, 0.1)


def test_a_line_for_each_tick_and_lane_of_the_run() -> None:
    """A lane that nobody has called yet has none there, and nothing arrived in it."""
    gateway = FakeGateway([row(7, 100.5, a=(0, 3, 1), other=(0, 9))])
    watch = watch_of(gateway)
    assert of(LayerTick, watch.poll()) == [
        LayerTick(7, 0.5, "gateway 1", "a", [0, 3, 1]),
        LayerTick(7, 0.5, "gateway 1", "b", []),
    ]
    assert watch.poll() == []
    assert watch.recorded_s == pytest.approx(0.6)


def test_the_tick_in_which_the_load_begins_is_recorded_from_then_on() -> None:
    """A gateway's ticks begin at instants of its own; those that ended before are left out."""
    gateway = FakeGateway([row(1, 99.86, a=(0, 9)), row(2, 99.96, a=(0, 2)), row(3, 100.06)])
    lines = of(LayerTick, watch_of(gateway).poll())
    found = [(line.seq, line.t_s, line.offered) for line in lines]
    assert found == [
        (2, 0.0, [0, 2]),
        (2, 0.0, []),
        (3, pytest.approx(0.06), []),
        (3, pytest.approx(0.06), []),
    ]


def test_a_gateway_that_had_no_time_is_known_by_its_health() -> None:
    """CPU and lateness of each second, as of the target."""
    rows = [TickRow(seq, 100 + seq / 10, 0.003, 0.05, {}) for seq in range(13)]
    watch = watch_of(FakeGateway(rows), after_seq=-1)
    [second] = of(Health, watch.poll())
    assert (second.t_s, second.source, second.worker) == (0.0, "gateway", "gateway 1")
    assert (second.cpu, dict(second.late)) == (0.5, {bucket_of(30): 10})
    [rest] = watch.last_second()
    assert (rest.t_s, rest.late.total()) == (1.0, 3)


def test_ticks_from_before_it_was_reached_are_left_out() -> None:
    """Those with a number up to the one given."""
    assert watch_of(FakeGateway([row(5, 100.1), row(6, 100.2)]), after_seq=6).poll() == []
