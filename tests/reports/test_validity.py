"""Each reason why a result is not valid: there when it should be, and not in a good run."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from loadtests.policies.actions import StopReason
from reports.reading.lines import RecordError
from reports.reading.read import parse_record
from reports.record import Action, End, Fault, Health, Line, Requests, Tick, bucket_of, encode
from reports.several.checking import checked_run
from reports.summary import Report, fold
from reports.text import ENDINGS
from tests.reports.queued import Queued
from tests.reports.synthetic import Made, Served, Shape, plain, storm

OPERATED = Queued("operated", blocked=range(150, 380))
QUEUED = Made(
    [
        Queued("finish").shape(),
        Queued("drop", finish=False).shape(),
        Queued("one attempt", attempts=1).shape(),
        OPERATED.shape(),
    ],
    actions=[Action("block-retries", "action-1", 15.0, 38.0, ("operated",))],
)
GOOD = Made([Shape("a", plain(storm(30))), Shape("b", plain([9] * 420))])


def judge(made: Made, edit: Callable[[Line], Line | None] = lambda line: line) -> Report:
    edited = flowing([kept for line in made.lines() if (kept := edit(line)) is not None])
    return fold(parse_record("".join(encode(line) + "\n" for line in edited).encode()))


def flowing(lines: list[Line]) -> list[Line]:
    """With what is in flight at the end of every tick, in lanes that do not say it themselves."""
    known = {line.lane for line in lines if isinstance(line, Tick) and line.in_flight}
    under_way: Counter[str] = Counter()
    found: list[Line] = []
    for line in lines:
        if isinstance(line, Tick) and line.lane not in known:
            ended = sum(line.completed) + sum(line.abandoned)
            under_way[line.lane] += sum(line.admitted) - ended
            found.append(replace(line, in_flight=under_way[line.lane]))
        else:
            found.append(line)
    return found


def only_reason(report: Report) -> str:
    assert len(report.invalid_because) == 1, report.invalid_because
    return report.invalid_because[0]


def test_a_good_run_is_valid() -> None:
    report = judge(GOOD)
    assert report.valid
    assert report.invalid_because == ()
    assert report.vitals.generator_cpu_max == pytest.approx(0.4)
    assert report.vitals.target_late_p99_ms == pytest.approx(1.0, rel=0.03)


@pytest.mark.parametrize(
    ("source", "says"),
    [("generator", "attempts left late"), ("target", "the target's event loop was late")],
)
def test_later_than_a_tick(source: str, says: str) -> None:
    reason = only_reason(judge(GOOD.but(late_ms={source: 140.0})))
    assert reason.startswith(f"{says} by more than a tick (100 ms) at p99 in 32 s (by 14")


def test_a_tick_late_is_not_more_than_a_tick() -> None:
    assert judge(GOOD.but(late_ms={"generator": 100.0, "target": 100.0})).valid


@pytest.mark.parametrize(("late", "valid"), [(1, True), (2, True), (3, False)])
@pytest.mark.parametrize("second", [10.0, 27.0])
def test_a_stall_in_one_second_is_enough(second: float, late: int, valid: bool) -> None:
    """Of 200 attempts in that second two are the last hundredth. Other seconds do not excuse it."""

    def stall(line: Line) -> Line:
        if isinstance(line, Health) and line.source == "generator" and line.t_s == second:
            return replace(line, late=Counter({bucket_of(10): 200 - late, bucket_of(5000): late}))
        return line

    report = judge(GOOD, stall)
    assert report.valid is valid
    if not valid:
        assert "in 1 s (by 5" in only_reason(report)
        assert f"at {second:.0f} s)" in only_reason(report)


def test_a_stall_of_less_than_a_tick_is_told_with_its_place() -> None:
    """It leaves the result valid, and explains a small wave: 23 s are 11 s after the dip."""

    def stall(line: Line) -> Line:
        if isinstance(line, Health) and line.source == "generator" and line.t_s == 23.0:
            return replace(line, late=Counter({bucket_of(10): 199, bucket_of(800): 1}))
        return line

    report = judge(GOOD, stall)
    assert report.valid
    [note] = [note for note in report.notes if "stalled" in note]
    assert "ms, at +11 s from the end of the dip" in note
    assert not [note for note in judge(GOOD).notes if "stalled" in note]


@pytest.mark.parametrize(("tenths_ms", "told"), [(200, False), (300, True)])
def test_the_closer_to_capacity_the_shorter_a_stall_that_matters(
    tenths_ms: int, told: bool
) -> None:
    """At 95% there is room for 5% more in a second: half of that is 26 ms."""

    def stall(line: Line) -> Line:
        if isinstance(line, Health) and line.source == "target" and line.t_s == 14.0:
            return replace(line, late=Counter({bucket_of(10): 9, bucket_of(tenths_ms): 1}))
        return line

    busy = Made([Shape("a", plain([9 + tick % 2 for tick in range(420)]))])
    assert any("stalled" in note for note in judge(busy, stall).notes) is told


def test_an_end_within_a_second_of_the_planned_one_is_no_interruption() -> None:
    """Locust's run time begins a little before the load does."""
    assert judge(GOOD.but(end=End(41.2, "finished"))).valid


