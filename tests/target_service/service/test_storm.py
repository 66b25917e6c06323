"""What makes a storm outlive its cause, and what does not: in virtual time, at exact seeds.

Two workers of 20 ms (exponential) are 100/s; 70 requests a second come by chance, each of up to
three attempts that are given up after a second. For a while there is no worker at all.
"""

from dataclasses import replace

import pytest

from target_service.service import Abandoned, ServiceConfig, ShedFirst, parse_service_time
from target_service.service.config import Discipline, Order
from tests.target_service.service.storm import Dip, Storm, Users

USERS = Users(rate_per_s=70.0, timeout_s=1.0, attempts=3, wait_s=0.1)
SERVICE = ServiceConfig(2, parse_service_time("exponential 20ms"), queue=500)
SECONDS = 40
LAST = 10


def goodput(config: ServiceConfig, for_s: float, seed: int, users: Users = USERS) -> float:
    """The share of the requests of the last ten seconds that succeed, thirty after the dip."""
    seen = Storm(config, users, (Dip(for_s),), SECONDS, seed).run()
    return sum(seen.succeeded[-LAST:]) / (LAST * users.rate_per_s)


def recovered(
    config: ServiceConfig, for_s: float, seeds: int = 6, users: Users = USERS
) -> list[bool]:
    """By seed; what neither works nor fails altogether is a mistake of this test."""
    found = [goodput(config, for_s, seed, users) for seed in range(seeds)]
    assert all(share < 0.05 or share > 0.85 for share in found), found
    return [share > 0.5 for share in found]


def test_below_the_tipping_point_the_service_always_recovers_and_above_it_never() -> None:
    """At a load of 70% that does not change; the tip is a little above the users' patience."""
    assert all(recovered(SERVICE, 0.5, 12))
    assert all(recovered(SERVICE, 0.8, 12))
    assert not any(recovered(SERVICE, 1.5, 12))
    assert not any(recovered(SERVICE, 5.0, 12))
    between = recovered(SERVICE, 1.1, 12)
    assert any(between)
    assert not all(between)


def test_a_storm_goes_on_without_its_cause() -> None:
    """Nothing is wrong with the service: it is busy with work that nobody waits for."""
    storm = Storm(SERVICE, USERS, (Dip(2.0),), 120, 0)
    seen = storm.run()
    assert sum(seen.succeeded[:5]) > 300
    assert sum(seen.succeeded[20:]) == 0
    assert sum(seen.offered[20:]) == pytest.approx(210 * 100, rel=0.05)
    assert storm.model.busy == 2
    assert min(seen.queue[20:]) > 400


@pytest.mark.parametrize("for_s", [1.5, 2.0, 5.0])
@pytest.mark.parametrize("abandoned", [Abandoned.DROP, Abandoned.STOP])
def test_the_same_dip_passes_where_abandoned_work_is_not_done(
    abandoned: Abandoned, for_s: float
) -> None:
    """All else being equal."""
    assert all(recovered(replace(SERVICE, abandoned=abandoned), for_s))


@pytest.mark.parametrize("for_s", [1.5, 2.0, 5.0])
@pytest.mark.parametrize(
    "config",
    [
        replace(SERVICE, discipline=Discipline(Order.LIFO)),
        replace(SERVICE, discipline=Discipline(Order.CODEL)),
        replace(SERVICE, max_wait_s=0.5),
        replace(SERVICE, heed_deadlines=True),
        replace(SERVICE, queue=80),
    ],
    ids=["lifo", "codel", "max_wait", "deadlines", "a queue shorter than the users' patience"],
)
def test_what_ends_it_at_the_server(config: ServiceConfig, for_s: float) -> None:
    """Though abandoned work is finished: each keeps workers from what nobody waits for."""
    assert all(recovered(config, for_s, users=replace(USERS, deadlines=True)))


def test_shedding_by_attempt_helps_where_the_queue_is_about_as_long_as_the_users_patience() -> None:
    """Retries make room for first attempts; in a queue far too long those wait in vain too."""
    about = replace(SERVICE, queue=110)
    assert not all(share > 0.85 for share in (goodput(about, 2.0, seed) for seed in range(8)))
    assert all(recovered(replace(about, shed_first=ShedFirst.ATTEMPT), 2.0, 8))
    assert not any(recovered(replace(SERVICE, shed_first=ShedFirst.ATTEMPT), 2.0))


def test_without_retries_the_service_recovers_by_itself() -> None:
    """70/s is less than 100/s: the queue drains, if slowly."""
    assert all(recovered(SERVICE, 2.0, users=replace(USERS, attempts=1)))


def test_the_trigger_need_not_be_an_outage() -> None:
    """Service that takes four times as long ("20 ms → 80 ms") does the same."""
    seen = Storm(SERVICE, USERS, (Dip(5.0, workers=2, stretch=4.0),), SECONDS, 0).run()
    assert sum(seen.succeeded[-LAST:]) == 0
