"""The profile `observability`: a Prometheus inside the stack scrapes both sides of a run."""

import json
import os
import warnings
from collections import Counter
from typing import Any
from urllib.parse import urlencode

import pytest
from prometheus_client.parser import text_string_to_metric_families

from faults.admin import AdminClient
from tests.compose.stack import Stack, fetch
from tests.loadtests.live import attempts_by_lane, of_kind
from tests.real import eventually

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]

DIPS = "aftershock_dips_total"
COUNTERS = ("aftershock_request_attempts_total", "aftershock_offered_attempts_total")
"""As the clients sent them, and as the target metered them."""


def test_prometheus_reaches_both_sides(stack: Stack) -> None:
    """The target, and the process that owns the runs."""
    eventually(lambda: _values(stack, "up", "job") == {"target": 1.0, "locust": 1.0}, "both are up")


def test_the_rules_are_loaded(stack: Stack) -> None:
    """And none of them fails."""
    assert "AftershockRetryStorm" in {rule["name"] for rule in _rules(stack)}
    eventually(lambda: {rule["health"] for rule in _rules(stack)} == {"ok"}, "all are evaluated")


def test_prometheus_counts_what_the_record_counts(stack: Stack) -> None:
    """To the attempt, as clients sent them and as the target metered them, with a dip between."""
    before = _exposed(stack)
    dips = f'{DIPS}{{lane="full-jitter"}}'
    dips_before = _by_lane(stack, dips).get("full-jitter", 0)
    stack.start(dips="20% for 1s at 2s")
    eventually(
        lambda: _by_lane(stack, dips) == {"full-jitter": dips_before + 1}, "the dip is counted"
    )
    stack.stop()
    lines = stack.lines()
    new = attempts_by_lane(lines)
    last = max(int(str(line["seq"])) for line in of_kind(lines, "tick"))
    for row in AdminClient(stack.target, stack.token()).ticks(last):  # on its way at the end
        new[1].update({lane: sum(tick.offered) for lane, tick in row.lanes.items()})
    for counter, earlier, came in zip(COUNTERS, before, new, strict=True):
        expected = earlier + came
        eventually(lambda: _by_lane(stack, counter) == expected, f"{counter}: {expected}")  # noqa: B023 - called at once


def test_grafana_is_healthy(stack: Stack) -> None:
    """Only where an image of it can be had."""
    if "GRAFANA_IMAGE" not in os.environ:
        sentence = "NOT TESTED: Grafana in the stack: GRAFANA_IMAGE names no image that can be had"
        warnings.warn(sentence, stacklevel=1)
        pytest.skip(sentence)
    found = {container["Service"]: container for container in stack.containers()}
    assert found["grafana"]["Health"] == "healthy"


def _exposed(stack: Stack) -> list[Counter[str]]:
    """What the two say of themselves, which Prometheus may not have scraped yet."""
    pages = stack.page("/aftershock/metrics"), fetch(f"{stack.target}/metrics")
    found = []
    for counter, page in zip(COUNTERS, pages, strict=True):
        by_lane: Counter[str] = Counter()
        for family in text_string_to_metric_families(page):
            for sample in family.samples:
                if sample.name == counter:
                    by_lane[sample.labels["lane"]] += int(sample.value)
        found.append(by_lane)
    return found


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