def test_a_stall_before_the_dip_does_not_matter() -> None:
    def stall(line: Line) -> Line:
        if isinstance(line, Health) and line.t_s < 9:
            return replace(line, late=Counter({bucket_of(5000): 9}))
        return line

    assert judge(GOOD, stall).valid


@pytest.mark.parametrize("source", ["generator", "target"])
@pytest.mark.parametrize(("second", "valid"), [(5.0, True), (11.0, False), (41.0, False)])
def test_no_cpu_to_spare_in_a_second_that_matters(source: str, second: float, valid: bool) -> None:
    """From the dip's start, at 10 s, to the end: before it nothing is measured that CPU spoils."""

    def busy(line: Line) -> Line:
        hit = isinstance(line, Health) and line.source == source and line.t_s == second
        return replace(line, cpu=0.97) if hit and isinstance(line, Health) else line

    report = judge(GOOD, busy)
    assert report.valid is valid
    if not valid:
        assert f"the {source} had no CPU to spare in 1 s" in only_reason(report)


@pytest.mark.parametrize("source", ["generator", "target"])
def test_no_health(source: str) -> None:
    def mute(line: Line) -> Line | None:
        return None if isinstance(line, Health) and line.source == source else line

    assert f"the {source} recorded no health" in only_reason(judge(GOOD, mute))


@pytest.mark.parametrize(
    ("late_ms", "cpu", "says"),
    [
        (1.0, 0.4, ""),
        (140.0, 0.4, "a gateway's event loop was late by more than a tick (100 ms) at p99 in 32 s"),
        (1.0, 0.97, "the gateway had no CPU to spare in 32 s"),
    ],
)
def test_a_gateway_that_cannot_keep_up(late_ms: float, cpu: float, says: str) -> None:
    """What it sends late is not what its policy would have sent."""
    lines = list(flowing(list(GOOD.lines())))
    late = Counter({bucket_of(late_ms * 10): 50})
    lines[-1:-1] = [
        Health(float(second), "gateway", "gateway 1", cpu, late) for second in range(42)
    ]
    report = fold(parse_record("".join(encode(line) + "\n" for line in lines).encode()))
    assert report.valid is not bool(says)
    if says:
        assert only_reason(report).startswith(says)


@pytest.mark.parametrize("seconds", [range(20, 23), range(38, 42), range(9, 13)])
def test_health_that_is_missing_for_seconds(seconds: range) -> None:
    def mute(line: Line) -> Line | None:
        return None if isinstance(line, Health) and line.t_s in seconds else line

    reasons = judge(GOOD, mute).invalid_because
    assert len(reasons) == 2
    assert all("recorded no health for" in reason for reason in reasons)


def test_a_simulated_run_has_no_health_and_needs_none() -> None:
    def mute(line: Line) -> Line | None:
        return None if isinstance(line, Health) else line

    assert judge(GOOD.but(source="simulated"), mute).valid


