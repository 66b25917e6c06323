"""Whatever disturbs a lane, recovery is measured after it: each lane after what concerned it."""

from dataclasses import replace

import pytest

from reports.measuring.recovery import Recovery
from reports.reading.read import parse_record
from reports.record import Action, Fault, Line, Tick, encode
from reports.rendering import sentences, triggers
from reports.summary import Report, fold
from tests.reports.queued import Queued
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_measures import bins


def report_of(made: Made) -> Report:
    return fold(parse_record(made.encoded()))


def settled(policy: Recovery) -> float | None:
    assert policy.after is not None
    return policy.after.settled_s


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault("dip", "d", 10.0, 12.0, "20/s"), "a 2.0 s dip: 1.5× the dip"),
        (Fault("spike", "s", 10.0, 12.0, text="× 3"), "a 2.0 s load spike (× 3): 1.5× the load"),
        (
            Fault("latency", "f", 10.0, 12.0, text="200ms ± 50ms, 100%"),
            "2.0 s of added latency (200ms ± 50ms): 1.5× its length",
        ),
        (Fault("error", "f", 10.0, 12.0, text="500, 50%"), "2.0 s of errors (500, 50%): 1.5×"),
        (Fault("hang", "f", 10.0, 12.0, text="100%"), "a 2.0 s hang: 1.5× the hang"),
        (Fault("reset", "f", 10.0, 12.0, text="5%"), "2.0 s of connections reset (5%): 1.5×"),
        (Fault("cut", "f", 10.0, 12.0, text="5%"), "2.0 s of answers cut short (5%): 1.5×"),
        (Fault("flood", "f", 10.0, 12.0), "2.0 s of a disturbance: 1.5× its length"),
    ],
)
def test_every_type_of_disturbance_has_words_of_its_own(fault: Fault, told: str) -> None:
    report = report_of(
        Made([Shape("a", plain(storm(30)))], capacity=lambda tick: 10.0, dips=[fault])
    )
    assert f"overloaded for 3.0 s after {told}" in sentences.headline(report)
    assert settled(report.policies[0]) == pytest.approx(3.0)
    assert report.trigger is not None
    assert report.trigger.type == fault.type
    assert (report.trigger.capacity_per_s is None) is (fault.type != "dip")


def test_in_a_spike_first_attempts_exceed_capacity_and_the_storm_is_what_comes_after() -> None:
    """27 new requests a tick for 2 s, then 9 and for 3 s as many retries on top as make 20."""
    loads = [[27 if 100 <= t < 120 else 9, 11 if 120 <= t < 150 else 0] for t in range(420)]
    spike = Fault("spike", "s", 10.0, 12.0, text="× 3")
    report = report_of(Made([Shape("a", loads)], capacity=lambda tick: 10.0, dips=[spike]))
    [policy] = report.policies
    assert settled(policy) == pytest.approx(3.0)
    assert policy.after is not None
    assert policy.after.storm_attempts == 30 * 10
    assert policy.worst_amplification == pytest.approx(20 / 9)
    assert report.valid


def lane_dip(lane: str, start_s: float, end_s: float) -> Fault:
    return Fault("dip", f"dip-{lane}", start_s, end_s, "20/s", lanes=(lane,))


def test_each_lane_is_measured_after_its_own_dip() -> None:
    """Dips of 1 s and of 3 s that begin together, and a storm of 2 s after either."""
    short = Shape("short", plain([20 if 100 <= t < 130 else 9 for t in range(420)]), "p")
    long = Shape("long", plain([20 if 100 <= t < 150 else 9 for t in range(420)]), "p")
    dips = [lane_dip("short", 10.0, 11.0), lane_dip("long", 10.0, 13.0)]
    report = report_of(Made([short, long], capacity=lambda tick: 10.0, dips=dips))
    first, second = report.policies
    assert settled(first) == pytest.approx(2.0)
    assert settled(second) == pytest.approx(2.0)
    assert first.trigger is not None
    assert second.trigger is not None
    assert (first.trigger.length_s, second.trigger.length_s) == (1.0, 3.0)
    assert (first.trigger.count, second.trigger.count) == (1, 1)
    assert first.after is not None
    assert second.after is not None
    assert first.after.times_trigger == pytest.approx(2.0)
    assert (first.after.observed_s, second.after.observed_s) == (31.0, 29.0)
    assert not report.alike
    assert triggers.disturbed_by(first) == "1.0 s dip"
    assert report.trigger is not None
    assert report.trigger.end_s == 13.0
    assert not report.notes, "no lane had more than one dip"


