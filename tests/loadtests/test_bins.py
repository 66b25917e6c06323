"""Clients count by when a request was due, and nothing is counted twice or lost."""

import json
from collections import Counter
from random import Random

from loadtests.bins import ClientBins, Lateness
from loadtests.policies import StopReason
from reports.record import Requests, bucket_of, bucket_upper, encode

SUCCEEDED, BUDGET = StopReason.SUCCEEDED, StopReason.BUDGET


def test_a_request_counts_where_it_was_due_however_late_it_ends() -> None:
    """A slow generator cannot move its load to another bin."""
    bins = ClientBins(0.1)
    bins.issued("a", 1.25)
    for _ in range(3):
        bins.attempted("a", 1.25)
    bins.ended("a", 1.25, now_s=9.0, reason=SUCCEEDED)
    [line] = bins.drain()
    assert (line.t_s, line.issued, line.attempts, line.succeeded) == (1.2, 1, 3, 1)
    assert dict(line.latency) == {bucket_of(7750): 1}


def test_failures_are_counted_by_reason_and_without_latency() -> None:
    """A fast failure must not make the service look fast."""
    bins = ClientBins(0.1)
    bins.issued("a", 0.0)
    bins.ended("a", 0.0, 0.001, BUDGET)
    [line] = bins.drain()
    assert (line.failed, line.latency) == (Counter({"budget": 1}), Counter())


def test_a_drain_forgets_and_the_increments_add_up() -> None:
    """A bin drained in the middle of a request gives two lines of one bin."""
    bins = ClientBins(0.1)
    bins.issued("a", 0.5)
    bins.attempted("a", 0.5)
    first = bins.drain()
    bins.ended("a", 0.5, 0.6, SUCCEEDED)
    second = bins.drain()
    assert [(line.t_s, line.issued, line.succeeded) for line in (*first, *second)] == [
        (0.5, 1, 0),
        (0.5, 0, 1),
    ]
    assert bins.drain() == []


def test_a_due_time_on_the_edge_of_a_bin_belongs_to_the_bin_it_begins() -> None:
    """Although 0.3 / 0.1 is a hair below 3."""
    bins = ClientBins(0.1)
    for tick in range(1000):
        bins.issued("a", tick * 0.1)
    assert [line.issued for line in bins.drain()] == [1] * 1000


def test_increments_of_several_processes_merge_into_what_one_would_have_counted() -> None:
    """Whatever went to which worker."""
    rng = Random(5)
    alone, workers = ClientBins(0.1), [ClientBins(0.1) for _ in range(3)]
    for _ in range(2000):
        due_s, lane, reason = rng.random() * 5, rng.choice("ab"), rng.choice([SUCCEEDED, BUDGET])
        for bins in (alone, rng.choice(workers)):
            bins.issued(lane, due_s)
            bins.attempted(lane, due_s)
            bins.ended(lane, due_s, due_s + 0.2, reason)
    merged = ClientBins(0.1)
    for worker in workers:
        for line in worker.drain():
            merged.add(line)
    assert merged.drain() == alone.drain()


def test_memory_grows_with_time_not_with_requests() -> None:
    """One line for a hundred thousand requests of one bin."""
    bins = ClientBins(0.1)
    for _ in range(100_000):
        bins.issued("a", 0.05)
    assert [line.issued for line in bins.drain()] == [100_000]


def test_a_line_survives_its_writing() -> None:
    """Histograms too: `asdict` would count a counter's pairs."""
    line = Requests(0.1, "a", 2, 2, Counter(), 2, Counter({231: 2}))
    assert json.loads(encode(line)) == {
        "kind": "requests", "t_s": 0.1, "lane": "a", "issued": 2, "succeeded": 2,
        "failed": {}, "attempts": 2, "latency": {"231": 2},
    }  # fmt: skip


def test_a_bucket_holds_a_value_within_two_percent() -> None:
    """Over ten decades."""
    rng = Random(2)
    for _ in range(10_000):
        value = 10 ** rng.uniform(0.001, 10)
        upper = bucket_upper(bucket_of(value))
        assert value <= upper * (1 + 1e-9)
        assert upper / value < 1.0201


def test_lateness_is_kept_for_one_second_in_tenths_of_a_millisecond() -> None:
    """And starts anew."""
    lateness = Lateness("local")
    lateness.left(0.005)
    lateness.left(-0.0001)
    second = lateness.drain(3.0, 0.25)
    assert (second.t_s, second.cpu, dict(second.late)) == (3.0, 0.25, {bucket_of(50): 1, 0: 1})
    assert lateness.drain(4.0, 0.2).late == Counter()


def test_a_merged_bin_is_the_bin_it_was_whatever_the_tick() -> None:
    """A tick of a thirtieth of a second has beginnings that no decimal is exact for."""
    width_s = 1 / 30
    worker, master = ClientBins(width_s), ClientBins(width_s)
    for number in range(300):
        worker.issued("a", (number + 0.5) * width_s)
    lines = worker.drain()
    for line in lines:
        master.add(line)
    assert [line.issued for line in master.drain()] == [1] * 300 == [line.issued for line in lines]
