"""Each fault does to an attempt what it does live: what is counted, and what its client meets."""

import pytest

from loadtests.policies import AttemptError, Outcome
from loadtests.simulation.metered import PlayedLane
from target_service.words import OWNED
from tests.loadtests.simulation.events.own import HEARD
from tests.loadtests.simulation.events.scenes import QUEUE, REJECT, one_lane

HEARING = "tests.loadtests.simulation.events.own:hearing"
IDLE = {**QUEUE, "service_time": "10ms"}
SERVICE_S = {"reject": 0.0, "queue": 0.01}


@pytest.fixture(params=["reject", "queue"])
def service(request: pytest.FixtureRequest) -> str:
    """Of both models, neither of which has too much to do."""
    return str(request.param)


def struck(service: str, fault: dict[str, object], **tables: object) -> tuple[PlayedLane, int]:
    """A fault from second 1 to 2, and how many were struck; `HEARD` has what their clients met."""
    HEARD.clear()
    target = REJECT if service == "reject" else IDLE
    settings = {
        "policy": {"name": HEARING},
        "target": target,
        "warm_up": "1s",
        "observation": "3s",
        "faults": [{"for": "1s", **fault}],
    }
    lane = one_lane(settings, **tables)
    return lane, int(lane.metered.offered[1, 10:20].sum())


def met(since_s: float = 1.0, until_s: float = 2.5) -> list[tuple[float, Outcome]]:
    """What failed meanwhile."""
    return [(at, heard) for at, heard in HEARD if since_s <= at < until_s and not heard.succeeded]


def test_an_error_comes_in_the_place_of_the_answer(service: str) -> None:
    """It was completed, failed, and is the service's own."""
    lane, number = struck(service, {"type": "error", "status": 500, "retry_after": "7s"})
    heard = [outcome for _, outcome in met()]
    assert len(heard) == number == 20
    assert {outcome.status for outcome in heard} == {500}
    assert {outcome.headers["retry-after"] for outcome in heard} == {"7"}
    assert {outcome.headers[OWNED.decode()] for outcome in heard} == {"true"}
    assert lane.metered.failed.sum() == 20
    assert lane.metered.completed.sum() == lane.clients.issued.sum()
    assert heard[0].elapsed_s == pytest.approx(SERVICE_S[service] + 0.001)


@pytest.mark.parametrize(
    ("fault", "error"), [("reset", AttemptError.RESET), ("cut", AttemptError.CLOSED)]
)
def test_a_connection_that_breaks_is_no_answer(
    service: str, fault: str, error: AttemptError
) -> None:
    """It counts as completed and failed at the service."""
    lane, number = struck(service, {"type": fault})
    assert {outcome.error for _, outcome in met()} == {error}
    assert len(met()) == lane.metered.failed.sum() == number == 20


def test_who_hangs_gives_up(service: str) -> None:
    """After its own time; the service counts it as abandoned then, and it is no failure of its."""
    lane, number = struck(service, {"type": "hang"})
    heard = met(1.9, 3.5)
    assert {outcome.error for _, outcome in heard} == {AttemptError.TIMEOUT}
    assert [round(outcome.elapsed_s, 6) for _, outcome in heard] == [1.0] * number
    assert lane.metered.abandoned[1, 20:31].sum() == number == 20
    assert lane.metered.failed.sum() == 0
    assert lane.metered.in_flight[19] == pytest.approx(20, abs=1)
    assert lane.metered.in_flight[-1] == 0


def test_a_hanging_attempt_is_reset_after_five_minutes_at_the_latest() -> None:
    """Whoever waits for longer sees the connection reset."""
    HEARD.clear()
    one_lane(
        policy={"name": HEARING},
        target=REJECT,
        load={"rate": "1/s", "timeout": "10m"},
        warm_up="1s",
        observation="301s",
        faults=[{"type": "hang", "for": "2s"}],
    )
    heard = met(290, 310)
    assert {outcome.error for _, outcome in heard} == {AttemptError.RESET}
    assert [round(outcome.elapsed_s, 3) for _, outcome in heard] == pytest.approx(
        [300.0] * 2, abs=0.02
    )


def test_latency_is_added(service: str) -> None:
    """All succeed, later by what was drawn; until then they are in flight."""
    lane, number = struck(service, {"type": "latency", "add": "300ms", "spread": "100ms"})
    late = [heard.elapsed_s for _, heard in HEARD if heard.elapsed_s > 0.1]
    least = 0.2 + SERVICE_S[service]
    assert len(late) == number == 20
    assert all(least < elapsed_s < least + 0.2 + 0.001 for elapsed_s in late)
    assert max(late) - min(late) > 0.1
    assert not met(0, 9)
    assert lane.metered.in_flight[15] >= 4


def test_latencies_longer_than_the_clients_patience_are_timeouts() -> None:
    """The service sees its client go."""
    lane, number = struck("reject", {"type": "latency", "add": "3s"})
    assert {heard.error for _, heard in met(1.9, 4)} == {AttemptError.TIMEOUT}
    assert lane.metered.abandoned.sum() == number == 20


def test_a_share_of_attempts_is_struck() -> None:
    """Drawn: of 200 about half."""
    _, number = struck("reject", {"type": "reset", "share": "50%"}, load={"rate": "29/s"})
    assert number == 29
    assert 6 <= len(met()) <= 23


def test_what_a_refusal_says_reaches_the_policy() -> None:
    """Its status and the server's word, drawn anew for each where it is a range."""
    HEARD.clear()
    one_lane(
        policy={"name": HEARING},
        target={
            **REJECT, "status": 429, "retry_after": "1s..5s", "pushback": "100ms..900ms",
            "do_not_retry": True,
        },
        dips=[{"capacity": "0/s", "for": "1s"}],
    )  # fmt: skip
    heard = [outcome for _, outcome in met(2, 4)]
    assert len(heard) == 20
    assert {outcome.status for outcome in heard} == {429}
    assert {outcome.headers["x-should-retry"] for outcome in heard} == {"false"}
    assert {int(outcome.headers["retry-after"]) for outcome in heard} <= {1, 2, 3, 4, 5}
    assert len({outcome.headers["grpc-retry-pushback-ms"] for outcome in heard}) > 10
    assert all(outcome.headers[OWNED.decode()] == "true" for outcome in heard)


def test_a_date_is_counted_from_the_anchor() -> None:
    """The record's clock begins in 1970."""
    HEARD.clear()
    one_lane(
        policy={"name": HEARING},
        target={**REJECT, "retry_after": "10s", "retry_after_as": "date", "owns_errors": False},
        dips=[{"capacity": "0/s", "for": "200ms"}],
    )
    at_s, outcome = met(2, 4)[0]
    assert outcome.headers == {"retry-after": "Thu, 01 Jan 1970 00:00:12 GMT"}
    assert outcome.received_epoch_s == at_s
