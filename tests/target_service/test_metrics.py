"""The metrics are read back with Prometheus' own parser, and looked over by its own linter."""

import subprocess

import pytest
from prometheus_client.parser import text_string_to_metric_families

from target_service.dips import DipPlan
from target_service.disorder import ActionPlan, BlockRetries, FaultPlan, Hang
from target_service.levels import parse_level
from target_service.limits import MAX_ATTEMPT, MAX_LANES
from target_service.metrics import ATTEMPTS, Exposition
from target_service.service import Job, ServiceConfig, Verdict, parse_service_time
from target_service.target import Target
from tests.real import program
from tests.target_service.asgi import call
from tests.target_service.test_admin import Service

EPOCH_S = 1_796_033_700.0
"""The wall clock's time at 0 of the target's clock."""

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(text: bytes) -> Samples:
    """Each sample's value by its name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def scraped(target: Target, now_s: float) -> Samples:
    """What a scrape finds, the first of its target."""
    return samples(Exposition(target).text(now_s, EPOCH_S + now_s))


def key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """The key of a sample."""
    return f"aftershock_{name}", frozenset(labels.items())


def by_attempt(read: Samples, counted: str, lane: str = "a") -> list[float]:
    """The counts of a lane by attempt number."""
    name = f"{counted}_attempts_total"
    return [read[key(name, lane=lane, attempt=attempt)] for attempt in ATTEMPTS]


def stormy_target(lane_name: str) -> Target:
    """12 first attempts and a retry of unknown number against 10 a tick; then a dip."""
    target = Target(100)
    lane = target.lane(lane_name, 0.0)
    for attempt in [1] * 12 + [0]:
        if target.offer(lane, Job(attempt), 0.0) is Verdict.TAKEN:
            target.complete(lane, attempt, 0.0)
    target.begin_dip(DipPlan(parse_level("20%"), 1), 0.05)
    target.observe(0.1002, 0.025)
    return target


def test_metrics_hold_the_totals_of_finished_ticks() -> None:
    """By lane and attempt number, under the names that the ticks have."""
    read = scraped(stormy_target("a"), 0.1002)
    assert by_attempt(read, "offered") == [1, 12, 0, 0, 0, 0, 0]
    assert by_attempt(read, "admitted") == [0, 10, 0, 0, 0, 0, 0]
    assert by_attempt(read, "turned_away") == [1, 2, 0, 0, 0, 0, 0]
    assert by_attempt(read, "completed") == [0, 10, 0, 0, 0, 0, 0]
    assert read[key("capacity_attempts_per_second", lane="a")] == 20
    assert read[key("base_capacity_attempts_per_second", lane="a")] == 100
    assert read[key("dips_active", lane="a")] == 1
    assert round(read[key("event_loop_lag_seconds")], 6) == 0.0002
    assert read[key("cpu_seconds_total")] == 0.025
    assert read[key("ticks_total")] == 1
    assert read[key("tick_seconds")] == 0.1
    assert read[key("last_tick_end_timestamp_seconds")] == EPOCH_S + 0.1


def test_all_series_of_a_lane_are_there_before_its_first_retry() -> None:
    """As 0: what appears in the storm only would be missing from its first rates."""
    target = Target(100)
    target.lane("a", 0.0)
    read = scraped(target, 0.0)
    for counted in (
        "offered", "admitted", "turned_away", "blocked", "completed", "shed", "failed", "abandoned"
    ):  # fmt: skip
        assert by_attempt(read, counted) == [0] * len(ATTEMPTS)
    assert read[key("dips_total", lane="a")] == 0
    assert key("dip_end_timestamp_seconds", lane="a") not in read


def test_high_attempt_numbers_are_counted_under_one_label() -> None:
    """The values of a label are bounded, whatever clients send; nothing goes uncounted."""
    target = Target(10_000)
    lane = target.lane("a", 0.0)
    for attempt in range(MAX_ATTEMPT + 1):
        target.offer(lane, Job(attempt), 0.0)
    read = scraped(target, 0.1)
    assert by_attempt(read, "offered") == [1] * 6 + [MAX_ATTEMPT - 5]
    assert ATTEMPTS[-1] == "6+"


def test_parts_are_counted_with_their_whole() -> None:
    """As in the ticks: a blocked attempt was turned away, a shed or failed one completed."""
    target = Target(100, service=ServiceConfig(1, parse_service_time("1s"), queue=1))
    lane = target.lane("a", 0.0)
    for _ in range(4):
        target.offer(lane, Job(1), 0.0)
    lane.block(1)
    target.complete(lane, 1, 0.0, shed=True)
    target.complete(lane, 1, 0.0, failed=True)
    target.observe(0.1, 0.0)
    read = scraped(target, 0.1)
    counts = {"offered": 5, "admitted": 2, "turned_away": 3, "blocked": 1}
    ends = {"completed": 2, "shed": 1, "failed": 1, "abandoned": 0}
    assert {name: by_attempt(read, name)[1] for name in counts} == counts
    assert {name: by_attempt(read, name)[1] for name in ends} == ends
    assert read[key("queue_attempts", lane="a")] == 1
    assert read[key("in_flight_attempts", lane="a")] == 0


def test_metrics_say_which_lanes_have_faults_and_actions() -> None:
    """Those in force, not those to come."""
    target = stormy_target("a")
    target.lane("b", 0.1)
    target.begin_fault(FaultPlan(Hang(), 1, lanes=("a",)), 0.1)
    target.begin_fault(FaultPlan(Hang(), 1), 0.1)
    target.begin_action(ActionPlan(BlockRetries(), 1, after_s=60), 0.1)
    target.observe(0.2, 0.0)
    read = scraped(target, 0.2)
    assert [read[key("faults_active", lane=lane)] for lane in "ab"] == [2, 1]
    assert [read[key("actions_active", lane=lane)] for lane in "ab"] == [0, 0]


def dip_times(read: Samples, lane: str = "a") -> tuple[float, float]:
    """Start and end of the newest dip, in seconds of the target's clock."""
    start_s = read[key("dip_start_timestamp_seconds", lane=lane)]
    end_s = read[key("dip_end_timestamp_seconds", lane=lane)]
    return round(start_s - EPOCH_S, 3), round(end_s - EPOCH_S, 3)


