"""What queueing theory knows comes out of the model: within 2%, at a fixed seed."""

import math

import pytest

from target_service.service import ServiceConfig, parse_service_time
from target_service.service.config import Discipline, Order
from tests.target_service.service.theory import (
    erlang_b,
    measured,
    mg_1_wait_s,
    mm_1_k_loss,
    mm_c_wait_s,
)

WITHIN = 0.02


def service(workers: int, time: str, queue: int = 100_000, order: str = "fifo") -> ServiceConfig:
    """Workers with a queue that is practically endless."""
    return ServiceConfig(
        workers, parse_service_time(time), queue, discipline=Discipline(Order(order))
    )


def check(found: float, expected: float) -> None:
    """Within 2%; `pytest -s` shows by how much."""
    print(f"{found:.5f}, in theory {expected:.5f}: {found / expected - 1:+.2%}")
    assert found == pytest.approx(expected, rel=WITHIN)


def test_the_formulas_are_those_of_the_tables() -> None:
    """Values that are known otherwise: M/M/1 waits u/(μ − λ), and Erlang's own table."""
    assert mm_c_wait_s(1, 5, 0.1) == pytest.approx(0.5 / (10 - 5))
    assert mg_1_wait_s(5, 0.1, 2 * 0.1**2) == pytest.approx(mm_c_wait_s(1, 5, 0.1))
    assert erlang_b(2, 1.0) == pytest.approx(0.2)
    assert erlang_b(10, 4.46) == pytest.approx(0.01, rel=2e-3)
    assert mm_1_k_loss(1, 0.9) == pytest.approx(erlang_b(1, 0.9))


@pytest.mark.parametrize(
    ("workers", "time", "rate_per_s", "expected_s"),
    [
        (3, "exponential 100ms", 18, mm_c_wait_s(3, 18, 0.1)),
        (1, "100ms", 6, mg_1_wait_s(6, 0.1, 0.1**2)),
        # E[S²] of a lognormal is mean² · exp(sigma²)
        (1, "lognormal 100ms 0.5", 5, mg_1_wait_s(5, 0.1, 0.1**2 * math.exp(0.5**2))),
    ],
    ids=["M/M/3", "M/D/1", "M/lognormal/1"],
)
def test_the_mean_wait_is_that_of_theory(
    workers: int, time: str, rate_per_s: float, expected_s: float
) -> None:
    """Erlang C, and Pollaczek and Khinchine."""
    found = measured(service(workers, time), rate_per_s, 300_000)
    check(found.mean_wait_s, expected_s)


@pytest.mark.parametrize("time", ["exponential 100ms", "100ms"])
def test_without_a_queue_erlangs_share_is_lost(time: str) -> None:
    """Whatever the distribution of the service time."""
    found = measured(service(5, time, queue=0), 50, 150_000)
    check(found.loss, erlang_b(5, 5.0))


def test_a_short_queue_loses_what_m_m_1_k_loses() -> None:
    """Four places and the worker: K = 5."""
    found = measured(service(1, "exponential 100ms", queue=4), 9, 150_000)
    check(found.loss, mm_1_k_loss(5, 0.9))


def test_lifo_waits_as_long_on_average_but_more_unevenly() -> None:
    """No discipline that ignores service times changes the mean (Kingman 1962)."""
    fifo, lifo = (
        measured(service(1, "exponential 100ms", order=order), 5, 150_000)
        for order in ("fifo", "lifo")
    )
    assert lifo.mean_wait_s == pytest.approx(fifo.mean_wait_s, rel=0.005)
    # M/M/1: E[W²] of LIFO is that of FIFO / (1 − u) (Takács 1963): variances 3·m², 7·m² at u = ½.
    assert lifo.wait_variance / fifo.wait_variance == pytest.approx(7 / 3, rel=0.1)


@pytest.mark.parametrize("order", ["fifo", "lifo"])
def test_littles_law_holds(order: str) -> None:
    """Who waits on average: arrival rate times mean wait (Little 1961)."""
    found = measured(service(2, "lognormal 100ms 1", order=order), 14, 100_000)
    check(found.mean_queue, found.rate_per_s * found.mean_wait_s)
