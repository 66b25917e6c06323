"""What holds for every preset, whatever it is told and in whatever order."""

import math
import pickle
from collections.abc import Callable
from itertools import chain, repeat
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.policies import PRESETS, Await, Outcome, RetryPolicy, Send, Wait, preset
from loadtests.policies.backoff import BackoffState, next_wait_s
from loadtests.policies.request import State
from loadtests.policies.retry import Retry
from loadtests.policies.wrappers.cut_waits import CutWaits
from loadtests.policies.wrappers.patience import GivesUp
from loadtests.policies.wrappers.stacked import Stacked
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.play import World, few, tapes

NAMES = list(PRESETS)
DEADLINES = {
    "seed-002-success-budget": {"deadline": "3s"},
    "seed-003-credits": {},
    "google-api-core-2": {},
    "grpc-a6": {"timeout": "3s"},
    "grpc-a6-hedging": {"timeout": "3s"},
    "envoy-1.40": {},
    "linkerd-2": {"timeout": "3s"},
    "linkerd-2-annotations": {"request_timeout": "3s"},
}
"""Those with a time that no wait and no attempt goes beyond."""
MOST_RETRIES = 10_000
UNTIL_IT_SUCCEEDS = math.inf


def doubling(first_s: float, more_s: float = 0.0) -> Callable[[int], float]:
    """A wait that doubles without a cap, and jitter on top."""
    return lambda retry: math.ldexp(first_s, retry - 1) + more_s if retry < 1000 else math.inf


# The longest wait of a preset's own backoff in seconds, by the number of the retry where it grows
# without a cap, and the most attempts of a request: both from the documentation of each library,
# for its defaults. Waits that no clock can wait are 1e15 s.
LIMITS: dict[str, tuple[float | Callable[[int], float], float]] = {
    "no-retry": (0, 1),
    "immediate": (0.1, 4),
    "exponential": (6.4, 4),
    "full-jitter": (6.4, 4),
    "full-jitter-budget": (6.4, 4),
    "seed-001-grpc-budget": (5, 3),
    "seed-002-success-budget": (doubling(0.1), 5),
    "seed-002-breaker": (0, 1),
    "seed-003-credits": (5, 4),
    "impatient-users": (6.4, 4),
    "stacked-retries": (6.4, 4**3),
    "error-ownership": (5, 3),
    "aws-blog-exponential": (2, UNTIL_IT_SUCCEEDS),
    "aws-blog-full": (2, UNTIL_IT_SUCCEEDS),
    "aws-blog-equal": (2, UNTIL_IT_SUCCEEDS),
    "aws-blog-decorrelated": (2, UNTIL_IT_SUCCEEDS),
    "urllib3-2": (0, 11),
    "requests-2": (0, 1),
    "httpx-retries-0.6": (0, 11),
    "aiohttp-retry-2.9": (30, 3),
    "go-retryablehttp-0.7": (30, 5),
    "tenacity-9": (0, UNTIL_IT_SUCCEEDS),
    "tenacity-9-exponential": (doubling(1), UNTIL_IT_SUCCEEDS),
    "tenacity-9-random-exponential": (doubling(1), UNTIL_IT_SUCCEEDS),
    "tenacity-9-exponential-jitter": (doubling(1, 1), UNTIL_IT_SUCCEEDS),
    "stamina-26": (5, 10),
    "backoff-2.2": (doubling(1), UNTIL_IT_SUCCEEDS),
    "polly-8": (2, 4),
    "resilience4j-2": (0.5, 3),
    "botocore-legacy": (doubling(1), 5),
    "botocore-standard": (20, 3),
    "botocore-adaptive": (20, 3),
    "botocore-1.44-standard": (20, 3),
    "botocore-1.44-adaptive": (20, 3),
    "google-api-core-2": (60, UNTIL_IT_SUCCEEDS),
    "azure-core-1.41": (120, 11),
    "openai-3": (8, 3),
    "grpc-a6": (1.2, 4),
    "finagle-24": (0.2, 3),
    "envoy-1.40": (0.25, 2),
    "istio-1.27": (0.25, 3),
    "linkerd-2": (0, UNTIL_IT_SUCCEEDS),
    "linkerd-2-annotations": (0.25, 2),
    "sre-client-budget": (5, 3),
    "sre-adaptive-throttling": (5, 1),
    "envoy-admission-control-1.40": (5, 1),
    "hystrix-1.5": (0, 1),
    "resilience4j-2-breaker": (0, 1),
    "resilience4j-2-retry-breaker": (0.5, 3),
    "polly-8-breaker": (0, 1),
    "pybreaker-1.4": (0, 1),
    "aiobreaker-1.2": (0, 1),
    "grpc-a6-hedging": (0, 4),
    "polly-8-hedging": (0, 2),
}
LARGEST_WAIT_S = 1e15
"""Above it a wait is as good as none that ends, and sums of floats lose seconds."""

