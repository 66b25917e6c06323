"""What queueing theory knows comes out of a whole simulated lane, at a fixed seed."""

import math

import pytest

from loadtests.simulation.metered import PlayedLane
from reports.record import bucket_upper
from tests.loadtests.simulation.events.scenes import one_lane
from tests.target_service.service.theory import erlang_b, mg_1_wait_s, mm_1_k_loss, mm_c_wait_s

NETWORK_S = 0.0001


def steady(rate: str, lasting: str, **target: object) -> PlayedLane:
    """Poisson arrivals that are never tried again, at a service that nothing happens to."""
    return one_lane(
        seed=7,
        warm_up="1s",
        observation=lasting,
        load={"rate": rate, "arrivals": "poisson", "timeout": "1m"},
        target=target,
        simulation={"network": "0.1ms"},
    )


def mean_s(lane: PlayedLane) -> float:
    """The mean time from a request to its answer. A bucket stands for its middle: it is 2% wide."""
    rows: list[list[int]] = lane.clients.latency.tolist()
    requests = sum(count for _, _, count in rows)
    total_ms = math.fsum(bucket_upper(bucket) * count for _, bucket, count in rows)
    return total_ms / math.sqrt(1.02) / requests / 1000


@pytest.mark.parametrize(
    ("workers", "time", "rate", "lasting", "wait_s"),
    [
        (3, "exponential 10ms", 210, "290s", mm_c_wait_s(3, 210, 0.01)),
        (1, "10ms", 80, "600s", mg_1_wait_s(80, 0.01, 0.01**2)),
        (1, "exponential 10ms", 70, "700s", mg_1_wait_s(70, 0.01, 2 * 0.01**2)),
    ],
    ids=["M/M/3", "M/D/1", "M/M/1"],
)
def test_the_mean_time_to_an_answer_is_that_of_theory(
    workers: int, time: str, rate: int, lasting: str, wait_s: float
) -> None:
    """Wait and service, and the way of the answer: within 4% for some 50,000 requests."""
    lane = steady(f"{rate}/s", lasting, workers=workers, service_time=time, queue=5000)
    assert mean_s(lane) == pytest.approx(wait_s + 0.01 + NETWORK_S, rel=0.04)


def test_littles_law_holds() -> None:
    """The queue at the ends of ticks is on average the arrival rate times the mean wait."""
    lane = steady("240/s", "250s", workers=3, service_time="exponential 10ms", queue=5000)
    rate_per_s = lane.clients.issued.sum() / 251
    wait_s = mean_s(lane) - 0.01 - NETWORK_S
    assert lane.metered.queue.mean() == pytest.approx(rate_per_s * wait_s, rel=0.05)


@pytest.mark.parametrize("time", ["exponential 10ms", "10ms"])
def test_without_a_queue_erlangs_share_is_lost(time: str) -> None:
    """Whatever the distribution of the service time."""
    lane = steady("500/s", "100s", workers=5, service_time=time, queue=0)
    lost = lane.metered.turned_away.sum() / lane.metered.offered.sum()
    assert lost == pytest.approx(erlang_b(5, 5.0), rel=0.03)


def test_a_short_queue_loses_what_m_m_1_k_loses() -> None:
    """Four places and the worker: K = 5."""
    lane = steady("90/s", "500s", workers=1, service_time="exponential 10ms", queue=4)
    lost = lane.metered.turned_away.sum() / lane.metered.offered.sum()
    assert lost == pytest.approx(mm_1_k_loss(5, 0.9), rel=0.04)