@pytest.mark.parametrize("seq", [3, 115, 200])
def test_a_tick_that_is_missing(seq: int) -> None:
    def lose(line: Line) -> Line | None:
        lost = isinstance(line, Tick) and line.seq == seq and line.lane == "b"
        return None if lost else line

    assert only_reason(judge(GOOD, lose)) == "1 tick is missing in `b`"


def test_no_ticks_at_all() -> None:
    def lose(line: Line) -> Line | None:
        return None if isinstance(line, Tick) else line

    reasons = judge(GOOD, lose).invalid_because
    assert any("has no ticks" in reason for reason in reasons)


def test_a_lane_without_any_tick() -> None:
    def lose(line: Line) -> Line | None:
        return None if isinstance(line, Tick) and line.lane == "b" else line

    assert "no tick was recorded for `b`" in judge(GOOD, lose).invalid_because


def test_load_that_was_high_before_the_dip() -> None:
    high = Shape("a", plain([11 if tick < 100 else 9 for tick in range(420)]))
    assert "above capacity before the dip already in `a`" in only_reason(
        judge(Made([high, GOOD.shapes[1]]))
    )


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("live", "try a longer warm-up, less load or a quieter machine"),
        ("simulated", "try a longer warm-up or less load"),
    ],
)
def test_what_to_do_about_load_that_was_high(source: str, advice: str) -> None:
    """No machine is too busy for virtual time."""
    high = Shape("a", plain([11 if tick < 100 else 9 for tick in range(420)]))
    made = Made([high, GOOD.shapes[1]], source=source)
    assert only_reason(judge(made)).endswith(f"in `a`: {advice}")


@pytest.mark.parametrize(("answered", "valid"), [(5, True), (4, False)])
def test_requests_that_were_not_answered_before_the_dip(answered: int, valid: bool) -> None:
    """A client that holds half of its requests back has no steady state to return to."""
    held = tuple(
        Requests(second, "b", issued=10, succeeded=answered, attempts=90)
        for second in map(float, range(42))
    )
    report = judge(Made([GOOD.shapes[0], Shape("b", plain([9] * 420), requests=held)]))
    assert report.valid is valid
    if not valid:
        assert only_reason(report) == (
            "fewer than half of the requests succeeded before the dip already in `b`"
        )


@pytest.mark.parametrize(
    ("served", "hint"),
    [
        (Served(9, 9), ", and the service answered: with errors, such as 404 for a wrong path (--"),
        (Served(9, 9, failed=9), ", and the gate got no answer of the service behind it: is that"),
        (Served(9, 9, shed=9), ""),
    ],
)
def test_it_is_said_what_became_of_requests_that_failed_before(served: Served, hint: str) -> None:
    """A gate lets in what nobody can serve."""
    why = Counter({"not-retryable": 7, "out-of-attempts": 3})
    failed = tuple(
        Requests(float(second), "b", issued=10, failed=why, attempts=90) for second in range(42)
    )
    shape = Shape("b", plain([9] * 420), requests=failed, served=[served] * 420)
    said = only_reason(judge(Made([GOOD.shapes[0], shape])))
    found = said.partition(
        "in `b`: of those that failed 70% had no further attempt because such a failure is "
        "not retried"
    )
    assert found[1]
    assert found[2].startswith(hint)
    assert bool(found[2]) is bool(hint)


def test_it_is_said_that_clients_gave_up_waiting_before() -> None:
    """What their policy did then is no help: the service was too slow for their timeouts."""
    failed = tuple(
        Requests(float(second), "b", issued=10, failed=Counter({"not-retried": 10}), attempts=90)
        for second in range(42)
    )
    served = [Served(9, 2, abandoned=7)] * 420
    shape = Shape("b", plain([9] * 420), requests=failed, served=served)
    assert only_reason(judge(Made([GOOD.shapes[0], shape]))).endswith(
        "in `b`: clients gave up waiting for an answer to most attempts: "
        "is the service slower than their timeouts?"
    )


def test_every_reason_that_a_client_may_tell_has_words() -> None:
    assert set(ENDINGS) == {*StopReason} - {StopReason.SUCCEEDED}


