"""What Prometheus is told by the process that owns the runs: read back with its own parser."""

import subprocess
from collections import Counter

import pytest

from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.exposition import (
    LATENESS_BOUNDS_S,
    MAX_WORKERS,
    REASONS,
    exposition,
)
from loadtests.policies import StopReason
from reports.record import End, Header, Health, Lane, Requests, bucket_of
from target_service.limits import MAX_LANES
from tests.real import program
from tests.target_service.test_metrics import Samples, key, samples

ANCHOR_S = 1_796_033_700.0
NOW_S = ANCHOR_S + 4.0


def header(*lanes: Lane) -> Header:
    """The begin of a run with these lanes."""
    return Header("20261130-101500", "", "live", ANCHOR_S, 0.1, 0, lanes, {}, {})


def requests(lane: str, **counted: int) -> Requests:
    """Four requests, eight attempts, one failure; other counts where they are given."""
    counts = {"issued": 4, "succeeded": 3, "attempts": 8, **counted}
    return Requests(0.0, lane, failed=Counter({"budget": 1}), **counts)  # type: ignore[arg-type]


def health(worker: str = "local", t_s: float = 2.0, late_s: float = 0.002) -> Health:
    """A second of a process of which 100 attempts left so late."""
    return Health(t_s, "generator", worker, 0.25, Counter({bucket_of(late_s * 1e4): 100}))


def scraped(tally: ClientTally) -> Samples:
    """What a scrape finds."""
    return samples(exposition(tally, users=5, now_epoch_s=NOW_S))


def tally_of(*lanes: Lane) -> ClientTally:
    """One whose run has begun."""
    tally = ClientTally()
    tally.take([header(*lanes)], ANCHOR_S)
    return tally


A = Lane("a", "full-jitter")


def test_requests_are_counted_by_lane_and_failures_by_reason() -> None:
    """Under the names of the record."""
    tally = tally_of(A)
    tally.take([requests("a"), requests("a")], NOW_S)
    read = scraped(tally)
    assert read[key("requests_total", lane="a")] == 8
    assert read[key("requests_succeeded_total", lane="a")] == 6
    assert read[key("requests_failed_total", lane="a", reason="budget")] == 2
    assert read[key("request_attempts_total", lane="a")] == 16
    assert read[key("amplification_ratio", lane="a")] == 2.0
    assert read[key("users")] == 5
    assert read[key("run_active")] == 1
    assert read[key("run_start_timestamp_seconds")] == ANCHOR_S


def test_all_series_of_a_lane_are_there_before_its_first_request() -> None:
    """As 0, so that rates miss nothing; what has no value yet is left out."""
    read = scraped(tally_of(A))
    assert read[key("requests_total", lane="a")] == 0
    reasons = {dict(labels).get("reason") for _, labels in read} - {None}
    assert reasons == {reason.value for reason in StopReason} - {"succeeded"} == set(REASONS)
    assert key("amplification_ratio", lane="a") not in read


def test_counters_go_on_from_run_to_run_and_amplification_does_not() -> None:
    """A counter that is set back is a process that was started again."""
    tally = tally_of(A)
    tally.take([requests("a"), End(3.0)], NOW_S)
    assert scraped(tally)[key("run_active")] == 0
    tally.take([header(Lane("b", "none")), requests("b", attempts=4)], NOW_S)
    read = scraped(tally)
    assert read[key("requests_total", lane="a")] == 4
    assert read[key("requests_total", lane="b")] == 4
    assert read[key("amplification_ratio", lane="b")] == 1.0
    assert key("amplification_ratio", lane="a") not in read


def test_attempts_that_a_library_makes_are_not_told_as_none() -> None:
    """Only the target counts those: a 0 would be wrong."""
    tally = tally_of(Lane("sdk", "opaque", opaque=True))
    tally.take([requests("sdk", attempts=0)], NOW_S)
    read = scraped(tally)
    assert read[key("requests_total", lane="sdk")] == 4
    assert key("request_attempts_total", lane="sdk") not in read
    assert key("amplification_ratio", lane="sdk") not in read


def test_lateness_is_a_histogram_of_all_attempts() -> None:
    """Cumulative, in seconds, and never told better than it was."""
    tally = tally_of(A)
    tally.take([health(late_s=0.002), health(late_s=0.05), health(late_s=99.0)], NOW_S)
    read = scraped(tally)
    within = [
        read[key("attempt_lateness_seconds_bucket", le=str(bound_s))]
        for bound_s in LATENESS_BOUNDS_S
    ]
    assert within == sorted(within)
    assert read[key("attempt_lateness_seconds_bucket", le="0.001")] == 0
    assert read[key("attempt_lateness_seconds_bucket", le="0.0025")] == 100
    assert read[key("attempt_lateness_seconds_bucket", le="0.1")] == 200
    assert read[key("attempt_lateness_seconds_bucket", le="10.0")] == 200
    assert read[key("attempt_lateness_seconds_bucket", le="+Inf")] == 300
    assert read[key("attempt_lateness_seconds_count")] == 300
    assert read[key("attempt_lateness_seconds_sum")] == pytest.approx(9905.2, rel=0.02)


def test_workers_are_told_by_their_newest_second() -> None:
    """Those that are silent for long are not, nor is what no worker of ours is called."""
    tally = tally_of(A)
    tally.take([health("worker-1"), health("worker-2", t_s=-9.0), health('x"} 1\ny 2')], NOW_S)
    read = scraped(tally)
    assert {dict(labels).get("worker") for _, labels in read} == {None, "worker-1"}
    assert read[key("generator_cpu_ratio", worker="worker-1")] == 0.25
    late_s = read[key("generator_lateness_p99_seconds", worker="worker-1")]
    assert late_s == pytest.approx(0.002, rel=0.02)


def test_labels_are_bounded() -> None:
    """Whatever the lanes of a run and its workers are."""
    tally = tally_of(*(Lane(f"lane-{number}", "none") for number in range(200)))
    tally.take([requests(f"lane-{number}") for number in range(200)], NOW_S)
    tally.take([health(f"worker-{number}") for number in range(300)], NOW_S)
    labels = [dict(labels) for _, labels in scraped(tally)]
    assert len({found["lane"] for found in labels if "lane" in found}) == MAX_LANES
    assert len({found["worker"] for found in labels if "worker" in found}) == MAX_WORKERS


def test_lane_names_are_escaped() -> None:
    """A name cannot forge another sample, nor break the page."""
    name = 'a"} 1\naftershock_users 9\n\\'
    tally = tally_of(Lane(name, "none"))
    tally.take([requests(name)], NOW_S)
    read = scraped(tally)
    assert read[key("requests_total", lane=name)] == 4
    assert read[key("users")] == 5


def test_there_is_a_page_before_the_first_run() -> None:
    """Prometheus scrapes from the start."""
    read = scraped(ClientTally())
    assert read[key("users")] == 5
    assert read[key("run_active")] == 0
    assert key("run_start_timestamp_seconds") not in read


@pytest.mark.live
def test_promtool_finds_nothing_to_say_of_the_names() -> None:
    """It looks at names, units, types and help texts."""
    tally = tally_of(A)
    tally.take([requests("a"), health("local")], NOW_S)
    done = subprocess.run(
        [program("promtool"), "check", "metrics"],
        input=exposition(tally, 5, NOW_S),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
