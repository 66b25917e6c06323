"""The profile `observability`: a Prometheus inside the stack scrapes both sides of a run."""

import json
import os
import warnings
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.compose.stack import Stack, fetch
from tests.loadtests.live import attempts_by_lane
from tests.real import eventually

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]

DIPS = "aftershock_dips_total"


def test_prometheus_reaches_both_sides(stack: Stack) -> None:
    """The target, and the process that owns the runs."""
    eventually(lambda: _values(stack, "up", "job") == {"target": 1.0, "locust": 1.0}, "both are up")


def test_the_rules_are_loaded(stack: Stack) -> None:
    """And none of them fails."""
    assert "AftershockRetryStorm" in {rule["name"] for rule in _rules(stack)}
    eventually(lambda: {rule["health"] for rule in _rules(stack)} == {"ok"}, "all are evaluated")


def test_prometheus_counts_what_the_record_counts(stack: Stack) -> None:
    """Attempts as the clients sent them and as the target metered them, with a dip between."""
    counters = ("aftershock_request_attempts_total", "aftershock_offered_attempts_total")
    before = [_by_lane(stack, counter) for counter in counters]
    dips = f'{DIPS}{{lane="full-jitter"}}'
    dips_before = _by_lane(stack, dips).get("full-jitter", 0)
    stack.start(dips="20% for 1s at 2s")
    eventually(
        lambda: _by_lane(stack, dips) == {"full-jitter": dips_before + 1}, "the dip is counted"
    )
    stack.stop()
    in_record = attempts_by_lane(stack.lines())
    for counter, earlier, new in zip(counters, before, in_record, strict=True):
        _await_counts(stack, counter, {lane: earlier.get(lane, 0) + new[lane] for lane in new})


def test_grafana_is_healthy(stack: Stack) -> None:
    """Only where an image of it can be had."""
    if "GRAFANA_IMAGE" not in os.environ:
        sentence = "NOT TESTED: Grafana in the stack: GRAFANA_IMAGE names no image that can be had"
        warnings.warn(sentence, stacklevel=1)
        pytest.skip(sentence)
    found = {container["Service"]: container for container in stack.containers()}
    assert found["grafana"]["Health"] == "healthy"


def _await_counts(stack: Stack, counter: str, counted: Mapping[str, float]) -> None:
    """Until Prometheus has what the record has; what was on its way at the end is in one only."""
    expected = {lane: pytest.approx(count, abs=12) for lane, count in counted.items()}

    def as_counted() -> bool:
        found = _by_lane(stack, counter)
        return {lane: found.get(lane) for lane in expected} == expected

    eventually(as_counted, f"{counter}: {counted}")


def _by_lane(stack: Stack, counter: str) -> dict[str, float]:
    return _values(stack, f"sum by (lane) ({counter})", "lane")


def _rules(stack: Stack) -> list[dict[str, Any]]:
    return [rule for group in _ask(stack, "rules")["groups"] for rule in group["rules"]]


def _values(stack: Stack, query: str, label: str) -> dict[str, float]:
    """What a query comes to now, by a label."""
    found = _ask(stack, f"query?{urlencode({'query': query})}")["result"]
    return {series["metric"].get(label, ""): float(series["value"][1]) for series in found}


def _ask(stack: Stack, path: str) -> dict[str, Any]:
    answer = json.loads(fetch(f"{stack.prometheus}/api/v1/{path}"))
    assert answer["status"] == "success"
    data: dict[str, Any] = answer["data"]
    return data