def test_a_high_moment_in_a_long_calm_is_allowed() -> None:
    """One window in twenty may be high: noise does that at high utilisation."""
    one = Shape("a", plain([20 if tick == 50 else 9 for tick in range(420)], first=20))
    assert not judge(Made([one])).valid, "10 of 91 windows are more than one in twenty"
    less = Shape("a", plain([20 if tick == 2 else 9 for tick in range(420)], first=20))
    assert judge(Made([less])).valid, "3 of 91 are not"


def test_nothing_before_the_dip_to_compare_with() -> None:
    made = Made(
        [Shape("a", plain(storm(30)[95:]))],
        ticks=325,
        capacity=lambda tick: 2.0 if 5 <= tick < 25 else 10.0,
        dips=[Fault("dip", "d", 0.5, 2.5, "20/s")],
        planned_end_s=32.5,
        end=End(32.5),
    )
    report = judge(made)
    assert "less than 1 s was recorded before the dip" in only_reason(report)
    assert report.policies[0].after is not None
    assert report.policies[0].after.settled_s == pytest.approx(3.0)
    assert report.policies[0].after.noise_per_s is None


def held_up(line: Line) -> Line:
    """Lane b is not overloaded, but from 10 s to 14 s nothing that it admits is completed."""
    if isinstance(line, Tick) and line.lane == "b" and 100 <= line.seq < 140:
        return replace(line, completed=[])
    return line


def test_lanes_that_disturb_each_other() -> None:
    calm = GOOD.but(capacity=lambda tick: 10.0)
    assert only_reason(judge(calm, held_up)) == (
        "lanes disturbed each other: admitted attempts were held up in `b`"
    )


def test_that_lanes_disturbed_each_other_is_said_first() -> None:
    """Where they share too little much else goes wrong too, and that is why."""
    late = GOOD.but(capacity=lambda tick: 10.0, late_ms={"generator": 300.0})
    first, *others = judge(late, held_up).invalid_because
    assert first.startswith("lanes disturbed each other: ")
    assert others


def test_work_that_takes_its_time_disturbs_nobody() -> None:
    """What was on its way before the dip may be on its way after it: here 5 ticks' worth."""

    def slow(line: Line) -> Line:
        if isinstance(line, Tick):
            return replace(line, completed=[] if line.seq < 5 else line.admitted)
        return line

    assert judge(GOOD, slow).valid


def test_a_lane_alone_is_disturbed_by_none() -> None:
    alone = Made([GOOD.shapes[1]], capacity=lambda tick: 10.0)
    assert judge(alone, held_up).valid


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (None, "it has no end line"),
        (End(42.0, "error: the target went away"), "error: the target went away"),
        (End(30.0, "interrupted"), "was stopped at 30.0 s of 42.0 s"),
        (End(30.0, "finished"), "was stopped at 30.0 s of 42.0 s"),
        (End(40.9, "finished"), "was stopped at 40.9 s of 42.0 s"),
    ],
)
def test_a_run_that_was_cut_short(end: End | None, says: str) -> None:
    assert says in only_reason(judge(GOOD.but(end=end)))


def test_a_run_stopped_before_the_hold_could_fit() -> None:
    """Nobody planned an end, and after the dip there were 4 s."""
    report = judge(GOOD.but(end=End(16.0, "interrupted"), planned_end_s=None))
    assert "only 4.0 s were observed after the dip" in only_reason(report)
    assert report.policies[0].after is not None
    assert not report.policies[0].after.recovered


def test_a_run_without_a_planned_end_may_be_stopped() -> None:
    assert judge(GOOD.but(end=End(30.0, "interrupted"), planned_end_s=None)).valid


@pytest.mark.parametrize(
    "dips",
    [
        [],
        [Fault("dip", "d", 10.0, 10.0, "20/s")],
        [Fault("dip", "d", 90.0, 92.0, "20/s")],
    ],
)
def test_no_dip(dips: list[Fault]) -> None:
    """None, one taken back before it began, and one that never came."""
    report = judge(GOOD.but(dips=dips))
    assert report.trigger is None
    assert "no dip found" in only_reason(report)


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (None, "the record breaks off 2.3 s into the run: it has no end line"),
        (End(2.3, "interrupted"), "the run was stopped at 2.3 s of 42.0 s"),
    ],
)
def test_a_run_that_was_stopped_before_its_dip_says_so_first(end: End | None, says: str) -> None:
    stopped = judge(GOOD.but(ticks=23, dips=[], end=end))
    first, second = stopped.invalid_because
    assert first == says
    assert "no dip found" in second
    with pytest.raises(RecordError, match=says):
        checked_run(stopped, "run")


