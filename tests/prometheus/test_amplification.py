"""Amplification by the rules: what arrived at the target for each request of the clients."""

from pathlib import Path

import pytest

from tests.prometheus.promtool import Check, judge_series

pytestmark = pytest.mark.live

TARGET = 'job="target",instance="target:8000"'
GATEWAY = 'job="target",instance="gateway:8000"'
LOCUST = 'job="locust",instance="locust:8089"'


def counter(name: str, labels: str, per_s: int) -> dict[str, str]:
    """A counter that grows by so much each second."""
    return {"series": f"aftershock_{name}_total{{{labels}}}", "values": f"0+{per_s}x80"}


@pytest.mark.parametrize("over", ["10s", "1h"])
def test_what_a_hidden_layer_adds_is_in_it(over: str, tmp_path: Path) -> None:
    """Three attempts arrive for each that the clients send; each meter has a series of its own."""
    rule = f"lane:aftershock_amplification:ratio_rate{over}"
    series = [
        counter("requests", f'{LOCUST},lane="a"', 50),
        counter("request_attempts", f'{LOCUST},lane="a"', 100),
        counter("offered_attempts", f'{GATEWAY},lane="a",attempt="1"', 100),
        counter("offered_attempts", f'{TARGET},lane="a",attempt="1"', 100),
        counter("offered_attempts", f'{TARGET},lane="a",attempt="2"', 200),
        # Attempts of nobody's requests, requests of which none arrived, and a lane that is idle.
        counter("offered_attempts", f'{TARGET},lane="b",attempt="1"', 100),
        counter("requests", f'{LOCUST},lane="c"', 50),
        counter("requests", f'{LOCUST},lane="d"', 0),
        counter("offered_attempts", f'{TARGET},lane="d",attempt="1"', 100),
    ]
    expected = {"gateway:8000": 2.0, "target:8000": 6.0}
    check = Check(79, f"round({rule}, 0.001)", expected)
    judge_series(tmp_path, series, [check], by="instance")


def test_requests_of_several_generators_are_added_up(tmp_path: Path) -> None:
    """They load the same lane."""
    series = [
        counter("requests", f'job="locust",instance="{place}:8089",lane="a"', 50)
        for place in ("one", "other")
    ]
    series.append(counter("offered_attempts", f'{TARGET},lane="a",attempt="1"', 150))
    rule = "lane:aftershock_amplification:ratio_rate10s"
    judge_series(tmp_path, series, [Check(79, f"round({rule}, 0.001)", {"a": 1.5})])
