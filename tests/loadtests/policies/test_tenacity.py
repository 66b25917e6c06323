"""The presets `tenacity-9…` decide as a real `Retrying` does."""

from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import tenacity

from loadtests.policies import Outcome, preset
from loadtests.policies.backoff import BackoffState
from loadtests.policies.retry import Retry
from tests.loadtests.policies.beside import FailedError, Trace, World, call, ours, random_script

WAITS = {
    "tenacity-9-exponential": tenacity.wait_exponential,
    "tenacity-9-random-exponential": tenacity.wait_random_exponential,
    "tenacity-9-exponential-jitter": tenacity.wait_exponential_jitter,
}


def real(
    monkeypatch: pytest.MonkeyPatch,
    script: Sequence[Outcome],
    seed: int,
    **options: Any,
) -> Trace:
    """The script played to a function that tenacity retries."""
    world = World(script)
    monkeypatch.setattr(tenacity, "time", SimpleNamespace(monotonic=world.monotonic))
    monkeypatch.setattr(tenacity.wait, "random", Random(seed))
    try:
        tenacity.Retrying(sleep=world.sleep, **options)(call, world)
    except tenacity.RetryError:
        return world.trace(succeeded=False)
    except FailedError:
        return world.trace(succeeded=False)
    return world.trace(succeeded=True)


def random_stop(rng: Random) -> tuple[dict[str, object], dict[str, Any]]:
    """By our names, and the real thing."""
    attempts = rng.choice([None, None, 1, 3, 7])
    after_s = rng.choice([None, None, 4.0, 20.0, 0.0])
    before_s = rng.choice([None, None, 3.0, 15.0])
    stops: list[tenacity.stop.stop_base] = []
    if attempts is not None:
        stops.append(tenacity.stop_after_attempt(attempts))
    if after_s is not None:
        stops.append(tenacity.stop_after_delay(after_s))
    if before_s is not None:
        stops.append(tenacity.stop_before_delay(before_s))
    named: dict[str, object] = {
        "attempts": attempts,
        "stop_after_delay_s": after_s,
        "stop_before_delay_s": before_s,
    }
    return named, {"stop": tenacity.stop_any(*stops)} if stops else {}


def random_wait(rng: Random, name: str) -> tuple[dict[str, object], dict[str, Any]]:
    """By our names, and by theirs."""
    most = rng.choice([None, 5.0, 1.0])
    theirs = {
        "multiplier": rng.choice([1.0, 0.1, 3.0, 0.0]),
        "exp_base": rng.choice([2.0, 1.5, 3.0, 1.0, 0.5]),
        "min": rng.choice([0.0, 0.0, 0.5, 2.0]),
        **({} if most is None else {"max": most}),
    }
    mine: dict[str, object] = {
        "multiplier_s": theirs["multiplier"],
        "exp_base": theirs["exp_base"],
        "min_s": theirs["min"],
        "max_s": most,
    }
    if name == "tenacity-9-exponential-jitter":
        theirs["jitter"] = rng.choice([1.0, 0.0, 4.0])
        mine["jitter_s"] = theirs["jitter"]
    return mine, {"wait": WAITS[name](**theirs)}


def same(mine: Trace, theirs: Trace) -> bool:
    """To the last bit but one: the real one takes logarithms on its way to the cap."""
    exact = (mine.attempts, mine.succeeded) == (theirs.attempts, theirs.succeeded)
    return exact and mine.waits == pytest.approx(theirs.waits, rel=1e-12)


@pytest.mark.parametrize("name", WAITS)
def test_the_real_waits_and_stops_are_ours(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Any parameters, any failures, attempts that take time: every wait and every stop."""
    rng = Random(name)
    for seed in range(1500):
        stop, real_stop = random_stop(rng)
        wait, real_wait = random_wait(rng, name)
        script = random_script(rng, slow=rng.random() < 0.5)
        theirs = real(monkeypatch, script, seed, **real_stop, **real_wait)
        assert same(ours(preset(name, **stop, **wait), script, seed), theirs), (stop, wait)


@pytest.mark.parametrize("name", WAITS)
def test_the_defaults_of_a_wait_are_those_of_the_library(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """`wait_…()` and the preset as it is."""
    rng = Random(name)
    for seed in range(200):
        script = random_script(rng, length=40)
        theirs = real(monkeypatch, script, seed, wait=WAITS[name]())
        assert same(ours(preset(name), script, seed), theirs)


def test_the_default_goes_on_for_ever_without_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """`@retry` as it is: any failure, a 404 and a failure of the client's own as well."""
    rng = Random(1)
    for seed in range(200):
        script = random_script(rng, length=200, rejected=True)
        theirs = real(monkeypatch, script, seed)
        assert ours(preset("tenacity-9"), script, seed) == theirs
        assert theirs == Trace([0.0] * (len(script) - 1), len(script), succeeded=True)


def test_a_fixed_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """`wait_fixed`, with every stop."""
    rng = Random(2)
    for seed in range(500):
        stop, real_stop = random_stop(rng)
        wait_s = rng.choice([0.0, 1.0, 3.0])
        script = random_script(rng, slow=rng.random() < 0.5)
        wait = tenacity.wait_fixed(wait_s)
        theirs = real(monkeypatch, script, seed, wait=wait, **real_stop)
        assert ours(preset("tenacity-9", wait_s=wait_s, **stop), script, seed) == theirs


def test_only_the_named_failures_are_retried() -> None:
    """Which the user of the library says, by the exceptions of the function."""
    policy = preset("tenacity-9", statuses="503", errors="timeout")
    assert ours(policy, [Outcome(status=503), Outcome(status=404)], 0).attempts == 2
    assert ours(policy, [Outcome(status=502)], 0).attempts == 1
    refused = preset("tenacity-9", errors="refused")
    assert "refused" in refused.describe()
    with pytest.raises(ValueError, match="expected any of timeout, connect-timeout"):
        preset("tenacity-9", errors="bad-luck")


def test_the_jitter_is_lost_at_the_cap() -> None:
    """jd/tenacity#703: from 2^(n−1) = 64 on, all waits are 60 s. Of the random one, none are."""
    rng, draws = Random(3), 10_000
    shares = {}
    for name in ("tenacity-9-exponential-jitter", "tenacity-9-random-exponential"):
        policy = preset(name, max_s=60).build()
        assert isinstance(policy, Retry)
        for retry in (6, 7):
            waits = [policy.backoff.wait_s(BackoffState(retry), rng) for _ in range(draws)]
            shares[name, retry] = sum(wait == 60.0 for wait in waits) / draws
    assert list(shares.values()) == [0.0, 1.0, 0.0, 0.0]
    theirs = tenacity.wait_exponential_jitter(max=60)
    state: Any = SimpleNamespace(attempt_number=7)  # all that it reads
    assert {theirs(state) for _ in range(100)} == {60.0}