def test_a_dip_that_outlasts_the_run_leaves_nothing_observed() -> None:
    report = judge(GOOD.but(dips=[Fault("dip", "d", 10.0, 60.0, "20/s")]))
    assert any("only 0.0 s were observed" in reason for reason in report.invalid_because)


def test_an_overloaded_lane_may_be_behind_with_its_work() -> None:
    """Lane a is in its own storm from 10 s to 15 s: nobody else need be to blame."""

    def behind(line: Line) -> Line:
        if isinstance(line, Tick) and line.lane == "a" and 120 <= line.seq < 150:
            return replace(line, completed=line.admitted[:1] if line.seq < 149 else [0, 300])
        return line

    assert judge(GOOD, behind).valid


def test_ticks_that_stop_before_the_load_does() -> None:
    """A target that died half-way: what it would have metered is not known."""

    def dead_at_20_s(line: Line) -> Line | None:
        gone = isinstance(line, Tick) and line.t_s > 19.95
        silent = isinstance(line, Health) and line.source == "target" and line.t_s >= 20
        return None if gone or silent else line

    reasons = judge(GOOD, dead_at_20_s).invalid_because
    assert "the ticks stop at 20.0 s, 22.0 s before the load did" in reasons


@pytest.mark.parametrize(("sent", "valid"), [(9, True), (5, False), (14, False)])
def test_attempts_of_strangers_in_a_lane(sent: int, valid: bool) -> None:
    """The target metered 9 a tick: others load the lane, or attempts never arrived."""
    requests = tuple(
        Requests(tick / 10, "a", issued=sent, succeeded=sent, attempts=sent) for tick in range(420)
    )
    report = judge(Made([Shape("a", plain([9] * 420), requests=requests)]))
    assert report.valid is valid
    if not valid:
        expected = f"3,780 instead of {420 * sent:,} in `a`"
        assert f"other attempts than the clients sent: {expected}" in only_reason(report)


def test_an_opaque_lane_is_not_asked_for_its_attempts() -> None:
    """Its library makes them; requests that became due stand for the first ones."""
    requests = tuple(Requests(tick / 10, "a", issued=4, succeeded=4) for tick in range(420))
    # The library numbers none: all of them are of unknown number.
    shape = Shape("a", plain([9] * 420), requests=requests, opaque=True)
    report = judge(Made([shape]))
    assert report.valid, report.invalid_because
    [policy] = report.policies
    assert (policy.requests, policy.attempts) == (1680, 3780)
    assert policy.amplification == policy.worst_amplification == 9 / 4


def test_a_run_without_load() -> None:
    """Nothing can fail to recover from nothing."""
    assert "there was no load" in only_reason(judge(Made([Shape("a", plain([0] * 420))])))


def test_a_lane_that_is_loaded_only_after_the_dip() -> None:
    """It has no load before to compare with."""
    late = Shape("late", plain([0] * 150 + [9] * 270))
    reason = only_reason(judge(Made([GOOD.shapes[1], late])))
    assert "there was no load before the dip in `late`" in reason


def test_a_queue_is_no_reason() -> None:
    """Attempts wait, are abandoned, and are blocked by an operator: all that is by design."""
    report = judge(QUEUED)
    assert report.valid, report.invalid_because


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    rate=st.integers(4, 9),
    attempts=st.integers(1, 4),
    finish=st.booleans(),
    limit=st.integers(9, 400),  # with room for all that come in a tick
    length=st.integers(1, 40),
)
def test_no_queue_cries_wolf(
    rate: int, attempts: int, finish: bool, limit: int, length: int
) -> None:
    lane = Queued("a", rate, attempts, finish, range(100, 100 + length), limit=limit)
    made = Made(
        [lane.shape(), GOOD.shapes[1]],
        capacity=lane.capacity,
        dips=[Fault("dip", "d", 10.0, 10 + length / 10, "20/s")],
    )
    report = judge(made)
    assert report.valid, report.invalid_because


