"""What the clients of a lane do, and what a record says of them."""

import pytest

from reports.record import bucket_of
from tests.loadtests.simulation.events.scenes import by_reason, one_lane

OUTAGE = [{"capacity": "0/s", "for": "8s"}]


def test_new_requests_come_when_they_are_due_also_in_spikes() -> None:
    """Open loop: 20 a second, and three times as many for a second."""
    lane = one_lane(spikes=[{"factor": "3x", "at": "1s", "for": "1s"}], dips=[])
    issued = lane.clients.issued
    assert issued[:10].sum() == issued[20:30].sum() == 20
    assert issued[10:20].sum() == 60
    [spike] = lane.faults
    assert (spike.type, spike.start_s, spike.end_s) == ("spike", 1.0, 2.0)


def test_requests_are_counted_where_they_were_due() -> None:
    """Those that fail after three retries of a second each, too; the last have not ended."""
    lane = one_lane(
        policy={"name": "immediate", "attempts": 3, "base": "1s"},
        dips=OUTAGE,
        observation="1s",
    )
    failed = lane.clients.failed["out-of-attempts"]
    assert (failed[20:79] == 2).all()
    assert failed[:20].sum() == failed[80:].sum() == 0
    assert (lane.clients.attempts[20:79] == 6).all()


def test_a_budget_of_each_client_lets_each_retry() -> None:
    """Each has saved one retry, or all have saved one between them; a fifth comes with each."""
    settings = {"attempts": 3, "base": "10ms", "budget_ratio": 0.2, "budget_size": 1}
    policy = {"name": "full-jitter-budget", **settings, "clients": 10}
    for_each, for_all = (
        one_lane(
            policy={**policy, "scope": scope},
            dips=[{"capacity": "0/s", "for": "1s"}],
            warm_up="5s",
        )
        for scope in ("client", "lane")
    )
    assert for_each.metered.offered[2:].sum() == pytest.approx(10, abs=1)
    assert for_all.metered.offered[2:].sum() == pytest.approx(5, abs=1)
    assert for_each.lane.describe.endswith("; clients: 10, 10 states between them")


def test_scale_makes_more_of_everything() -> None:
    """Ten times the load, the capacity, the clients; and about ten times the failures."""
    small, large = (
        one_lane(
            policy={"name": "full-jitter-budget", "scope": "client", "clients": 10},
            load={"rate": "20/s"},
            target={"capacity": "25/s"},
            dips=[{"capacity": "40%", "for": "1s"}],
            simulation={"scale": scale},
        )
        for scale in (1.0, 10.0)
    )
    assert large.clients.issued.sum() == 10 * small.clients.issued.sum()
    assert large.metered.capacity_per_s.tolist() == [
        10 * per_s for per_s in small.metered.capacity_per_s.tolist()
    ]
    assert large.lane.describe.endswith("; clients: 100, 100 states between them")
    assert large.metered.turned_away.sum() > 5 * small.metered.turned_away.sum()


def test_users_who_give_up_leave_their_attempts() -> None:
    """The service counts them as abandoned, and works on them all the same."""
    lane = one_lane(
        policy={"name": "impatient-users", "patience": "200ms", "spread": "fixed"},
        target={"workers": 1, "service_time": "1s", "queue": 100},
        load={"rate": "5/s", "timeout": "10s"},
    )
    assert by_reason(lane) == {"succeeded": 0, "user-gave-up": 29}
    assert lane.metered.abandoned.sum() == 29
    assert lane.metered.queue[-1] == pytest.approx(24, abs=1)


def test_latencies_are_from_when_a_request_was_due_to_its_answer() -> None:
    """100 ms of service and 1 ms of way: buckets are 2% wide."""
    lane = one_lane(target={"workers": 5, "service_time": "100ms"}, load={"rate": "10/s"})
    assert set(lane.clients.latency[:, 1].tolist()) == {bucket_of(101)}


def test_a_deadline_is_heeded_by_a_service_that_does() -> None:
    """What has waited for too long is answered with 504, and nobody hears it: it is shed."""
    settings: dict[str, object] = {
        "policy": {"name": "no-retry"},
        "load": {"rate": "20/s", "timeout": "500ms", "deadlines": True},
        "dips": [{"workers": 0, "for": "1s"}],
    }
    target = {"workers": 3, "service_time": "100ms", "queue": 100}
    heeds, does_not = (
        one_lane(settings, target={**target, "heed_deadlines": heeds}) for heeds in (True, False)
    )
    assert heeds.clients.succeeded.sum() > does_not.clients.succeeded.sum()
    # Those who wait leave at the instant at which their deadline is over.
    assert heeds.metered.abandoned.sum() == pytest.approx(12, abs=3)


def test_no_request_is_due_after_the_planned_end() -> None:
    """Which need not be the end of a tick: the last one is played to its end."""
    lane = one_lane(load={"rate": "100/s"}, target={"capacity": "200/s"}, observation="3050ms")
    assert lane.clients.issued.size == 51
    assert lane.clients.issued.sum() == 505
    assert lane.clients.issued[-1] == 5
