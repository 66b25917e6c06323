"""What makes a storm outlive its cause, and what does not: in virtual time, at exact seeds.

Two workers of 20 ms (exponential) are 100/s; 70 requests a second come by chance, each of up to
three attempts that are given up after a second. For a while there is no worker at all.
"""

from collections.abc import Mapping

import pytest

from loadtests.scenario import parse_scenario
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.metered import PlayedLane

RATE_PER_S = 70
LOAD = {"rate": f"{RATE_PER_S}/s", "arrivals": "poisson", "timeout": "1s"}
POLICY = {"name": "immediate", "attempts": 3, "base": "100ms"}
SERVICE: dict[str, object] = {"workers": 2, "service_time": "exponential 20ms", "queue": 500}
LAST = 10


def storm(
    dip: Mapping[str, object],
    seed: int = 0,
    service: Mapping[str, object] = SERVICE,
    **tables: object,
) -> PlayedLane:
    """One lane, five seconds before the dip and thirty after it, unless another time is given."""
    values: dict[str, object] = {
        "seed": seed,
        "warm_up": "5s",
        "observation": "30s",
        "load": LOAD,
        "policies": [POLICY],
        "target": service,
        "dips": [dip],
    }
    return simulate(parse_scenario({**values, **tables}), Engine.EVENTS).lanes[0]


def goodput(for_s: float, seed: int, service: Mapping[str, object], **tables: object) -> float:
    """The share that succeeds of the requests of ten seconds, the last whose patience we see."""
    dip = {"workers": 0, "for": f"{for_s}s"}
    lane = storm(dip, seed, service, **{"observation": "33s", **tables})
    since, until = -10 * (LAST + 3), -10 * 3
    succeeded = int(lane.clients.succeeded[since:until].sum())
    return succeeded / int(lane.clients.issued[since:until].sum())


def recovered(
    for_s: float, seeds: int = 6, service: Mapping[str, object] = SERVICE, **tables: object
) -> list[bool]:
    """By seed; what neither works nor fails altogether is a mistake of this test."""
    found = [goodput(for_s, seed, service, **tables) for seed in range(seeds)]
    assert all(share < 0.05 or share > 0.85 for share in found), found
    return [share > 0.5 for share in found]


def test_below_the_tipping_point_the_service_always_recovers_and_above_it_never() -> None:
    """At a load of 70% that does not change; the tip is a little above the users' patience."""
    assert all(recovered(0.5, 12))
    assert all(recovered(0.8, 12))
    assert not any(recovered(1.5, 12))
    assert not any(recovered(5.0, 12))
    between = recovered(1.1, 12)
    assert any(between)
    assert not all(between)


def test_a_storm_goes_on_without_its_cause() -> None:
    """Nothing is wrong with the service: it is busy with work that nobody waits for."""
    lane = storm({"workers": 0, "for": "2s"}, observation="113s")
    assert lane.clients.succeeded[:50].sum() > 300
    assert lane.clients.succeeded[200:].sum() == 0
    assert lane.metered.offered[:, 200:].sum() == pytest.approx(3 * RATE_PER_S * 100, rel=0.05)
    assert lane.metered.queue[200:].min() > 400


@pytest.mark.parametrize("for_s", [1.5, 2.0, 5.0])
@pytest.mark.parametrize("abandoned", ["drop", "stop"])
def test_the_same_dip_passes_where_abandoned_work_is_not_done(abandoned: str, for_s: float) -> None:
    """All else being equal."""
    assert all(recovered(for_s, service={**SERVICE, "abandoned": abandoned}))


@pytest.mark.parametrize("for_s", [1.5, 2.0, 5.0])
@pytest.mark.parametrize(
    "setting",
    [
        {"discipline": "lifo"},
        {"discipline": "codel"},
        {"max_wait": "500ms"},
        {"heed_deadlines": True},
        {"queue": 80},
    ],
    ids=["lifo", "codel", "max_wait", "deadlines", "a queue shorter than the users' patience"],
)
def test_what_ends_it_at_the_server(setting: dict[str, object], for_s: float) -> None:
    """Though abandoned work is finished: each keeps workers from what nobody waits for."""
    load = {**LOAD, "deadlines": True}
    assert all(recovered(for_s, service={**SERVICE, **setting}, load=load))


def test_shedding_by_attempt_helps_where_the_queue_is_about_as_long_as_the_users_patience() -> None:
    """Retries make room for first attempts; in a queue far too long those wait in vain too."""
    about, by_attempt = {**SERVICE, "queue": 115}, {"shed_first": "attempt"}
    late = "63s"
    assert not all(goodput(2.0, seed, about, observation=late) > 0.85 for seed in range(6))
    assert all(recovered(2.0, 6, {**about, **by_attempt}, observation=late))
    assert not any(recovered(2.0, service={**SERVICE, **by_attempt}))


def test_without_retries_the_service_recovers_by_itself() -> None:
    """70/s is less than 100/s: the queue drains, if slowly."""
    assert all(recovered(2.0, policies=[{"name": "no-retry"}]))


def test_the_trigger_need_not_be_an_outage() -> None:
    """Service that takes four times as long ("20 ms → 80 ms") does the same."""
    lane = storm({"service_time": "80ms", "for": "5s"})
    assert lane.clients.succeeded[-10 * LAST :].sum() == 0
