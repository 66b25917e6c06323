"""The reject model in whole ticks, request by request."""

from collections.abc import Mapping

import numpy as np
import pytest

from loadtests.scenario import ScenarioError
from loadtests.simulation.events import bounds, rounds
from loadtests.simulation.metered import METERED, PlayedLane
from tests.loadtests.simulation.ticks.lanes import PolicyTable, a_scenario, by_request, failed


def numbers(lane: PlayedLane) -> Mapping[str, object]:
    """All of a lane, to be compared."""
    clients = lane.clients
    return {
        **{name: getattr(lane.metered, name).tolist() for name in METERED},
        "issued": clients.issued.tolist(),
        "succeeded": clients.succeeded.tolist(),
        "attempts": clients.attempts.tolist(),
        "failed": {reason: counts.tolist() for reason, counts in clients.failed.items()},
        "latency": clients.latency.tolist(),
    }


@pytest.mark.parametrize(
    "policy",
    [
        {"name": "no-retry"},
        {"name": "full-jitter"},
        {"name": "full-jitter-budget"},
        {"name": "full-jitter-budget", "scope": "client", "clients": 13},
        {"name": "seed-003-credits", "deadline": "750ms"},
    ],
    ids=lambda policy: "-".join(map(str, policy.values())),
)
@pytest.mark.parametrize("admits", ["shuffled", "by-chance"])
def test_requests_that_succeed_at_once_need_not_be_made(
    policy: PolicyTable, admits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing depends on them, a run without them is the same run, number by number."""
    scenario = a_scenario(policy, admits=admits)
    without = numbers(by_request(scenario))
    monkeypatch.setattr(rounds, "_is_idle_at_success", lambda policy: False)
    assert numbers(by_request(scenario)) == without


def test_a_wait_of_whole_ticks_is_as_many() -> None:
    """Those turned away in the first tick of the dip come back two, then four ticks later."""
    tables = {"dips": [{"capacity": "0/s", "for": "100ms"}], "target": {"capacity": "1000/s"}}
    lane = by_request(a_scenario({"name": "exponential"}, **tables))
    assert np.flatnonzero(lane.metered.turned_away.sum(axis=0)).tolist() == [10]
    assert np.flatnonzero(lane.metered.offered[2]).tolist() == [12]
    # A success after two ticks took 200 ms.
    assert {tick for tick, bucket, _ in lane.clients.latency.tolist() if bucket} == {10}


def test_a_wait_of_half_ticks_ends_in_one_of_two() -> None:
    """150 ms from anywhere in a tick end in the next one or in that after it, as often."""
    tables = {"dips": [{"capacity": "0/s", "for": "2s"}], "target": {"capacity": "100000/s"}}
    policy: PolicyTable = {"name": "immediate", "attempts": 2, "base": "150ms"}
    lane = by_request(a_scenario(policy, load={"rate": "5000/s"}, **tables))
    back = lane.metered.offered[2]
    assert back[11] == pytest.approx(250, abs=5 * 125**0.5)  # half of tick 10's
    assert back[12:30].mean() == pytest.approx(500, rel=0.05)
    assert back.sum() == 20 * 500


def test_a_retry_at_once_comes_in_the_next_tick() -> None:
    """Nothing happens twice in a tick."""
    policy: PolicyTable = {"name": "immediate", "attempts": 3, "base": "0s"}
    dips = [{"capacity": "0/s", "for": "1s"}]
    lane = by_request(a_scenario(policy, dips=dips))
    assert lane.metered.offered[:, 10].tolist() == [0, 10, 0, 0]
    assert lane.metered.offered[:, 12].tolist() == [0, 10, 10, 10]


def test_a_mixed_tick_refuses_in_proportion() -> None:
    """By chance each is as likely to be turned away, first attempts and retries."""
    policy: PolicyTable = {"name": "immediate", "attempts": 10}
    tables = {"load": {"rate": "2000/s"}, "target": {"capacity": "2500/s"}}
    for admits in ("shuffled", "by-chance"):
        lane = by_request(a_scenario(policy, admits=admits, **tables))
        offered, away = lane.metered.offered[:, 13], lane.metered.turned_away[:, 13]
        share = 1 - 50 / offered.sum()
        for attempt in (1, 2, 3):
            deviation = (offered[attempt] * share * (1 - share)) ** 0.5
            assert away[attempt] == pytest.approx(offered[attempt] * share, abs=5 * deviation)


def test_a_run_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would wait for it."""
    monkeypatch.setattr(bounds, "MOST_ATTEMPTS", 100)
    with pytest.raises(ScenarioError, match="makes more than 100 attempts"):
        by_request(a_scenario({"name": "no-retry"}))


def test_users_who_leave_and_breakers_are_played_too() -> None:
    """Whatever a policy is made of, as long as it does not hedge."""
    for name in ("impatient-users", "seed-002-breaker", "polly-8-breaker", "botocore-adaptive"):
        lane = by_request(a_scenario({"name": name}, observation="10s"))
        over = lane.clients.succeeded.sum() + failed(lane)
        assert 0 < failed(lane) < 600
        assert over >= lane.clients.issued.sum() - 30
