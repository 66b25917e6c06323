"""Gateways in front of the service: attempts multiply, or not, exactly."""

import pytest

from loadtests.policies import Outcome
from loadtests.policy_names import policy_table
from loadtests.simulation.metered import PlayedLane
from tests.loadtests.simulation.events.own import HEARD
from tests.loadtests.simulation.events.scenes import by_reason, one_lane

HEARING = "tests.loadtests.simulation.events.own:hearing"
THREE = "immediate:attempts=3,base=10ms"
FOUR = "immediate:attempts=4,base=10ms"
OWNED = "error-ownership:max_attempts=3,base=10ms"
REQUESTS = 10


def outage(policy: str, layers: list[str], **tables: object) -> PlayedLane:
    """From second 1 on the service refuses all; requests come until second 2."""
    settings: dict[str, object] = {
        "policy": {**policy_table(policy), "lane": "it", "layers": layers},
        "target": {"capacity": "100/s"},
        "load": {"rate": f"{REQUESTS}/s", "timeout": "10s"},
        "warm_up": "1s",
        "observation": "0s",
        "dips": [{"capacity": "0/s", "for": "8s"}],
        "spikes": [{"factor": "0x", "at": "2s", "for": "7s"}],
    }
    return one_lane(settings, **tables)


def at_each(lane: PlayedLane) -> list[float]:
    """Attempts per request at each gateway, the outermost first, and at the service."""
    assert lane.clients.issued[10:].sum() == REQUESTS
    met = [*(layer.offered for layer in lane.layers), lane.metered.offered]
    return [float(offered[:, 10:].sum()) / REQUESTS for offered in met]


@pytest.mark.parametrize(
    ("policy", "layers", "expected"),
    [
        (THREE, [], [3]),
        (THREE, [THREE], [3, 9]),
        (THREE, [THREE, THREE], [3, 9, 27]),
        (FOUR, [FOUR, FOUR], [4, 16, 64]),
        (THREE, [FOUR, THREE], [3, 12, 36]),
        (THREE, ["no-retry", "no-retry"], [3, 3, 3]),
        ("no-retry", [THREE, "no-retry"], [1, 3, 3]),
        (OWNED, [OWNED, OWNED], [1, 1, 3]),
        (OWNED, [OWNED], [1, 3]),
        (OWNED, [], [3]),
    ],
)
def test_attempts_in_a_total_outage(policy: str, layers: list[str], expected: list[float]) -> None:
    """Each layer repeats all below it; ownership stops the storm at the immediate caller."""
    assert at_each(outage(policy, layers)) == expected


def test_five_layers_of_three_and_of_four() -> None:
    """3⁵ and 4⁵."""
    assert at_each(outage(THREE, [THREE] * 4))[-1] == 243
    four = "immediate:attempts=4,base=1ms"
    patient = {"rate": "10/s", "timeout": "1m"}
    assert at_each(outage(four, [four] * 4, load=patient))[-1] == 1024


def test_a_budget_at_each_layer_multiplies_by_little() -> None:
    """(1 + B)^d, with what its bucket had saved for a burst on top: here nothing but one retry."""
    budget = "full-jitter-budget:attempts=3,budget_ratio=0.1,budget_size=1,base=10ms"
    lane = outage(budget, [budget, budget], load={"rate": "10/s", "timeout": "10s"})
    assert at_each(lane)[-1] <= (1 + 0.1 + 0.1) ** 3


def test_attempt_numbers_are_those_of_the_caller_plus_our_own() -> None:
    """1 is a first attempt of every layer; the last of three times three is the fifth."""
    lane = outage(THREE, [THREE])
    assert lane.metered.offered[:, 10:].sum(axis=1).tolist() == [0, 10, 20, 30, 20, 10]
    assert lane.layers[0].offered[:, 10:].sum(axis=1).tolist() == [0, 10, 10, 10]


def test_a_lane_without_layers_passes_the_gateways_of_others() -> None:
    """As live, where all lanes take the same way: nobody retries there, but it takes time."""
    lane = outage(
        "no-retry",
        [],
        policies=[
            {"name": HEARING, "lane": "plain"},
            {"name": "no-retry", "lane": "layered", "layers": [THREE, THREE]},
        ],
    )
    assert at_each(lane) == [1, 1, 1]
    assert [layer.layer for layer in lane.layers] == ["gateway 1", "gateway 2"]


