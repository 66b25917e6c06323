"""What goes wrong is said in a line, and nothing runs without end."""

import pytest

from loadtests.policies import PolicyError
from loadtests.scenario import ScenarioError
from loadtests.simulation.events import agenda, bounds
from tests.loadtests.simulation.events.scenes import one_lane

OWN = "tests.loadtests.simulation.events.own"


def test_a_policy_that_raises_ends_the_simulation() -> None:
    """What it would have done is not known."""
    with pytest.raises(PolicyError, match="the policy raised ZeroDivisionError"):
        one_lane(policy={"name": f"{OWN}:raising"})


def test_a_policy_that_runs_in_circles_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for nothing, again and again, and time stands still."""
    monkeypatch.setattr(agenda, "MOST_EVENTS", 10_000)
    with pytest.raises(ScenarioError, match=r"lane 'a lane': more than 10,000 events"):
        one_lane(policy={"name": f"{OWN}:impatient", "lane": "a lane"})


def test_more_attempts_than_anybody_waits_for_are_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The lane is named."""
    monkeypatch.setattr(bounds, "MOST_ATTEMPTS", 50)
    with pytest.raises(ScenarioError, match=r"lane 'no-retry' makes more than 50 attempts"):
        one_lane()


def test_a_policy_that_does_nothing_but_retry_is_stopped_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full queue is asked every millisecond for ever; it is told by requests, not by time."""
    monkeypatch.setattr(bounds, "FEW_ATTEMPTS", 1000)
    with pytest.raises(ScenarioError) as raised:
        one_lane(
            policy={"name": "tenacity-9", "lane": "for ever"},
            load={"rate": "10/s", "timeout": "1s"},
            target={"workers": 1, "service_time": "1ms", "queue": 1},
            dips=[{"workers": 0, "for": "3s"}],
        )
    [line] = str(raised.value).splitlines()
    assert line.startswith("lane 'for ever' (tenacity-9) makes more than ")
    assert line.endswith("or simulate less load or less time")
    monkeypatch.setattr(bounds, "MOST_A_REQUEST", 10**6)
    assert one_lane(load={"rate": "2000/s"}).clients.attempts.sum() > 1000


def test_immediate_retries_in_an_outage_are_as_many_as_the_way_of_an_answer_allows() -> None:
    """Without a wait between them an attempt takes 100 ms here: 10 a second."""
    lane = one_lane(
        policy={"name": "immediate", "base": "0ms", "attempts": 1000},
        load={"rate": "10/s", "timeout": "1s"},
        dips=[{"capacity": "0/s", "for": "3s"}],
        spikes=[{"factor": "0x", "at": "2100ms", "for": "2900ms"}],
        observation="0s",
        simulation={"network": "100ms"},
    )
    assert lane.clients.issued[20:].sum() == 1
    assert lane.metered.offered[:, 20:50].sum() == 30
