"""Known answers for everything but settled, on the record of a lane whose requests are known."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reports.folding.histogram import quantile_bucket
from reports.folding.phases import between
from reports.measuring.arithmetic import latency_limit_ms
from reports.measuring.catalogue import MEASURES
from reports.measuring.recovery import Cost, Recovery
from reports.reading.read import parse_record
from reports.record import Fault, Requests, Tick, bucket_of, encode, quantile
from reports.summary import Report, fold
from tests.reports.synthetic import TICK_S, Made, Shape, plain, storm


def report_of(made: Made) -> Report:
    return fold(parse_record(made.encoded()))


def bins(slow_until: int = 150) -> tuple[Requests, ...]:
    """9 requests due a tick, 7 fail in the dip; 5 ms, but 50 ms from the dip to `slow_until`."""
    found = []
    for tick in range(420):
        failed = 7 if 100 <= tick < 120 else 0
        latency = bucket_of(50.0 if 100 <= tick < slow_until else 5.0)
        found.append(
            Requests(
                tick * 0.1,
                "a",
                issued=9,
                succeeded=9 - failed,
                failed=Counter({"out-of-attempts": failed}) if failed else Counter(),
                attempts=9,
                latency=Counter({latency: 9 - failed}),
            )
        )
    return tuple(found)


def lane(length: int = 30, requests: tuple[Requests, ...] | None = None) -> Recovery:
    shape = Shape("a", plain(storm(length)), requests=bins() if requests is None else requests)
    return report_of(Made([shape])).policies[0]


def test_the_storm_and_its_totals() -> None:
    """20 a tick in the dip's 20 ticks and 30 after it; 9 a tick in the other 370."""
    found = lane()
    assert found.after is not None
    assert found.after.first_fit_s == pytest.approx(3.0)
    assert found.after.settled_s == pytest.approx(3.0)
    assert found.after.times_trigger == pytest.approx(1.5)
    assert found.after.storm_attempts == 30 * 10
    assert found.peak_per_s == pytest.approx(200)
    assert found.attempts == 50 * 20 + 370 * 9
    assert found.requests == 420 * 9
    assert found.amplification == pytest.approx(4330 / 3780)
    assert found.worst_amplification == pytest.approx(20 / 9)
    assert found.capacity_per_s == pytest.approx(100)
    assert found.offered_before_per_s == pytest.approx(90)


def test_what_the_users_lost() -> None:
    """7 of 9 requests fail for 20 ticks: all of them would have without retries too."""
    found = lane()
    assert found.cost is not None
    assert (found.failed, found.succeeded, found.unfinished) == (140, 3640, 0)
    assert found.failed_by_reason == {"out-of-attempts": 140}
    assert found.cost.failed_anyway == 140
    assert found.cost.goodput_before_per_s == pytest.approx(90)
    assert found.cost.goodput_lost == pytest.approx(140)


def test_failures_beyond_what_did_not_fit_are_collateral() -> None:
    """All 9 fail in the dip, yet 2 of them would have fitted had nobody retried."""
    requests = tuple(
        Requests(b.t_s, "a", issued=9, failed=Counter({"budget": 9})) if b.failed else b
        for b in bins()
    )
    found = lane(requests=requests)
    assert found.cost is not None
    assert (found.failed, found.cost.failed_anyway) == (180, 140)


@pytest.mark.parametrize(("until", "back_s"), [(120, 0), (150, 3), (151, 4), (420, None)])
def test_latency_is_back_after_the_last_slow_second(until: int, back_s: float | None) -> None:
    """One slow tick in ten makes the p95 of its second slow."""
    found = lane(requests=bins(until))
    assert found.cost is not None
    assert found.cost.latency_before_ms == pytest.approx(5.0, rel=0.02)
    assert found.cost.latency_back_s == back_s


def test_requests_that_neither_succeeded_nor_failed_are_unfinished() -> None:
    requests = (*bins()[:-1], Requests(41.9, "a", issued=9, succeeded=4))
    assert lane(requests=requests).unfinished == 5


def test_increments_of_a_bin_add_up() -> None:
    """A bin's numbers arrive as its requests end, in several lines."""
    halves = [
        half
        for b in bins()
        for half in (
            Requests(b.t_s, "a", issued=b.issued),
            Requests(b.t_s, "a", 0, b.succeeded, b.failed, b.attempts, b.latency),
        )
    ]
    assert lane(requests=tuple(halves)).cost == lane().cost
    more = Requests(10.0, "a", failed=Counter({"out-of-attempts": 2, "budget": 1}))
    assert lane(requests=(*halves, more)).failed_by_reason == {"budget": 1, "out-of-attempts": 142}


