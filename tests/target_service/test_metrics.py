"""The metrics are read back with Prometheus' own parser."""

from prometheus_client.parser import text_string_to_metric_families

from target_service.dips import DipPlan
from target_service.disorder import ActionPlan, BlockRetries, FaultPlan, Hang
from target_service.levels import parse_level
from target_service.metrics import exposition
from target_service.service import Job, ServiceConfig, Verdict, parse_service_time
from target_service.target import Target
from tests.target_service.asgi import call
from tests.target_service.test_admin import Service


def samples(text: bytes) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Each sample's value by its name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """The key of a sample."""
    return f"aftershock_{name}", frozenset(labels.items())


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
    """By lane, attempt number and outcome."""
    read = samples(exposition(stormy_target("a")))
    assert read[key("attempts_total", lane="a", attempt="1", outcome="admitted")] == 10
    assert read[key("attempts_total", lane="a", attempt="1", outcome="turned_away")] == 2
    assert read[key("attempts_total", lane="a", attempt="0", outcome="turned_away")] == 1
    ended = key("admitted_attempts_ended_total", lane="a", attempt="1", end="completed")
    assert read[ended] == 10
    assert read[key("capacity_in_force_attempts_per_second", lane="a")] == 20
    assert read[key("capacity_base_attempts_per_second", lane="a")] == 100
    assert read[key("dips_active", lane="a")] == 1
    assert round(read[key("event_loop_lag_seconds")], 6) == 0.0002
    assert read[key("cpu_seconds_total")] == 0.025
    assert read[key("ticks_total")] == 1
    assert read[key("tick_seconds")] == 0.1


def test_metrics_say_which_lanes_have_faults_and_actions() -> None:
    """Those in force, not those to come."""
    target = stormy_target("a")
    target.lane("b", 0.1)
    target.begin_fault(FaultPlan(Hang(), 1, lanes=("a",)), 0.1)
    target.begin_fault(FaultPlan(Hang(), 1), 0.1)
    target.begin_action(ActionPlan(BlockRetries(), 1, after_s=60), 0.1)
    target.observe(0.2, 0.0)
    read = samples(exposition(target))
    assert [read[key("faults_active", lane=lane)] for lane in "ab"] == [2, 1]
    assert [read[key("actions_active", lane=lane)] for lane in "ab"] == [0, 0]


def test_each_attempt_is_counted_under_one_outcome_and_one_end() -> None:
    """Blocked ones are not turned away a second time, nor are shed and failed ones completed."""
    target = Target(100, service=ServiceConfig(1, parse_service_time("1s"), queue=1))
    lane = target.lane("a", 0.0)
    for _ in range(4):
        target.offer(lane, Job(1), 0.0)
    lane.block(1)
    target.complete(lane, 1, 0.0, shed=True)
    target.complete(lane, 1, 0.0, failed=True)
    target.observe(0.1, 0.0)
    read = samples(exposition(target))
    outcomes = {"admitted": 2, "turned_away": 2, "blocked": 1}
    ends = {"completed": 0, "shed": 1, "failed": 1}
    for word, number in outcomes.items():
        assert read[key("attempts_total", lane="a", attempt="1", outcome=word)] == number
    for word, number in ends.items():
        ended = key("admitted_attempts_ended_total", lane="a", attempt="1", end=word)
        assert read[ended] == number
    assert read[key("queue_attempts", lane="a")] == 1
    assert read[key("in_flight_attempts", lane="a")] == 0


def test_lane_names_are_escaped() -> None:
    """A name cannot forge another sample."""
    name = 'a"} 1\\n\\ aftershock_ticks_total 9 {x="'
    read = samples(exposition(stormy_target(name)))
    assert read[key("dips_active", lane=name)] == 1
    assert read[key("ticks_total")] == 1


def test_metrics_are_served_as_prometheus_wants_them() -> None:
    """As text, at /metrics, before there is any lane too."""
    response = call(Service().gate, "GET", "/metrics")
    assert response.status == 200
    assert response.headers["content-type"].startswith("text/plain; version=")
    assert samples(response.body)[key("ticks_total")] == 0
