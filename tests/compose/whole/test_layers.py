"""The profiles `layers` and `envoy`: what stands between the load and the target."""

import json
from typing import Any

import pytest

from tests.compose.stack import Stack
from tests.loadtests.live import attempts_by_lane, failures_of, of_kind
from tests.real import eventually

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]

ENOUGH = 10
"""Failed requests: some of them were due in the second half of the outage."""


@pytest.mark.parametrize(
    ("host", "made_by"),
    [
        ("http://outer:8000", ["client", "gateway 1", "gateway 2"]),
        ("http://inner:8000", ["client", "gateway 1"]),
    ],
)
def test_the_report_shows_what_the_layers_multiply(
    stack: Stack, host: str, made_by: list[str]
) -> None:
    """In an outage three attempts at each gateway; the form's host says how many there are.

    A request succeeds at once, or fails after all of them; but for what the end cut off. The report
    leaves out what came after its end, while users were stopped, and the record does not.
    """
    [policy] = _run(stack, host)["policies"]
    levels = policy["layers"]["over_run"]["levels"]
    assert [level["made_by"] for level in levels] == made_by
    issued, succeeded, failed = _requests(stack)
    unfinished = issued - succeeded - failed
    lines = stack.lines()
    gateways = [f"gateway {number}" for number in range(1, len(made_by))]
    metered = [[line for line in of_kind(lines, "layer") if line["layer"] == g] for g in gateways]
    for depth, ticks in enumerate([*metered, of_kind(lines, "tick")]):
        arrived = sum(sum(tick["offered"]) for tick in ticks)  # type: ignore[call-overload]  # JSON
        least = succeeded + failed * 3**depth
        assert least <= arrived <= least + unfinished * 3**depth, depth
        assert levels[depth]["attempts"] <= arrived
    assert policy["layers"]["in_trigger"]["product"] > 1


def test_past_the_layers_there_are_none(stack: Stack) -> None:
    """The same stack, and the load goes to the target itself."""
    [policy] = _run(stack, "http://target:8000")["policies"]
    assert policy["layers"] is None
    assert policy["amplification"] == 1.0


def test_a_run_through_envoy_is_not_valid_and_says_why(stack: Stack) -> None:
    """Clients without retries, and the target meters more attempts than they have made."""
    report = _run(stack, "http://envoy:8000")
    assert any("other attempts than the clients sent" in why for why in report["invalid_because"])
    _, offered = attempts_by_lane(stack.lines())
    _, succeeded, failed = _requests(stack)
    assert offered["no-retry"] >= succeeded + 4 * failed


def test_the_audit_finds_envoy(stack: Stack) -> None:
    """From inside the stack, as docs/compose.md says; it exits 1 as something retries."""
    found = json.loads(
        stack.inside(
            "locust", "sh", "-c",
            "aftershock audit --json --entry http://envoy:8000 --refusal 503 --refusal reset"
            " || test $? -eq 1",
        )
    )  # fmt: skip
    made = {(one["refused_with"], one["method"]): one["attempts"] for one in found["requests"]}
    assert (made[None, "GET"], made[None, "POST"]) == (1, 1)
    assert [made[refusal, "POST"] for refusal in ("503", "reset")] == [4, 4]


def _run(stack: Stack, host: str) -> dict[str, Any]:
    """The report of 10 requests/s through `host`, the target down from 1.5 s on, to the end."""
    stack.start(("NoRetry",), host=host, dips="0/s for 1m at 1.5s", user_count="1")
    eventually(lambda: _requests(stack)[2] >= ENOUGH, f"{ENOUGH} requests that failed")
    return stack.stop()


def _requests(stack: Stack) -> tuple[int, int, int]:
    """Issued, succeeded and failed so far, says the newest record."""
    lines = of_kind(stack.lines(), "requests")
    return (
        sum(int(str(line["issued"])) for line in lines),
        sum(int(str(line["succeeded"])) for line in lines),
        sum(failures_of(line) for line in lines),
    )