def heard(layers: list[str], **tables: object) -> list[Outcome]:
    """What the clients are told of their requests from second 1 on."""
    HEARD.clear()
    outage(HEARING, layers, **tables)
    told = [outcome for at_s, outcome in HEARD if at_s >= 1.01]
    assert len(told) == REQUESTS
    return told


def kinds(told: list[Outcome]) -> set[object]:
    """The statuses or errors, each once."""
    return {outcome.kind for outcome in told}


def test_the_last_answer_is_passed_on_without_the_mark_of_its_owner() -> None:
    """The status stays, and all else that the service said."""
    target = {"capacity": "100/s", "status": 429, "retry_after": "3s"}
    told = heard([THREE], target=target)
    assert kinds(told) == {429}
    assert all(outcome.headers == {"retry-after": "3"} for outcome in told)


@pytest.mark.parametrize(("fault", "status"), [("reset", 502), ("cut", 502), ("hang", 504)])
def test_where_there_is_no_answer_the_gateway_has_its_own(fault: str, status: int) -> None:
    """504 for a timeout, else 502, and nobody owns it."""
    faults = [{"type": fault, "for": "8s"}]
    patient = {"rate": "10/s", "timeout": "2s"}
    gateway = "tests.loadtests.simulation.events.own:hasty"
    told = heard([gateway], faults=faults, dips=[], load=patient)
    assert kinds(told) == {status}
    assert not any(outcome.headers for outcome in told)


def test_an_attempt_that_a_gateway_gives_up_is_abandoned_at_the_service() -> None:
    """Three of 300 ms, 300 ms and as long as the client waits, which is 4 s."""
    own = "tests.loadtests.simulation.events.own:bounded"
    hang = [{"type": "hang", "for": "8s"}]
    lane = outage("no-retry", [own], dips=[], faults=hang, load={"rate": "10/s", "timeout": "4s"})
    assert at_each(lane) == [1, 3]
    assert lane.metered.abandoned.sum(axis=1).tolist() == [0, 10, 10, 10]


def test_who_leaves_takes_along_what_was_made_for_it() -> None:
    """A client that gives up after 500 ms: the gateways' attempts end at that very time."""
    lane = outage(
        "no-retry", [FOUR, FOUR],
        load={"rate": "10/s", "timeout": "500ms"},
        dips=[],
        faults=[{"type": "hang", "for": "8s"}],
    )  # fmt: skip
    assert at_each(lane) == [1, 1, 1]
    assert lane.metered.abandoned.sum() == REQUESTS
    assert lane.metered.in_flight[-1] == 0
    assert by_reason(lane) == {"succeeded": 10, "not-retried": REQUESTS}


def test_users_who_leave_while_a_gateway_waits_end_its_waiting() -> None:
    """No attempt follows."""
    slow = "immediate:attempts=4,base=2s"
    lane = outage("no-retry", [slow], load={"rate": "10/s", "timeout": "500ms"})
    assert at_each(lane) == [1, 1]


def test_a_gateway_heeds_do_not_retry_whatever_its_policy() -> None:
    """And passes it on: the client's own policy does not heed it."""
    target = {"capacity": "100/s", "do_not_retry": True}
    assert at_each(outage(THREE, [THREE], target=target)) == [3, 3]
    assert at_each(outage(THREE, [THREE], target={"capacity": "100/s", "pushback": "never"})) == [
        3, 3,
    ]  # fmt: skip


def test_a_deadline_is_passed_on_and_nothing_is_sent_after_it() -> None:
    """A gateway that would wait past it answers 504 at once."""
    load = {"rate": "10/s", "timeout": "1s", "deadlines": True}
    waits = ["immediate:attempts=9,base=300ms"]
    assert kinds(heard(waits, load=load)) == {503}
    lane = outage("no-retry", waits, load=load)
    assert at_each(lane) == [1, 4]


def test_a_hedge_at_a_gateway_is_an_attempt_at_the_service() -> None:
    """Two for each request of a service that hangs, and the answer of either would do."""
    lane = outage(
        "no-retry", ["polly-8-hedging:delay=100ms"],
        load={"rate": "10/s", "timeout": "2s"},
        dips=[],
        faults=[{"type": "latency", "add": "1s", "for": "8s"}],
    )  # fmt: skip
    assert at_each(lane) == [1, 2]
    assert by_reason(lane) == {"succeeded": 10 + REQUESTS}
    assert lane.metered.abandoned.sum() == REQUESTS  # the slower one, which nobody waits for
