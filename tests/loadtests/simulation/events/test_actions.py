"""An operator's actions in virtual time, and what a record says of them."""

from collections.abc import Mapping

import pytest

from loadtests.simulation.metered import PlayedLane
from tests.loadtests.simulation.events.scenes import REJECT, one_lane

RETRIES = {"name": "immediate", "attempts": 3, "base": "100ms"}


def acted(action: Mapping[str, object], **tables: object) -> PlayedLane:
    """Retries in an outage of a second, then this action."""
    settings: dict[str, object] = {
        "policy": RETRIES,
        "target": REJECT,
        "dips": [{"capacity": "0/s", "for": "1s"}],
        "actions": [action],
    }
    return one_lane(settings, **tables)


def test_blocked_retries_reach_nobody() -> None:
    """Attempts with a number above 1 are turned away at the edge while it is in force."""
    lane = acted({"action": "block-retries", "at": "2500ms", "for": "1s"})
    metered, during = lane.metered, slice(25, 35)
    assert metered.offered[2:, during].sum() > 0
    assert (metered.blocked[2:, during] == metered.offered[2:, during]).all()
    assert metered.blocked[:2].sum() == 0
    assert metered.blocked[:, :25].sum() == metered.blocked[:, 35:].sum() == 0


def test_a_share_is_shed_whatever_its_number() -> None:
    """Of some 200 attempts half, drawn."""
    lane = acted(
        {"action": "shed", "share": "50%", "at": "1s", "for": "10s"},
        policy={"name": "no-retry"},
        dips=[],
        warm_up="9s",
    )
    shed, offered = lane.metered.blocked.sum(), lane.metered.offered[:, 10:110].sum()
    assert offered == 200
    assert 75 <= shed <= 125


def test_reopening_goes_on_while_all_is_well_and_ends_when_all_is_open() -> None:
    """Half is let through for half a second, and then all: the action is over before it was to."""
    action: dict[str, object] = {
        "action": "reopen", "at": "3500ms", "every": "500ms", "step": "50%", "for": "2s"
    }  # fmt: skip
    lane = acted(action, policy={"name": "no-retry"})
    assert lane.metered.blocked[:, 35:40].sum() > 0
    assert lane.metered.blocked[:, 40:].sum() == 0
    [done] = lane.actions
    assert (done.start_s, done.end_s) == (3.5, 4.0)


def test_reopening_waits_while_attempts_fail() -> None:
    """In an outage nothing that is let through goes well."""
    lane = acted(
        {"action": "reopen", "at": "2s", "every": "100ms", "step": "50%", "for": "1s"},
        dips=[{"capacity": "0/s", "for": "2s"}],
        policy={"name": "no-retry"},
        load={"rate": "100/s"},
    )
    assert lane.actions[0].end_s == 3.0
    assert lane.metered.blocked[:, 20:30].sum() == pytest.approx(50, abs=15)


def test_what_outlasts_the_run_is_taken_back_at_its_end() -> None:
    """As in a live run: the record says so."""
    lane = acted({"action": "block-retries", "at": "3s", "for": "1h"})
    assert [(action.start_s, action.end_s) for action in lane.actions] == [(3.0, 7.0)]


def test_an_action_for_another_lane_does_nothing_here() -> None:
    """Lanes do not disturb each other."""
    two = [{**RETRIES, "lane": "a"}, {**RETRIES, "lane": "b"}]
    action: dict[str, object] = {
        "action": "shed", "share": "100%", "at": "1s", "for": "1s", "lanes": ["b"]
    }  # fmt: skip
    lane = acted(action, policies=two)
    assert lane.lane.lane == "a"
    assert lane.metered.blocked.sum() == 0
    assert not lane.actions