@pytest.mark.parametrize("requests", [(), tuple(Requests(n / 10, "a", 0, 0) for n in range(420))])
def test_clients_of_somebody_else_leave_ticks_alone(requests: tuple[Requests, ...]) -> None:
    """Without requests lines first attempts stand for requests; what became of those is unknown."""
    found = lane(requests=requests)
    assert found.requests == 420 * 9
    assert found.amplification == pytest.approx(4330 / 3780)
    assert (found.failed, found.succeeded, found.unfinished) == (None, None, None)
    assert found.cost == Cost(None, None, None, None, None)
    unknown = {one.name for one in MEASURES if one.of(found) is None}
    assert {name for name in unknown if not name.endswith("_back_s")} == {
        "failed",
        "failed_share",
        "failed_anyway",
        "unfinished",
        "goodput_lost",
        "work_lost",  # which takes a queue
    }


def test_attempts_of_unknown_number_still_settle() -> None:
    shape = Shape("a", plain(storm(30)))
    text = Made([shape]).encoded().replace(b'"offered":[0,9,0]', b'"offered":[9]')
    text = text.replace(b'"offered":[0,9,11]', b'"offered":[20]')
    found = fold(parse_record(text)).policies[0]
    assert found.after is not None
    assert found.after.settled_s == pytest.approx(3.0)
    assert found.amplification == pytest.approx(1.0)


def test_a_capacity_of_zero_in_the_dip() -> None:
    made = Made(
        [Shape("a", plain(storm(30)))],
        capacity=lambda tick: 0.0 if 100 <= tick < 120 else 10.0,
        dips=[Fault("dip", "d", 10.0, 12.0, "0/s")],
    )
    report = report_of(made)
    assert report.trigger is not None
    assert report.trigger.capacity_per_s == 0
    assert report.policies[0].after is not None
    assert report.policies[0].after.settled_s == pytest.approx(3.0)


def test_of_several_dips_the_last_is_measured_and_that_is_said() -> None:
    second = Fault("dip", "dip-2", 20.0, 21.0, "20/s")
    loads = [30 if 200 <= tick < 240 else load for tick, load in enumerate(storm(30))]
    report = report_of(
        Made(
            [Shape("a", plain(loads))],
            capacity=lambda t: 2.0 if 100 <= t < 120 or 200 <= t < 210 else 10.0,
            dips=[Fault("dip", "dip-1", 10.0, 12.0, "20/s"), second],
        )
    )
    assert report.trigger is not None
    assert (report.trigger.start_s, report.trigger.end_s, report.trigger.count) == (20.0, 21.0, 2)
    assert report.policies[0].after is not None
    assert report.policies[0].after.settled_s == pytest.approx(3.0)
    assert any("2 dips" in note for note in report.notes)


def test_a_dip_taken_back_early_has_its_real_end() -> None:
    """A fault line with a known id replaces the one before."""
    loads = [20 if 100 <= tick < 140 else 9 for tick in range(420)]
    report = report_of(
        Made(
            [Shape("a", plain(loads))],
            capacity=lambda tick: 2.0 if 100 <= tick < 110 else 10.0,
            dips=[
                Fault("dip", "dip-1", 10.0, 12.0, "20/s"),
                Fault("dip", "dip-1", 10.0, 11.0, "20/s"),
            ],
        )
    )
    assert report.trigger is not None
    assert report.trigger.length_s == pytest.approx(1.0)
    assert report.policies[0].after is not None
    assert report.policies[0].after.settled_s == pytest.approx(3.0)


def test_without_a_dip_there_are_totals_and_no_recovery() -> None:
    report = report_of(Made([Shape("a", plain([9] * 420))], capacity=lambda tick: 10.0, dips=[]))
    assert report.trigger is None
    assert not report.valid
    assert report.policies[0].after is None
    assert report.policies[0].attempts == 3780


def test_load_after_the_planned_end_is_not_observed() -> None:
    """The load dies down when the run is over; that is no recovery."""
    loads = [20 if 100 <= tick < 420 else 0 for tick in range(600)]
    made = Made([Shape("a", plain(loads))], ticks=600, planned_end_s=42.0)
    found = report_of(made).policies[0]
    assert found.after is not None
    assert not found.after.recovered
    assert report_of(made).observed_s == pytest.approx(30.0)


def test_ticks_that_do_not_begin_at_a_round_time() -> None:
    """The target's ticks lie somewhere between the generator's: 10.073 s, 10.173 s."""
    made = Made([Shape("a", plain(storm(30)))], dips=[Fault("dip", "d", 10.073, 12.073, "20/s")])
    shifted = (
        replace(line, t_s=line.t_s + 0.073) if isinstance(line, Tick) else line
        for line in made.lines()
    )
    text = "".join(encode(line) + "\n" for line in shifted).encode()
    found = fold(parse_record(text)).policies[0]
    assert found.after is not None
    assert found.after.settled_s == pytest.approx(3.0)


