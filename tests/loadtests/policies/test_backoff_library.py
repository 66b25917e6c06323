"""`backoff-2.2` decides as the real decorators do."""

import datetime
from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import backoff
import backoff._sync
import pytest

from loadtests.policies import Outcome, StopReason, preset
from tests.loadtests.policies.beside import (
    FailedError,
    Trace,
    World,
    call,
    ours,
    random_script,
    same_failure,
)
from tests.loadtests.policies.drive import drive

GENERATORS: dict[str, Any] = {
    "expo": backoff.expo,
    "fibo": backoff.fibo,
    "constant": backoff.constant,
}
JITTERS = {"full": backoff.full_jitter, "random": backoff.random_jitter, None: None}


def real(
    monkeypatch: pytest.MonkeyPatch,
    script: Sequence[Outcome],
    seed: int,
    generator: str = "expo",
    **options: Any,
) -> Trace:
    """The script played to a function that the library retries."""
    world = World(script)
    began = datetime.datetime(2026, 1, 1)

    def now() -> datetime.datetime:
        return began + datetime.timedelta(seconds=world.now_s)

    clock = SimpleNamespace(datetime=SimpleNamespace(now=now))
    monkeypatch.setattr(backoff._sync, "datetime", clock)
    monkeypatch.setattr(backoff._sync, "time", SimpleNamespace(sleep=world.sleep))
    monkeypatch.setattr(backoff._jitter, "random", Random(seed))
    wait = GENERATORS[generator]
    try:
        backoff.on_exception(wait, FailedError, logger=None, **options)(call)(world)
    except FailedError:
        return world.trace(succeeded=False)
    return world.trace(succeeded=True)


def random_options(rng: Random) -> tuple[dict[str, object], dict[str, Any]]:
    """By our names, and by theirs."""
    jitter, generator = rng.choice(list(JITTERS)), rng.choice(list(GENERATORS))
    theirs = {
        "max_tries": rng.choice([None, None, 1, 3, 8]),
        "max_time": rng.choice([None, None, 5.0, 30.0]),
    }
    if generator == "expo":
        theirs |= {"base": rng.choice([2.0, 1.5]), "factor": rng.choice([1.0, 0.1])}
    if generator == "constant":
        theirs["interval"] = rng.choice([1.0, 2.0])
    else:
        theirs["max_value"] = rng.choice([None, 4.0])
    seconds = ("max_time", "max_value", "factor", "interval")
    mine: dict[str, object] = {
        f"{name}_s" if name in seconds else name: value for name, value in theirs.items()
    }
    mine |= {"wait_gen": generator, "jitter": jitter}
    return mine, {**theirs, "generator": generator, "jitter": JITTERS[jitter]}


def same(mine: Trace, theirs: Trace) -> bool:
    """To the microsecond where `max_time` cuts a wait: the real clock counts in whole ones."""
    exact = (mine.attempts, mine.succeeded) == (theirs.attempts, theirs.succeeded)
    return exact and mine.waits == pytest.approx(theirs.waits, rel=1e-12, abs=3e-6)


def test_the_real_decorator_and_ours_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any parameters, any failures, attempts that take time: every wait and every stop."""
    rng = Random(1)
    for seed in range(2000):
        mine, theirs = random_options(rng)
        script = random_script(rng, slow=rng.random() < 0.5)
        generator = str(theirs.pop("generator"))
        traced = real(monkeypatch, script, seed, generator, **theirs)
        assert same(ours(preset("backoff-2.2", **mine), script, seed), traced), (mine, script)


def test_the_defaults_are_those_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """`on_exception(expo, …)`: for ever, with full jitter and no cap."""
    rng = Random(2)
    for seed in range(200):
        script = random_script(rng, length=30)  # the waits of 40 go beyond the year 9999
        assert ours(preset("backoff-2.2"), script, seed) == real(monkeypatch, script, seed)


def test_max_time_does_not_count_the_last_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is checked against the time at which that began: one more is made after an hour."""
    slow = [Outcome(status=503, elapsed_s=3600.0)] * 3
    policy = preset("backoff-2.2", max_time_s=60, jitter="none")
    theirs = real(monkeypatch, slow, 0, max_time=60, jitter=None)
    assert theirs == ours(policy, slow, 0) == Trace([1.0], 2, succeeded=False)
    assert drive(policy.build(), slow).reason is StopReason.DEADLINE


def test_the_last_wait_is_cut_to_max_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """And an attempt is made when it is over."""
    policy = preset("backoff-2.2", max_time_s=10, jitter="none")
    down = same_failure(503, 9)
    theirs = real(monkeypatch, down, 0, max_time=10, jitter=None)
    assert theirs == ours(policy, down, 0) == Trace([1.0, 2.0, 4.0, 3.0], 5, succeeded=False)