@pytest.mark.parametrize(
    "change",
    [
        {"turned_away": [0, 1]},
        {"admitted": [0, 4]},
        {"completed": [0, 30]},
        {"abandoned": [0, 7]},
        {"in_flight": 100_000},
        {"blocked": [0, 5]},
        {"failed": [0, 1000]},
    ],
)
def test_counts_that_do_not_add_up(change: dict[str, object]) -> None:
    """One number of one tick is another one."""

    def tamper(line: Line) -> Line:
        hit = isinstance(line, Tick) and line.lane == "finish" and line.seq == 60
        return replace(line, **change) if hit else line  # type: ignore[arg-type]

    lines = [tamper(line) for line in QUEUED.lines()]
    report = fold(parse_record("".join(encode(line) + "\n" for line in lines).encode()))
    [reason] = report.invalid_because
    assert reason.startswith("the target's counts do not add up in ")
    assert "ticks of `finish`" in reason


@pytest.mark.parametrize(
    ("ended", "valid"),
    [
        ({}, True),
        ({"failed": Counter(deadline=1)}, False),
        ({"failed": Counter(deadline=10**9)}, False),
        ({"succeeded": 10}, False),
        ({"issued": 10, "failed": Counter(deadline=1)}, True),
    ],
)
def test_more_requests_that_ended_than_were_due(ended: dict[str, object], valid: bool) -> None:
    """Of the nine that were due in each tick all succeeded: in one of them ten are said to end."""
    requests = [Requests(tick / 10, "a", 9, 9, attempts=9) for tick in range(420)]
    requests[60] = replace(requests[60], **ended)  # type: ignore[arg-type]
    report = judge(Made([Shape("a", plain([9] * 420), requests=tuple(requests))]))
    assert report.valid is valid
    if not valid:
        assert only_reason(report) == (
            "the clients' counts do not add up: more requests ended than were due in `a`"
        )


def test_records_that_do_not_say_what_is_in_flight_are_not_asked() -> None:
    """They came before there was such a field, as they came before there were queues."""
    text = GOOD.encoded()
    for name in (b"blocked", b"shed", b"failed"):
        text = text.replace(b',"' + name + b'":[]', b"")
    old = text.replace(b',"in_flight":0', b"")
    assert b"in_flight" not in old
    assert b"blocked" not in old
    report = fold(parse_record(old))
    assert report.valid
    assert report.policies[0].after == judge(GOOD).policies[0].after


@pytest.mark.parametrize(("kind", "valid"), [("error", False), ("hang", True), ("latency", True)])
def test_a_fault_that_holds_answers_back_disturbs_no_other_lane(kind: str, valid: bool) -> None:
    calm = GOOD.but(
        capacity=lambda tick: 10.0,
        dips=[Fault("dip", "d", 10.0, 12.0), Fault(kind, "f", 10.0, 12.0, lanes=("b",))],
    )
    assert judge(calm, held_up).valid is valid


@pytest.mark.parametrize(("waiting", "valid"), [(1, True), (0, False)])
def test_workers_that_are_busy_with_a_queue_are_disturbed_by_nobody(
    waiting: int, valid: bool
) -> None:
    """For two seconds 40 attempts are worked on, where there were none: but some waited."""
    completed = [1 if 105 <= t < 110 else 17 if 130 <= t < 135 else 9 for t in range(420)]
    under_way = np.cumsum(9 - np.array(completed)).tolist()
    served = [
        Served(9, done, queue=min(waiting, now), in_flight=now)
        for done, now in zip(completed, under_way, strict=True)
    ]
    shape = Shape("b", plain([9] * 420), served=served)
    report = judge(Made([GOOD.shapes[0], shape], capacity=lambda tick: 10.0))
    assert report.valid is valid
    if not valid:
        assert "held up in `b`" in only_reason(report)
