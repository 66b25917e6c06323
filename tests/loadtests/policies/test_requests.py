"""`requests-2` does as a real session does, whose connections are played."""

from collections.abc import Sequence
from random import Random

import pytest
import requests
from requests.adapters import HTTPAdapter

from loadtests.policies import AttemptError, Outcome, StopReason, preset
from loadtests.policies.outcome import TRANSPORT_ERRORS
from tests.loadtests.policies.beside import Trace, World, ours, random_script, same_failure
from tests.loadtests.policies.drive import drive
from tests.loadtests.policies.test_urllib3 import patch


def real(
    monkeypatch: pytest.MonkeyPatch,
    script: Sequence[Outcome],
    *,
    max_retries: int | None = None,
    method: str = "GET",
) -> Trace:
    """The script played to a session: with the adapters it comes with, or with one mounted."""
    world = World(script)
    patch(monkeypatch, world, 0)
    with requests.Session() as session:
        session.trust_env = False  # a proxy of the machine's has no place here
        if max_retries is not None:
            session.mount("http://", HTTPAdapter(max_retries=max_retries))
        try:
            answer = session.request(method, "http://service.invalid/")
        except requests.RequestException:
            return world.trace(succeeded=False)
    return world.trace(answer.status_code < 400)


@pytest.mark.parametrize("kind", [*sorted(TRANSPORT_ERRORS), 429, 500, 502, 503, 504])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_session_makes_one_attempt(
    monkeypatch: pytest.MonkeyPatch, kind: int | AttemptError, method: str
) -> None:
    """Whatever becomes of it, a refused connection too."""
    script = same_failure(kind, 3)
    theirs = real(monkeypatch, script, method=method)
    assert theirs == ours(preset("requests-2"), script, 0, method)
    assert theirs == Trace([], 1, succeeded=False)


def test_a_session_does_not_heed_retry_after_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a total of 0 nothing is left for it."""
    script = [Outcome(status=503, headers={"retry-after": "1"}), Outcome(status=200)]
    assert real(monkeypatch, script) == ours(preset("requests-2"), script, 0)
    assert drive(preset("requests-2").build(), script).reason is StopReason.NOT_RETRIED


def test_an_adapter_with_max_retries_retries_reads_and_heeds_retry_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Unlike what its documentation says: it is urllib3's `Retry(max_retries)`."""
    rng = Random(1)
    for _ in range(500):
        script, max_retries = random_script(rng, length=8), rng.randrange(5)
        method = rng.choice(["GET", "POST"])
        theirs = real(monkeypatch, script, max_retries=max_retries, method=method)
        assert ours(preset("requests-2", max_retries=max_retries), script, 0, method) == theirs
    timeouts = [*same_failure(AttemptError.TIMEOUT, 2), Outcome(status=200)]
    assert real(monkeypatch, timeouts, max_retries=3) == Trace([0.0, 0.0], 3, succeeded=True)
