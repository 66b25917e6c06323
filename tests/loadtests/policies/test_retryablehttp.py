"""`go-retryablehttp-0.7` by values worked out from its source, client.go of 0.7.8."""

from email.utils import formatdate
from random import Random

import pytest

from loadtests.policies import AttemptError, Outcome, preset
from loadtests.policies.backoff import BackoffState
from loadtests.policies.outcome import TRANSPORT_ERRORS
from loadtests.policies.retry import Retry
from tests.loadtests.policies.beside import EPOCH_S, Trace, ours, same_failure
from tests.loadtests.policies.uniform import LIMIT, uniform_distance

NAME = "go-retryablehttp-0.7"


@pytest.mark.parametrize(
    ("parameters", "waits"),
    [
        ({}, [1, 2, 4, 8]),
        ({"retry_max": 7}, [1, 2, 4, 8, 16, 30, 30]),
        ({"retry_max": 0}, []),
        ({"retry_wait_min_s": 0.01, "retry_wait_max_s": 0.05}, [0.01, 0.02, 0.04, 0.05]),
        ({"retry_wait_min_s": 5, "retry_wait_max_s": 3}, [3, 3, 3, 3]),
        ({"retry_wait_min_s": 0}, [0, 0, 0, 0]),
        (
            {"backoff": "linear-jitter", "retry_wait_min_s": 1, "retry_wait_max_s": 1},
            [1, 2, 3, 4],
        ),
        (
            {"backoff": "linear-jitter", "retry_wait_min_s": 2, "retry_wait_max_s": 1},
            [2, 4, 6, 8],
        ),
    ],
)
def test_the_waits_are_those_of_default_backoff(
    parameters: dict[str, object], waits: list[float]
) -> None:
    """``min(max, min·2^k)`` from k = 0, and for a linear one without jitter ``n·min``."""
    trace = ours(preset(NAME, **parameters), same_failure(503, 10), 0)
    assert trace == Trace(waits, len(waits) + 1, succeeded=False)


def test_its_power_of_two_does_not_overflow() -> None:
    """What does not fit in 64 bits of nanoseconds is the maximum."""
    policy = preset(NAME, retry_max=10_000).build()
    assert isinstance(policy, Retry)
    waits = {policy.backoff.wait_s(BackoffState(retry), Random(0)) for retry in range(6, 10_001)}
    assert waits == {30.0}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("kind", "retried"),
    [
        *[(error, True) for error in sorted(TRANSPORT_ERRORS)],
        *[(status, True) for status in (429, 500, 502, 503, 504, 505, 599)],
        *[(status, False) for status in (400, 404, 408, 413, 425, 499, 501)],
    ],
)
def test_what_default_retry_policy_retries(
    kind: int | AttemptError, retried: bool, method: str
) -> None:
    """Any error of the transport, 429, and what is from 500 on but 501; by any method."""
    trace = ours(preset(NAME), same_failure(kind, 5), 0, method)
    assert trace.attempts == (5 if retried else 1)


@pytest.mark.parametrize(
    ("value", "wait_s"),
    [
        ("7", 7.0),
        ("+7", 7.0),
        ("0", 0.0),
        ("2592000", 2_592_000.0),
        ("9223372036", 9_223_372_036.0),
        ("9223372037", 0.0),  # one second more wraps round to before the beginning of time
        ("18446744074", 0.290448384),  # and twice as much round to after it
        ("9223372036854775807", 0.0),
        ("9223372036854775808", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("soon", None),
        (formatdate(EPOCH_S + 90, usegmt=True), 90.0),
        (formatdate(EPOCH_S - 90, usegmt=True), 0.0),
        ("Thu, 31 Feb 2026 08:49:37 GMT", None),
        ("Sunday, 06-Nov-94 08:49:37 GMT", None),
        ("Sun Nov  6 08:49:37 1994", None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.usefixtures("far_from_gmt")
def test_retry_after_is_waited_for_exactly(status: int, value: str, wait_s: float | None) -> None:
    """However long; 1 s, the backoff's own, where it cannot be read."""
    told = Outcome(status=status, headers={"retry-after": value}, received_epoch_s=EPOCH_S)
    (waited_s,) = ours(preset(NAME), [told, Outcome(status=200)], 0).waits
    assert waited_s == (1.0 if wait_s is None else wait_s)


@pytest.mark.parametrize(("status", "backoff"), [(500, "exponential"), (503, "linear-jitter")])
def test_retry_after_is_not_always_read(status: int, backoff: str) -> None:
    """Of no other statuses, and by the plain linear backoff never."""
    told = Outcome(status=status, headers={"retry-after": "500"})
    policy = preset(NAME, backoff=backoff)
    (waited_s,) = ours(policy, [told, Outcome(status=200)], 0).waits
    assert waited_s <= 30


def test_retry_after_counts_as_a_retry() -> None:
    """The wait after it is that of its number."""
    told = Outcome(status=429, headers={"retry-after": "3"})
    script = [told, told, *same_failure(500, 2), Outcome(status=200)]
    assert ours(preset(NAME), script, 0).waits == [3.0, 3.0, 4.0, 8.0]


@pytest.mark.parametrize("retry", [1, 4])
def test_the_linear_jitter_is_n_times_a_uniform_draw(retry: int) -> None:
    """Kolmogorov–Smirnov over 10,000 draws; by chance once in 10,000."""
    policy = preset(NAME, backoff="rate-limit-linear-jitter", retry_wait_max_s=3).build()
    assert isinstance(policy, Retry)
    rng = Random(retry)
    waits = [policy.backoff.wait_s(BackoffState(retry), rng) for _ in range(10_000)]
    assert uniform_distance(waits, retry * 1.0, retry * 3.0) < LIMIT
