"""A request as policies see it: methods in upper case, however they were given."""

from random import Random

import pytest
from urllib3.util.retry import Retry as RealRetry

from loadtests.policies import PRESETS, Call, Outcome, preset
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive


@pytest.mark.parametrize("given", ["get", "Get", "GET"])
def test_a_method_is_in_upper_case(given: str) -> None:
    """Two calls that differ in nothing else are equal."""
    rng = Random(0)
    assert Call(rng, given).method == "GET"
    assert Call(rng, given) == Call(rng, "GET")


@pytest.mark.parametrize("method", ["get", "GET", "post", "POST"])
def test_the_real_urllib3_takes_get_for_a_get(method: str) -> None:
    """And so do we."""
    real = RealRetry(3, status_forcelist=[503]).is_retry(method, 503)
    ours = drive(
        preset("urllib3-2", status_forcelist="503").build(), [OVERLOADED, SERVED], method=method
    )
    assert real is (ours.attempts == 2) is (method.upper() == "GET")


@pytest.mark.parametrize(
    "name",
    ["seed-001-grpc-budget", "urllib3-2", "requests-2", "azure-core-1.41", "aiohttp-retry-2.9"],
)
def test_no_policy_tells_get_from_lower_case(name: str) -> None:
    """What it does after each status is the same."""
    assert name in PRESETS
    for status in (408, 429, 500, 502, 503, 504):
        for method in ("GET", "POST", "PATCH"):
            one, other = (
                drive(preset(name).build(), [Outcome(status=status)] * 20, method=written)
                for written in (method, method.lower())
            )
            assert one == other
