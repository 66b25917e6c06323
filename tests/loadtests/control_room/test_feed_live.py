"""A real target is watched while it is dipped, stopped, started again at its port, and reset."""

import http.client
import time

import pytest

from faults.admin import AdminClient
from faults.dip import Dip
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.live.drawn import RunNow, drawn
from loadtests.control_room.live.feed import Feed
from loadtests.processes import free_port
from tests.real import eventually
from tests.target_service.live import live_target

pytestmark = pytest.mark.live


def attempt(port: int, lane: str = "a") -> None:
    """One first attempt in this lane."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    headers = {"X-Aftershock-Lane": lane, "X-Aftershock-Attempt": "1"}
    connection.request("GET", "/", headers=headers)
    connection.getresponse().read()
    connection.close()


class Watcher:
    """Polls by hand, and asks for all bins each time."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self.client = AdminClient(f"http://127.0.0.1:{port}", token)
        self.tally = ClientTally()
        self.feed = Feed(lambda: self.client, self.tally)

    def look(self) -> dict[str, object]:
        self.feed.poll()
        return drawn(
            self.feed,
            self.tally,
            window="30s",
            after=-1,
            epoch="",
            now_epoch_s=time.time(),
            run=RunNow("ready"),
        )

    def words(self) -> dict[str, str]:
        self.look()
        return {one.lane.lane: one.state.word for one in self.feed.seen.standings}


def test_a_dip_is_seen_and_its_end() -> None:
    """In the lane that it is for."""
    with live_target("--capacity", "100/s") as target:
        watcher = Watcher(target.port)
        attempt(target.port)
        attempt(target.port, "b")
        eventually(lambda: set(watcher.words()) >= {"a", "b"}, "both lanes are there")
        dip = watcher.client.begin_dip(Dip("20%", 600.0, lanes=("a",)))

        def dipped() -> bool:
            attempt(target.port)
            attempt(target.port, "b")
            return watcher.words() == {"a": "dipped", "b": "steady"}

        eventually(dipped, "the dip is in force in one lane")
        watcher.client.end_dip(dip.id)

        def over() -> bool:
            attempt(target.port)
            return watcher.words()["a"] == "settling"

        eventually(over, "the dip is over")
        events = watcher.look()["events"]
        assert isinstance(events, list)
        assert [(one["kind"], one["text"], one["state"]) for one in events] == [
            ("dip", "20%", "ended")
        ]


def test_a_target_that_is_stopped_and_started_again_is_another() -> None:
    """It is said that none answers, and nothing of the old one is left when one does."""
    port = free_port()
    with live_target("--port", str(port)) as target:
        watcher = Watcher(target.port)
        attempt(port)
        eventually(lambda: "a" in watcher.words(), "the lane is there")
        before = watcher.feed.seen
        assert (before.reachable, before.url) == (True, f"http://127.0.0.1:{port}")
    gone = watcher.look()["target"]
    assert isinstance(gone, dict)
    assert gone["reachable"] is False
    assert str(gone["problem"]).startswith(f"no target answers at http://127.0.0.1:{port}: ")
    assert watcher.feed.seen.epoch == before.epoch
    with live_target("--port", str(port)):
        eventually(lambda: watcher.look() and watcher.feed.seen.reachable, "it is back")
        assert watcher.feed.seen.epoch != before.epoch
        assert "a" not in watcher.words()


def test_a_reset_forgets_what_was_drawn() -> None:
    """Its lanes and its ticks are gone there, too."""
    with live_target() as target:
        watcher = Watcher(target.port)
        attempt(target.port)
        eventually(lambda: "a" in watcher.words(), "the lane is there")
        before = watcher.feed.seen.epoch
        watcher.client.reset()
        eventually(lambda: "a" not in watcher.words(), "the lane is gone")
        assert watcher.feed.seen.epoch != before


def test_a_wrong_token_is_told_in_the_targets_words() -> None:
    """Without the token itself."""
    with live_target(AFTERSHOCK_ADMIN_TOKEN="a-secret-of-this-test") as target:
        watcher = Watcher(target.port, "another")
        watcher.look()
        seen = watcher.feed.seen
        assert not seen.reachable
        assert "answers 401: " in str(seen.problem)
        assert "another" not in str(seen.problem)
        watcher.client = AdminClient(target.url, "a-secret-of-this-test")
        watcher.look()
        assert watcher.feed.seen.reachable