def latency_back(slow: Callable[[int], bool], *, fail: bool = False) -> float | None:
    """Latency back where the requests due in `slow` seconds after the dip take 50 ms, or fail."""

    def edit(b: Requests) -> Requests:
        if b.t_s < 11.99 or not slow(int((b.t_s - 11.99) // 1)):
            return b
        if fail:
            return replace(b, succeeded=0, failed=Counter(budget=9), latency=Counter())
        return replace(b, latency=Counter({bucket_of(50.0): 9}))

    found = lane(requests=tuple(edit(b) for b in bins(100)))
    assert found.cost is not None
    return found.cost.latency_back_s


def test_latency_must_stay_back_for_five_seconds() -> None:
    assert latency_back(lambda second: second in {0, 5}) == 6, "four calm seconds are no hold"
    assert latency_back(lambda second: second in {0, 6}) == 1, "five are"


@pytest.mark.parametrize(
    ("slow", "back_s"),
    [
        (lambda tick: tick % 60 == 0, 0),  # one of thirty
        (lambda tick: tick < 30, 3),
        (lambda tick: tick % 10 in {0, 2}, None),
        (lambda tick: tick in {40, 50}, 5),
    ],
    ids=["single ones", "all at first", "many", "two of twenty"],
)
def test_of_few_requests_a_second_a_single_slow_one_says_little(
    slow: Callable[[int], bool], back_s: int | None
) -> None:
    """One request every other tenth of a second: 5/s, of which p95 is the slowest of five."""

    def edit(b: Requests) -> Requests:
        tick = round((b.t_s - 12) / TICK_S)
        if round(b.t_s / TICK_S) % 2:
            return replace(b, issued=0, succeeded=0, attempts=0, latency=Counter())
        late = tick >= 0 and slow(tick)
        return replace(
            b, issued=1, succeeded=1, latency=Counter({bucket_of(40.0 if late else 10.0): 1})
        )

    found = lane(requests=tuple(edit(b) for b in bins(100)))
    assert found.cost is not None
    assert found.cost.latency_back_s == back_s


def test_a_second_in_which_nothing_succeeds_is_slow() -> None:
    assert latency_back(lambda second: second < 3, fail=True) == 3


def test_a_boundary_that_was_rounded_does_not_move_a_tick() -> None:
    """0.1 · 3 is not 0.3, and a record rounds to the microsecond."""
    t_s = np.arange(10, dtype=np.float64) * 0.1
    for wobble_s in (-1e-6, 0.0, 1e-6):
        assert between(t_s, 0.3 + wobble_s, 0.6 + wobble_s, 0.1) == slice(3, 6)


@pytest.mark.parametrize(("baseline", "limit"), [(2.0, 12.0), (20.0, 30.0), (100.0, 150.0)])
def test_latency_is_back_within_half_of_what_it_was_and_within_10_ms(
    baseline: float, limit: float
) -> None:
    """Whichever is the more."""
    assert latency_limit_ms(baseline) == limit


def test_goodput_lost_is_of_the_requests_that_were_due() -> None:
    """A spike brings thrice the requests: those that succeed on top make up for no loss."""
    spike = tuple(
        replace(b, issued=27, succeeded=27 - 5, attempts=27, failed=Counter({"budget": 5}))
        if b.failed
        else b
        for b in bins()
    )
    found = lane(requests=spike)
    assert found.cost is not None
    assert found.cost.goodput_lost == pytest.approx(20 * 5)


def test_where_more_succeed_than_before_nothing_is_lost() -> None:
    """A third fails before the dip, and none after it."""
    better = tuple(
        replace(b, succeeded=6, failed=Counter({"budget": 3}))
        if b.t_s < 9.95
        else replace(b, succeeded=9, failed=Counter())
        for b in bins()
    )
    found = lane(requests=better)
    assert found.cost is not None
    assert found.cost.goodput_lost == 0


@pytest.mark.parametrize("share", [0.01, 0.5, 0.95, 0.99, 1.0])
@pytest.mark.parametrize(
    "buckets", [{}, {3: 0}, {7: 1}, {9: 1, 2: 1}, {5: 0, 1: 50, 400: 49, 90: 1}]
)
def test_a_quantile_is_the_same_bucket_with_numpy_and_without(
    buckets: dict[int, int], share: float
) -> None:
    """A load generator has no numpy."""
    places = np.array(list(buckets), np.int64)
    counts = np.array(list(buckets.values()), np.int64)
    assert quantile(buckets, share) == quantile_bucket(places, counts, share)
