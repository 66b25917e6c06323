"""Whatever the scenario: nothing is counted twice, and nothing is lost."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from loadtests.simulation.metered import PlayedLane
from reports.reading.series import Counts
from tests.loadtests.simulation.events.scenes import one_lane

POLICIES = st.sampled_from(
    [
        {"name": "no-retry"},
        {"name": "full-jitter", "base": "100ms"},
        {"name": "full-jitter-budget", "scope": "client", "clients": 5},
        {"name": "immediate", "layers": ["immediate:base=10ms", "full-jitter:attempts=2"]},
        {"name": "impatient-users", "patience": "500ms"},
        {"name": "grpc-a6-hedging", "hedging_delay": "100ms"},
        {"name": "polly-8-hedging", "delay": "50ms", "layers": ["polly-8-hedging:delay=20ms"]},
    ]
)
TARGETS = st.one_of(
    st.fixed_dictionaries(
        {"capacity": st.sampled_from(["33.5/s", "20/s"])},
        optional={"turn_away_cost": st.sampled_from([0.3]), "retry_after": st.just("1s..2s")},
    ),
    st.fixed_dictionaries(
        {
            "workers": st.integers(1, 4),
            "service_time": st.sampled_from(["80ms", "exponential 80ms"]),
            "queue": st.sampled_from([0, 3, 40]),
            "discipline": st.sampled_from(["fifo", "lifo", "codel"]),
            "abandoned": st.sampled_from(["finish", "drop", "stop"]),
            "shed_first": st.sampled_from(["arriving", "attempt"]),
        },
        optional={
            "max_wait": st.just("300ms"),
            "turn_away_cost": st.just(0.2),
            "heed_deadlines": st.just(True),
        },
    ),
)
FAULTS = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["error", "hang", "reset", "cut"]),
            "share": st.sampled_from(["30%", "100%"]),
            "at": st.just("1500ms"),
            "for": st.just("700ms"),
        }
    )
    | st.just({"type": "latency", "add": "400ms", "spread": "300ms", "for": "600ms"}),
    max_size=2,
)
ACTIONS = st.lists(
    st.sampled_from(
        [
            {"action": "shed", "share": "50%", "at": "1s", "for": "1s"},
            {"action": "block-retries", "at": "800ms", "for": "1s"},
            {"action": "reopen", "at": "1s", "every": "300ms"},
        ]
    ),
    max_size=2,
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    policy=POLICIES,
    target=TARGETS,
    faults=FAULTS,
    actions=ACTIONS,
    poisson=st.booleans(),
    deadlines=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_counts_add_up(
    policy: dict[str, object],
    target: dict[str, object],
    faults: list[dict[str, object]],
    actions: list[dict[str, object]],
    poisson: bool,
    deadlines: bool,
    seed: int,
) -> None:
    """In every tick, of every attempt number, at the service and at the clients."""
    lane = one_lane(
        policy=policy,
        target=target,
        faults=faults,
        actions=actions,
        seed=seed,
        warm_up="1s",
        observation="2s",
        load={
            "rate": "25/s",
            "timeout": "700ms",
            "deadlines": deadlines,
            "arrivals": "poisson" if poisson else "constant",
        },
        dips=[{"capacity": "10%", "for": "500ms"}],
    )
    check_service(lane)
    check_clients(lane)


def check_service(lane: PlayedLane) -> None:
    """offered = turned away + admitted; admitted = completed + abandoned + in flight, so far."""
    metered = lane.metered
    assert (metered.offered == metered.turned_away + metered.admitted).all()
    assert (metered.blocked <= metered.turned_away).all()
    assert (metered.shed + metered.failed <= metered.completed).all()
    gone = metered.completed + metered.abandoned
    inside = _so_far(metered.admitted) - _so_far(gone)
    assert (inside >= 0).all()
    assert (inside.sum(axis=0) == metered.in_flight).all()


def check_clients(lane: PlayedLane) -> None:
    """Every request ends at most once; every attempt of a client arrives where it is sent to."""
    clients = lane.clients
    failed = sum(counts for counts in clients.failed.values())
    assert (clients.succeeded + failed <= clients.issued).all()
    assert (clients.attempts >= clients.succeeded).all()
    first = lane.layers[0].offered if lane.layers else lane.metered.offered
    assert clients.attempts.sum() == first.sum()
    assert (first[1] <= clients.issued).all()
    served = np.bincount(
        clients.latency[:, 0], weights=clients.latency[:, 2], minlength=clients.issued.size
    )
    assert (served == clients.succeeded).all()


def _so_far(counts: Counts) -> Counts:
    found: Counts = counts.cumsum(axis=1)
    return found