def test_before_is_before_the_first_disturbance_of_the_lane() -> None:
    """A wave at 5 s, that one lane had for a reason, is no noise of the lane."""
    loads = [20 if 50 <= t < 60 or 100 <= t < 150 else 9 for t in range(420)]
    shape = Shape("a", plain(loads))
    other = Shape("b", plain([9] * 420))
    dips = [Fault("dip", "d", 10.0, 12.0, "20/s"), lane_dip("a", 5.0, 6.0)]
    report = report_of(Made([shape, other], capacity=lambda tick: 10.0, dips=dips))
    assert settled(report.policies[0]) == pytest.approx(3.0)
    assert report.policies[0].after is not None
    assert not report.policies[0].after.noise_hides
    assert "`a` had several dips; recovery is measured after the last to end." in report.notes


def test_a_lane_that_nothing_disturbed_has_no_recovery_and_that_is_said() -> None:
    made = Made(
        [Shape("a", plain(storm(30))), Shape("b", plain([9] * 420))],
        capacity=lambda tick: 10.0,
        dips=[lane_dip("a", 10.0, 12.0)],
    )
    report = report_of(made)
    assert report.policies[1].after is None
    assert report.policies[1].trigger is None
    assert report.policies[1].attempts == 3780
    assert any("Nothing disturbed `b`" in note for note in report.notes)


def test_of_several_the_last_to_end_is_measured_whatever_its_type() -> None:
    loads = [30 if 200 <= tick < 240 else load for tick, load in enumerate(storm(30))]
    spike = Fault("spike", "s", 20.0, 21.0, text="× 3")
    dip = Fault("dip", "d", 10.0, 12.0, "20/s")
    report = report_of(
        Made([Shape("a", plain(loads))], capacity=lambda tick: 10.0, dips=[spike, dip])
    )
    assert report.trigger is not None
    assert (report.trigger.type, report.trigger.count) == ("spike", 2)
    assert settled(report.policies[0]) == pytest.approx(3.0)
    assert any("had 2 disturbances" in note for note in report.notes)
    assert triggers.set_off(report) == "2, listed below; the last to end: load spike, × 3"


def test_a_lane_that_is_named_after_its_trigger_is_not_said_to_come_after_another() -> None:
    dip = [Fault("dip", "d", 10.0, 12.5, "20/s")]
    never = plain([20 if tick >= 100 else 9 for tick in range(420)])
    for name, after in (("a dip of 2.5 s", "it was"), ("a dip of 2 s", "a 2.5 s dip was")):
        report = report_of(Made([Shape(name, never)], dips=dip))
        assert sentences.headline(report) == (
            f"`{name}` had not recovered 29.5 s after {after} over."
        )


def test_a_tick_above_capacity_is_no_storm_and_is_not_hidden() -> None:
    """Both settled without a storm; that of `b` fitted only in the second tick."""
    brief = plain([12 if tick == 120 else 9 for tick in range(420)])
    report = report_of(Made([Shape("a", plain([9] * 420)), Shape("b", brief)]))
    assert [settled(policy) for policy in report.policies] == [0, pytest.approx(0.1)]
    assert sentences.headline(report) == (
        "Load was back under capacity 0.1 s after a 2.0 s dip was over."
    )


def test_a_lane_that_recovered_best_with_help_is_said_to_have_had_it() -> None:
    lanes = [Shape("alone", plain(storm(300))), Shape("helped", plain(storm(100)))]
    shed = Action("shed", "action-1", 15.0, 20.0, ("helped",), "90%")
    report = report_of(Made(lanes, actions=[shed]))
    said = sentences.runner_up(report)
    assert said is not None
    assert "best: after 10.0 s, and only once an operator had intervened." in said
    assert any(
        "(after the dip: shed 90% from 3.0 s to 8.0 s)" in r for r in sentences.remarks(report)
    )


@pytest.mark.parametrize("kind", ["error", "hang"])
def test_what_a_fault_struck_would_have_failed_anyway(kind: str) -> None:
    """7 of 9 requests fail in each of 20 ticks; the fault struck 3 first attempts in each."""

    def strike(line: Line) -> Line:
        if not isinstance(line, Tick) or not 100 <= line.seq < 120:
            return line
        if kind == "error":
            return replace(line, failed=[0, 3, 2])
        done = [0, line.admitted[1] - 3]
        return replace(line, completed=done, abandoned=[0, 3])

    made = Made(
        [Shape("a", plain([9] * 420), requests=bins())],
        capacity=lambda tick: 10.0,
        dips=[Fault(kind, "f", 10.0, 12.0)],
    )
    text = "".join(encode(strike(line)) + "\n" for line in made.lines())
    [policy] = fold(parse_record(text.encode())).policies
    assert policy.cost is not None
    assert (policy.failed, policy.cost.failed_anyway) == (140, 60)