# What else can make a request wait: a guard that blocks instead of refusing, and what the server
# says. Both in seconds; the latter for those that heed it, and heed this much of it.
GUARDS_WAIT_S = {"botocore-adaptive": 2, "botocore-1.44-adaptive": 2, "pybreaker-1.4": 0.25}
YEAR_9999_S = 2.6e11
HEEDED_S = {
    "seed-003-credits": 3,
    "urllib3-2": 6 * 3600,
    "httpx-retries-0.6": 120,
    "go-retryablehttp-0.7": YEAR_9999_S,
    "botocore-1.44-standard": 25,
    "botocore-1.44-adaptive": 25,
    "azure-core-1.41": 9.2e9,
    "openai-3": 120,
    "grpc-a6": 2**31 / 1000,
    "grpc-a6-hedging": 2**31 / 1000,
}


def longest_s(name: str, retry: int) -> float:
    """Of the preset's own backoff."""
    limit = LIMITS[name][0]
    return min(LARGEST_WAIT_S, limit(retry) if callable(limit) else limit)


def retry_of(policy: RetryPolicy) -> Retry | None:
    """The loop within a policy, if it has one."""
    while isinstance(policy, GivesUp | CutWaits | Stacked):
        policy = policy.inner if isinstance(policy, Stacked) else policy.of
    return policy if isinstance(policy, Retry) else None


def test_every_preset_is_in_the_table() -> None:
    """And nothing else is."""
    assert set(LIMITS) == set(PRESETS)
    assert {*GUARDS_WAIT_S, *HEEDED_S} <= set(PRESETS)


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32), first=st.integers(1, MOST_RETRIES))
@few(2)
def test_waits_are_finite_and_within_their_bound(name: str, seed: int, first: int) -> None:
    """From retry to retry up to the 10,000th, also of a request that is first asked late."""
    retry = retry_of(preset(name).build())
    if retry is None:
        assert LIMITS[name][0] == 0
        return
    rng = Random(seed)
    for state in (BackoffState(), BackoffState(retry=first - 1)):
        while state.retry < MOST_RETRIES:
            wait_s = next_wait_s(retry.backoff, state, rng)
            assert 0 <= wait_s <= longest_s(name, state.retry) * (1 + 1e-12), state.retry


@pytest.mark.parametrize("name", NAMES)
def test_some_wait_comes_near_the_bound(name: str) -> None:
    """So that the table says something: within a fifth, of the first thousand."""
    retry = retry_of(preset(name).build())
    if retry is None:
        return
    rng = Random(1)
    state, nearest = BackoffState(), 0.0
    for _ in range(1000):
        wait_s = next_wait_s(retry.backoff, state, rng)
        bound_s = longest_s(name, state.retry)
        nearest = max(nearest, wait_s / bound_s if bound_s else 1.0)
    assert nearest > 0.8


@pytest.mark.parametrize("name", NAMES)
@given(tape=tapes(), seed=st.integers(0, 9))
@few(12)
def test_any_order_of_events_is_answered_sensibly(name: str, tape: bytes, seed: int) -> None:
    """By any clock, with any header; and whoever goes on comes to an end within its limit."""
    world = World(preset(name).build(), tape, seed=seed).play()
    most_attempts = LIMITS[name][1]
    limited = most_attempts < math.inf
    ended = world.end_all(OVERLOADED if limited else SERVED, most_rounds=2000)
    assert ended
    assert all(request.state is State.DONE for request in world.requests)
    assert max((request.attempts for request in world.requests), default=0) <= most_attempts
    longest = max(longest_s(name, MOST_RETRIES), GUARDS_WAIT_S.get(name, 0), HEEDED_S.get(name, 0))
    for event in world.events:
        assert not isinstance(event.action, Wait) or event.action.seconds <= longest


@pytest.mark.parametrize("name", NAMES)
@given(tape=tapes(), seed=st.integers(0, 9))
@few(8)
def test_without_the_servers_word_waits_are_ones_own(name: str, tape: bytes, seed: int) -> None:
    """The bound of the backoff by the number of retries so far, or of a guard that blocks."""
    world = World(preset(name).build(), tape, seed=seed, headers=False).play()
    retries: dict[int, int] = {}
    for event in world.events:
        if isinstance(event.action, Wait):
            retry = retries[event.number] = retries.get(event.number, 0) + 1
            longest = max(longest_s(name, retry), GUARDS_WAIT_S.get(name, 0))
            assert event.action.seconds <= longest * (1 + 1e-12)


