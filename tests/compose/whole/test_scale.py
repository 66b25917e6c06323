"""`docker compose up --scale worker=4`: four workers, one load, one record."""

import json
from typing import Any

import pytest

from tests.compose.stack import Stack
from tests.loadtests.live import check_attempts, of_kind
from tests.real import eventually

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]

WORKERS = 4
BUSY = ("no CPU to spare", "more than a tick", "recorded no health", "were held up")
"""What a report says of a machine that has less to spare than four workers want."""


@pytest.fixture(scope="module", autouse=True)
def scaled(stack: Stack) -> None:
    """With four workers, all of which the master knows before the stack counts as healthy."""
    before = stack.token()
    stack.up("--scale", f"worker={WORKERS}", "locust")
    assert stack.token() == before
    assert json.loads(stack.page("/stats/requests"))["worker_count"] == WORKERS


def test_four_workers_share_the_load_and_their_counts_add_up(stack: Stack) -> None:
    """In the control room, in the record, and in the report."""
    record = stack.start(
        user_count="8", spawn_rate="8", rate_per_user="2/s", dips="20% for 1s at 3s"
    )
    at_work = eventually(lambda: _workers(stack, users=2), "four workers with two users each")
    assert len({worker["name"] for worker in at_work}) == WORKERS
    eventually(lambda: stack.seconds() > 12, "enough after the dip")
    report = stack.stop()

    lines = stack.lines()
    recorded = {line["worker"] for line in of_kind(lines, "health")}
    assert {name for name in recorded if str(name).startswith("worker-")} == {
        worker["name"] for worker in at_work
    }
    sent, _ = check_attempts(lines)
    assert sent.keys() == {"no-retry", "full-jitter"}
    assert min(sent.values()) >= 8 * 10  # four users each
    assert record.parent.name == report["run"]["id"]
    assert all(any(word in why for word in BUSY) for why in report["invalid_because"]), report


def _workers(stack: Stack, users: int) -> list[dict[str, Any]] | None:
    """The workers in the control room, once each has as many users."""
    found: list[dict[str, Any]] = json.loads(stack.page("/aftershock/live?window=30s"))["workers"]
    ready = [one for one in found if one["state"] == "running" and one["users"] == users]
    return ready if len(ready) == len(found) == WORKERS else None
