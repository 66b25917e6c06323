"""The profiles `layers` and `envoy`: what stands between the load and the target."""

import json
from typing import Any

import pytest

from tests.compose.stack import Stack, lines_of
from tests.loadtests.live import attempts_by_lane
from tests.real import eventually

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]


@pytest.mark.parametrize(
    ("host", "made_by", "product"),
    [
        ("http://outer:8000", ["client", "gateway 1", "gateway 2"], 9),
        ("http://inner:8000", ["client", "gateway 1"], 3),
    ],
)
def test_the_report_shows_what_the_layers_multiply(
    stack: Stack, host: str, made_by: list[str], product: float
) -> None:
    """In an outage three attempts at each gateway; the form's host says how many there are."""
    [policy] = _run(stack, host)["policies"]
    in_the_dip = policy["layers"]["in_trigger"]
    assert [level["made_by"] for level in in_the_dip["levels"]] == made_by
    assert in_the_dip["product"] == pytest.approx(product, rel=0.2)


def test_past_the_layers_there_are_none(stack: Stack) -> None:
    """The same stack, and the load goes to the target itself."""
    [policy] = _run(stack, "http://target:8000")["policies"]
    assert policy["layers"] is None
    assert policy["amplification"] == 1.0


def test_a_run_through_envoy_is_not_valid_and_says_why(stack: Stack) -> None:
    """Clients without retries, and the target meters more attempts than they have made."""
    report = _run(stack, "http://envoy:8000")
    assert any("other attempts than the clients sent" in why for why in report["invalid_because"])
    sent, offered = attempts_by_lane(lines_of(stack.record()))
    assert offered["no-retry"] > 1.3 * sent["no-retry"]


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
    """The report of 10 requests/s through `host`, the target down for a second and a half."""
    record = stack.start(("NoRetry",), host=host, dips="0/s for 1.5s at 1.5s", user_count="1")
    eventually(lambda: _is_past_the_dip(lines_of(record)), "half a second more")
    return stack.stop()


def _is_past_the_dip(lines: list[dict[str, Any]]) -> bool:
    ends_s = [line["end_s"] for line in lines if line["kind"] == "fault"]
    return any(line["t_s"] > end_s + 0.5 for end_s in ends_s for line in lines if "seq" in line)