def test_a_dip_is_told_by_when_it_began_and_ends() -> None:
    """The newest that has begun: one to come is not told yet, and one taken back never is."""
    target = stormy_target("a")
    target.begin_dip(DipPlan(parse_level("0/s"), 1, after_s=4.9), 0.1)
    target.begin_dip(DipPlan(parse_level("0/s"), 1, after_s=1.9), 0.1)
    target.end_dip("dip-3", 0.1)
    read = scraped(target, 3.0)
    assert dip_times(read) == (0.1, 1.1)
    assert read[key("dips_total", lane="a")] == 1
    assert read[key("dips_active", lane="a")] == 0
    read = scraped(target, 5.0)
    assert dip_times(read) == (5.0, 6.0)
    assert read[key("dips_total", lane="a")] == 2
    assert read[key("dips_active", lane="a")] == 1


def test_a_dip_that_is_ended_early_is_told_with_its_end() -> None:
    """Not with the one that was planned."""
    target = stormy_target("a")
    target.end_dip("dip-1", 0.35)
    assert dip_times(scraped(target, 0.5)) == (0.1, 0.4)


def test_dips_are_told_by_lane() -> None:
    """A lane that is new has the dips that are in force in it, of those before none."""
    target = stormy_target("a")
    target.lane("b", 0.5)
    target.begin_dip(DipPlan(parse_level("0/s"), 1, after_s=1, lanes=("b",)), 0.5)
    target.lane("c", 1.2)
    read = scraped(target, 1.6)
    assert [read[key("dips_total", lane=lane)] for lane in "abc"] == [1, 2, 0]
    assert dip_times(read, "a") == (0.1, 1.1)
    assert dip_times(read, "b") == (1.5, 2.5)
    assert key("dip_end_timestamp_seconds", lane="c") not in read


def test_a_time_that_was_told_is_told_again_the_same() -> None:
    """However the two clocks are read; but where the wall clock is set, times follow it."""
    target = stormy_target("a")
    exposition = Exposition(target)
    told = [
        dip_times(samples(exposition.text(now_s, EPOCH_S + now_s + off_s)))
        for now_s, off_s in ((0.2, 0.0), (0.3, 0.004), (0.4, -0.004), (0.5, 60.0))
    ]
    assert told == [(0.1, 1.1)] * 3 + [(60.1, 61.1)]


def test_lane_names_are_escaped() -> None:
    """A name cannot forge another sample."""
    name = 'a"} 1\\n\\ aftershock_ticks_total 9 {x="'
    read = scraped(stormy_target(name), 0.1)
    assert read[key("dips_active", lane=name)] == 1
    assert read[key("ticks_total")] == 1


def test_a_reset_drops_the_lanes_with_their_counters() -> None:
    """What comes back counts from 0, which Prometheus knows how to read; ticks go on."""
    target = stormy_target("a")
    target.reset(0.2)
    read = scraped(target, 0.2)
    assert not any(dict(labels).get("lane") for _, labels in read)
    assert read[key("ticks_total")] == 2
    target.lane("a", 0.3)
    assert by_attempt(scraped(target, 0.3), "offered") == [0] * len(ATTEMPTS)


def test_a_page_of_all_lanes_stays_bounded() -> None:
    """So many series at most, whatever clients send."""
    target = Target(100)
    for number in range(MAX_LANES):
        target.lane(f"lane-{number}", 0.0)
    target.begin_dip(DipPlan(parse_level("20%"), 1), 0.0)
    by_lane = len(scraped(target, 0.2)) - len(scraped(Target(100), 0.2))
    assert by_lane == MAX_LANES * (8 * len(ATTEMPTS) + 10)


def test_metrics_are_served_as_prometheus_wants_them() -> None:
    """As text, at /metrics, before there is any lane too."""
    response = call(Service().gate, "GET", "/metrics")
    assert response.status == 200
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert samples(response.body)[key("ticks_total")] == 0


@pytest.mark.live
def test_promtool_finds_nothing_to_say_of_the_names() -> None:
    """It looks at names, units, types and help texts."""
    text = Exposition(stormy_target("a")).text(0.2, EPOCH_S)
    done = subprocess.run(
        [program("promtool"), "check", "metrics"], input=text, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
