"""`stamina-26` decides as a real `stamina.retry` does."""

from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import stamina
import tenacity

from loadtests.policies import Outcome, preset
from loadtests.policies.backoff import BackoffState
from loadtests.policies.retry import Retry
from tests.loadtests.policies.beside import (
    FailedError,
    Trace,
    World,
    call,
    ours,
    random_script,
    same_failure,
)


def real(
    monkeypatch: pytest.MonkeyPatch, script: Sequence[Outcome], seed: int, **options: Any
) -> Trace:
    """The script played to a function that stamina retries."""
    world = World(script)
    monkeypatch.setattr(tenacity, "time", SimpleNamespace(monotonic=world.monotonic))
    monkeypatch.setattr(tenacity.nap, "time", SimpleNamespace(sleep=world.sleep))
    monkeypatch.setattr(stamina._core, "random", Random(seed))
    stamina.set_active(True)
    stamina.instrumentation.set_on_retry_hooks([])  # it would log every retry
    try:
        stamina.retry(on=FailedError, **options)(call)(world)
    except FailedError:
        return world.trace(succeeded=False)
    finally:
        stamina.instrumentation.set_on_retry_hooks(None)
    return world.trace(succeeded=True)


def test_the_real_one_and_ours_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any parameters, any failures, attempts that take time: every wait and every stop."""
    rng = Random(1)
    for seed in range(2000):
        options = {
            "attempts": rng.choice([10, 10, 3, 1, None]),
            "timeout": rng.choice([45.0, 45.0, 10.0, 2.0, None]),
            "wait_initial": rng.choice([0.1, 0.0, 2.0]),
            "wait_max": rng.choice([5.0, 0.5]),
            "wait_jitter": rng.choice([1.0, 0.0, 4.0]),
            "wait_exp_base": rng.choice([2.0, 1.0, 3.0]),
        }
        named = {
            name if name in ("attempts", "wait_exp_base") else f"{name}_s": value
            for name, value in options.items()
        }
        script = random_script(rng, slow=rng.random() < 0.5)
        theirs = real(monkeypatch, script, seed, **options)
        assert ours(preset("stamina-26", **named), script, seed) == theirs, options


def test_the_defaults_are_those_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine retries, or none after 45 s."""
    rng = Random(2)
    for seed in range(500):
        script = random_script(rng, length=20, slow=rng.random() < 0.5)
        assert ours(preset("stamina-26"), script, seed) == real(monkeypatch, script, seed)
    down = same_failure(503, 10)
    assert ours(preset("stamina-26"), down, 0).attempts == 10
    slow = [Outcome(status=503, elapsed_s=44.9), *down]
    assert ours(preset("stamina-26"), slow, 0).attempts == 2


def test_from_the_seventh_wait_on_all_are_exactly_5_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.1·2^6 = 6.4 s is above the cap whatever is drawn; 3.2 s and up to 1 s more is below."""
    policy = preset("stamina-26").build()
    assert isinstance(policy, Retry)
    rng, draws = Random(3), 10_000
    for retry, share in ((6, 0.0), (7, 1.0), (9, 1.0)):
        waits = [policy.backoff.wait_s(BackoffState(retry), rng) for _ in range(draws)]
        assert sum(wait == 5.0 for wait in waits) / draws == share
    for seed in range(20):
        waits = real(monkeypatch, same_failure(503, 10), seed).waits
        assert [wait == 5.0 for wait in waits] == [False] * 6 + [True] * 3