@pytest.mark.parametrize("name", DEADLINES)
@given(tape=tapes(), seed=st.integers(0, 9))
@few(30)
def test_a_clock_that_steps_back_lengthens_no_deadline(name: str, tape: bytes, seed: int) -> None:
    """Whatever the server asks for: what is waited for at once is no longer than the deadline."""
    deadline_s = {"google-api-core-2": 120, "envoy-1.40": 15}.get(name, 3)
    for event in World(preset(name, **DEADLINES[name]).build(), tape, seed=seed).play().events:
        match event.action:
            case Wait(seconds) | Send(timeout_s=float(seconds)) | Await(float(seconds)):
                assert seconds <= deadline_s


@pytest.mark.parametrize("name", [name for name in NAMES if LIMITS[name][1] < math.inf])
def test_the_limit_on_attempts_is_reached(name: str) -> None:
    """By the failure that it retries most readily, so that the table says something."""
    most = LIMITS[name][1]
    reached = max(
        world.requests[0].attempts
        for outcome in (
            Outcome(503, headers={"retry-after": "1", "x-aftershock-error-owned": "true"}),
            Outcome(503, headers={"grpc-status": "14"}),
        )
        for world in [_one_request(name, outcome)]
    )
    # A budget that starts empty and a user who leaves allow fewer.
    assert reached == most or name in {
        "full-jitter-budget",
        "sre-client-budget",
        "seed-002-success-budget",
        "azure-core-1.41",  # 10 retries in all, of each kind 3
        "impatient-users",
    }


def _one_request(name: str, outcome: Outcome) -> World:
    world = World(preset(name).build(), b"\x00\x00\x00")  # starts one, a GET without a key
    world.play()
    assert world.end_all(outcome, most_rounds=500)
    return world


@pytest.mark.parametrize("name", NAMES)
@given(tape=tapes(), other=tapes(200), seed=st.integers(0, 2**32))
@few(8)
def test_the_same_seed_decides_the_same(name: str, tape: bytes, other: bytes, seed: int) -> None:
    """Whole traces are equal, whatever another policy of the same preset has been through."""
    source = preset(name)
    expected = World(source.build(), tape, seed=seed).play().events
    World(source.build(), other, seed=seed + 1).play()
    assert World(source.build(), tape, seed=seed).play().events == expected


@pytest.mark.parametrize("name", NAMES)
def test_two_policies_of_one_preset_share_no_state(name: str) -> None:
    """One that has seen an outage; the other is as new, to the byte."""
    source = preset(name)
    new = pickle.dumps(source.build())
    spent, other = source.build(), source.build()
    _outage(spent)
    assert pickle.dumps(other) == new
    assert pickle.dumps(source.build()) == new


STATELESS = {
    *("no-retry", "immediate", "exponential", "full-jitter", "impatient-users", "stacked-retries"),
    *("error-ownership", "aws-blog-exponential", "aws-blog-full", "aws-blog-equal"),
    *("aws-blog-decorrelated", "urllib3-2", "requests-2", "httpx-retries-0.6"),
    *("aiohttp-retry-2.9", "go-retryablehttp-0.7", "tenacity-9", "tenacity-9-exponential"),
    *("tenacity-9-random-exponential", "tenacity-9-exponential-jitter", "stamina-26"),
    *("backoff-2.2", "polly-8", "resilience4j-2", "botocore-legacy", "google-api-core-2"),
    *("azure-core-1.41", "openai-3", "istio-1.27", "linkerd-2-annotations", "polly-8-hedging"),
}


@pytest.mark.parametrize("name", NAMES)
def test_what_has_state_is_changed_by_an_outage_and_nothing_else_is(name: str) -> None:
    """Those without a budget, a breaker or a throttle."""
    policy = preset(name).build()
    new = pickle.dumps(policy)
    _outage(policy)
    assert (pickle.dumps(policy) == new) == (name in STATELESS)


@pytest.mark.parametrize("name", NAMES)
def test_state_does_not_grow_with_requests(name: str) -> None:
    """Once its window is full, at 5 requests a second, half of which fail, it stays as large."""
    policy = preset(name).build()
    sizes = []
    for number in range(2400):
        outcome = OVERLOADED if number % 2 else SERVED
        drive(policy, chain([outcome] * 20, repeat(SERVED)), start_s=number / 5)
        if number in {1199, 2399}:
            sizes.append(len(pickle.dumps(policy)))
    assert sizes[1] <= sizes[0] + 64


def _outage(policy: RetryPolicy) -> None:
    """Requests that fail, one after another, of which some are left where they are."""
    world = World(policy, bytes([0, 0, 0, 1, 0, 0, 1] * 200), headers=False, most_live=50).play()
    assert world.live
    assert {event.what for event in world.events} >= {"start", "end"}
