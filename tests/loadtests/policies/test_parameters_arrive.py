"""Every parameter of breakers, throttles and articles reaches a part, and none another's place."""

import re
from dataclasses import fields

import pytest

from loadtests.policies import PRESETS, Preset, RetryPolicy, preset
from loadtests.policies.backoff import Capped, Exponential, FullJitter
from loadtests.policies.budgets import Bucket, ShareOf, WindowBudget
from loadtests.policies.catalogue import articles, breakers, throttles, users_and_layers
from loadtests.policies.guards import (
    AdaptiveThrottle,
    AdmissionControl,
    AioBreaker,
    ConsecutiveBreaker,
    Failures,
    Guard,
    HystrixBreaker,
    PollyBreaker,
    PyBreaker,
    Resilience4jBreaker,
)
from loadtests.policies.guards.resilience4j import Spells, Thresholds
from loadtests.policies.limits import Spans, StopsBeforeWait
from loadtests.policies.retry import Retry

CHECKED: tuple[type[Preset], ...] = (
    *breakers.PRESETS,
    breakers.Seed002Breaker,
    *throttles.PRESETS,
    *users_and_layers.PRESETS,
    articles.Seed001GrpcBudget,
    articles.Seed002SuccessBudget,
    articles.Seed003Credits,
)
OTHERS: dict[str, object] = {
    "window_type": "time",
    "spread": "fixed",
    "policy": "immediate",
    "max_wait_in_open_s": 1.5,
    "max_wait_s": 1.5,
    "deadline_s": 1.5,
    "budget_share": 0.5,
    "multiplier": 2.0,
}


def other(value: object, name: str) -> object:
    """Another value that a parameter of that kind can have."""
    if name in OTHERS:
        return OTHERS[name]
    if isinstance(value, bool):
        return not value
    if isinstance(value, frozenset):
        return frozenset({418})
    assert isinstance(value, int | float)
    if name.endswith("_share") or name == "randomization":
        return 0.25
    return value + 1


def parts(policy: RetryPolicy) -> str:
    """All of them with their values; a part without any is only its name."""
    return re.sub(r" object at 0x[0-9a-f]+", "", repr(policy))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(each.name, item.name) for each in CHECKED for item in fields(each)],
)
def test_a_parameter_makes_another_policy(name: str, parameter: str) -> None:
    """One whose parts are not all equal to those of the defaults."""
    attempts = {"max_attempts": 3} if name in {each.name for each in throttles.PRESETS} else {}
    default = preset(name, **attempts)
    changed = preset(name, **{**attempts, parameter: other(getattr(default, parameter), parameter)})
    assert parts(changed.build()) != parts(default.build())
    assert parts(default.build()) == parts(preset(name, **attempts).build())


def guard_of(name: str, **parameters: object) -> Guard | None:
    """That of the policy."""
    policy = preset(name, **parameters).build()
    assert isinstance(policy, Retry)
    return policy.guard


ONLY_418 = Failures(frozenset({418}))


def test_parameters_of_breakers_go_to_their_places() -> None:
    """All of them at once, each with a value of its own."""
    assert guard_of(
        "seed-002-breaker",
        threshold=2,
        cooldown="3s",
        cooldown_multiplier=4,
        max_cooldown="5s",
        failure_statuses=[418],
    ) == ConsecutiveBreaker(2, 3.0, 4.0, 5.0, ONLY_418)
    hystrix = preset(
        "hystrix-1.5",
        request_volume=2,
        failure_rate="30%",
        window="4s",
        snapshot="2s",
        sleep_window="6s",
        timeout="7s",
        failure_statuses=[418],
    ).build()
    assert isinstance(hystrix, Retry)
    assert hystrix.guard == HystrixBreaker(2, 0.3, 4.0, 2.0, 6.0, ONLY_418)
    assert hystrix.timeout_s == 7.0
    assert guard_of(
        "polly-8-breaker",
        failure_ratio="20%",
        minimum_throughput=3,
        sampling="4s",
        break_s="5s",
        failure_statuses=[418],
    ) == PollyBreaker(0.2, 3, 4.0, 5.0, ONLY_418)
    assert guard_of(
        "pybreaker-1.4",
        fail_max=2,
        reset_timeout="3s",
        success_threshold=4,
        serialised=False,
        failure_statuses=[418],
    ) == PyBreaker(2, 3.0, 4, False, ONLY_418)
    assert guard_of(
        "aiobreaker-1.2", fail_max=2, timeout="3s", failure_statuses=[418]
    ) == AioBreaker(2, 3.0, ONLY_418)


@pytest.mark.parametrize("name", ["resilience4j-2-breaker", "resilience4j-2-retry-breaker"])
def test_parameters_of_resilience4j_go_to_their_places(name: str) -> None:
    """Alone and with a retry around it."""
    assert guard_of(
        name,
        window_type="time",
        window_size=2,
        minimum_calls=3,
        failure_rate="40%",
        slow_call_rate="50%",
        slow_call="6s",
        wait_in_open="7s",
        wait_in_open_multiplier=8,
        max_wait_in_open="9s",
        permitted_in_half_open=10,
        max_wait_in_half_open="11s",
        automatic_half_open=True,
        failure_statuses=[418],
    ) == Resilience4jBreaker(
        Thresholds(True, 2, 3, 0.4, 0.5, 6.0, 10), Spells(7.0, 8.0, 9.0, 11.0, True), ONLY_418
    )


def test_parameters_of_throttles_go_to_their_places() -> None:
    """And so do the waits of those that retry."""
    assert guard_of(
        "sre-adaptive-throttling", k=3, window="4s", rejection_statuses=[418]
    ) == AdaptiveThrottle(3.0, 4.0, frozenset({418}))
    assert guard_of(
        "envoy-admission-control-1.40",
        sr_threshold="50%",
        aggression=3,
        max_rejection_probability="40%",
        rps_threshold=5,
        sampling_window="6s",
        failure_statuses=[418],
    ) == AdmissionControl(0.5, 3.0, 0.4, 5, 6.0, frozenset({418}))
    sre = preset(
        "sre-client-budget", max_attempts=2, base="3s", cap="4s", budget="50%", budget_window="6s"
    ).build()
    assert isinstance(sre, Retry)
    assert (sre.attempts, sre.budget) == (2, WindowBudget(0.5, ShareOf.REQUESTS, 6.0))
    assert sre.backoff == FullJitter(Capped(Exponential(3.0), 4.0))


def test_parameters_of_articles_go_to_their_places() -> None:
    """Deadlines of two kinds among them."""
    second = preset(
        "seed-002-success-budget", budget="20%", budget_window="3s", deadline="4s"
    ).build()
    assert isinstance(second, Retry)
    assert second.budget == WindowBudget(0.2, ShareOf.SUCCESSES, 3.0)
    assert second.deadline == Spans(4.0)
    third = preset("seed-003-credits", deadline="4s", retry_cost=5, max_credits=60).build()
    assert isinstance(third, Retry)
    assert third.budget == Bucket(cost=5, most=60)
    assert third.deadline == StopsBeforeWait(4.0)


@pytest.mark.parametrize("name", [each.name for each in CHECKED])
def test_a_fault_names_a_preset_that_there_is(name: str) -> None:
    """And not the one that has it."""
    for fault in PRESETS[name].faults:
        assert fault.sound in PRESETS
        assert fault.sound != name