def tipping(*lengths: int, policy: str = "immediate") -> Report:
    """Lanes with dips of so many ticks: their clients time out, their work is finished."""
    lanes = [Queued(f"dip {n}", dip=range(100, 100 + n)) for n in lengths]
    return report_of(
        Made(
            [
                lane.shape(f"{policy} {n}" if policy == "other" else policy)
                for n, lane in enumerate(lanes)
            ],
            capacity=lambda tick: 10.0,
            dips=[
                lane_dip(lane.lane, 10.0, 10 + n / 10)
                for n, lane in zip(lengths, lanes, strict=True)
            ],
        )
    )


def test_a_tipping_point_is_said_where_one_policy_has_it() -> None:
    report = tipping(5, 10, 20, 25)
    assert report.valid, report.invalid_because
    assert sentences.runner_up(report) == (
        "With this policy it recovered from dips of 0.5 s and 1.0 s, not from 2.0 s and 2.5 s."
    )
    assert sentences.runner_up(tipping(10, 20)) == (
        "With this policy it recovered from dips of 1.0 s, not from 2.0 s."
    )
    assert sentences.runner_up(tipping(3, 5, 10, 20)) == (
        "With this policy it recovered from dips of 0.3 s to 1.0 s, not from 2.0 s."
    )
    assert report.policies[0].title == "dip 5", "all lanes have one policy, so it goes unsaid"


def test_without_a_clear_tipping_point_nothing_is_said() -> None:
    assert sentences.runner_up(tipping(5, 10)) is None
    assert sentences.runner_up(tipping(5, 20, policy="other")) is None


def test_where_a_longer_dip_was_recovered_from_there_is_no_tipping_point() -> None:
    """Lane b has the shorter dip, and does not recover."""
    a = Shape("a", plain(storm(30)), "p")
    b = Shape("b", plain(storm(300)), "p")
    dips = [lane_dip("a", 9.0, 12.0), lane_dip("b", 10.0, 12.0)]
    report = report_of(Made([a, b], capacity=lambda tick: 10.0, dips=dips))
    assert sentences.runner_up(report) is None


def test_disturbances_that_overlap_are_as_long_as_all_of_them_together() -> None:
    """Capacity is down for 10.1 s, and the storm lasts 3 s more."""
    loads = plain([20 if 100 <= tick < 231 else 9 for tick in range(520)])
    dips = [Fault("dip", "long", 10.0, 20.0, "20/s"), Fault("dip", "short", 19.5, 20.1, "10/s")]
    report = report_of(Made([Shape("a", loads)], ticks=520, capacity=lambda tick: 10.0, dips=dips))
    [lane] = report.policies
    assert lane.trigger is not None
    assert (lane.trigger.start_s, lane.trigger.end_s) == (10.0, 20.1)
    assert (lane.trigger.together, lane.trigger.text) == (2, "20/s; 10/s")
    assert lane.after is not None
    assert lane.after.times_trigger == pytest.approx(3.0 / 10.1)
    assert report.alike
    assert sentences.headline(report) == (
        "`a` kept the service overloaded for 3.0 s after 2 dips, 10.1 s together: "
        "0.3× their length."
    )
    assert triggers.per(report.policies) == "÷ trigger"
    assert triggers.disturbed_by(lane) == "2 dips, 10.1 s together"
    assert triggers.set_off(report).startswith("2 dips, 10.1 s together, down to ")


def test_disturbances_of_several_types_that_overlap_are_of_none() -> None:
    faults = [Fault("error", "e", 10.0, 11.5, text="500, 5%"), Fault("dip", "d", 11.0, 12.0, "9/s")]
    never = plain([20 if tick >= 100 else 9 for tick in range(420)])
    report = report_of(Made([Shape("a", never)], capacity=lambda tick: 10.0, dips=faults))
    assert report.trigger is not None
    assert (report.trigger.type, report.trigger.length_s) == ("mixed", 2.0)
    assert sentences.headline(report) == (
        "`a` had not recovered 30.0 s after 2 disturbances, 2.0 s together, were over."
    )
