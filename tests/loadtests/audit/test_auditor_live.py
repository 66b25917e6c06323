"""When the audit looks: not before a refusal is in force, nor while it still is, nor too soon."""

import time
from collections.abc import Mapping

import pytest

from faults.admin import AdminClient
from faults.dip import HIGHEST_PER_S, Dip
from faults.driver import DipDriver
from faults.signals import StopSignals
from loadtests.audit.answer import Answer
from loadtests.audit.course import Verdict
from loadtests.audit.disturbing import in_use
from loadtests.audit.finding import Kind
from loadtests.audit.findings import findings
from loadtests.audit.raising import Raiser
from loadtests.audit.refusals import REFUSALS
from loadtests.audit.refusing import Refuser
from loadtests.audit.sending import EntrySender
from tests.loadtests.audit.audited import QUICK, audited, counted
from tests.real import eventually
from tests.target_service.live import LiveTarget, live_target

pytestmark = pytest.mark.live


def test_a_refusal_is_in_force_within_the_block_and_nowhere_else() -> None:
    """However long a tick is, and in its lane only."""
    with live_target("--tick", "400ms") as slow:
        admin = AdminClient(slow.url)
        admin.register_lanes(["audit"])
        sender = EntrySender(slow.url, "/work", 5.0)

        def status(lane: str) -> int | None:
            return sender.send("GET", {"X-Aftershock-Lane": lane}).status

        refuser = Refuser(admin, "audit", 60.0)
        with refuser.refusing(REFUSALS["502"]):
            assert (status("audit"), status("other")) == (502, 200)
        assert status("audit") == 200
        admin.close()


def test_what_comes_after_the_answer_is_waited_for(target: LiveTarget) -> None:
    """A copy that is on its way still counts."""

    class Late:
        """Sends a copy in the first wait after the answer."""

        def __init__(self) -> None:
            self.sender = EntrySender(target.url, "/work", 5.0)
            self.copies: list[tuple[str, Mapping[str, str]]] = []

        def send(self, method: str, headers: Mapping[str, str]) -> Answer:
            answer = self.sender.send(method, headers)
            self.copies.append((method, headers))
            return answer

        def sleep(self, seconds: float) -> None:
            while self.copies:
                self.sender.send(*self.copies.pop())
            time.sleep(seconds)

    late = Late()
    seen = audited(target, target.url, ("503",), ("GET",), sender=late, sleep=late.sleep)
    assert counted(seen, "GET") == {"503": 2}


def test_what_lost_its_mark_on_the_way_is_no_strangers(target: LiveTarget) -> None:
    """It came in the lane, and it is ours."""

    class Unmarked:
        """Drops the mark."""

        def send(self, method: str, headers: Mapping[str, str]) -> Answer:
            left = {name: said for name, said in headers.items() if name != "X-Aftershock-Trace"}
            return EntrySender(target.url, "/work", 5.0).send(method, left)

    seen = audited(target, target.url, ("503",), ("GET",), sender=Unmarked())
    [lost] = seen.lost
    assert (lost.elsewhere, seen.strangers) == ({"audit": 1}, 0)


def test_a_small_capacity_hides_nothing() -> None:
    """The lane has enough while it is audited, and what it had before again afterwards."""
    with live_target("--tick", "10ms", "--capacity", "0.5/s") as small:
        seen = audited(small, small.url, ("reset", "503"), ("GET",))
        admin = AdminClient(small.url)
        left_per_s = admin.state().lanes["audit"].capacity_per_s
        admin.close()
    assert seen.verdict is Verdict.NO_RETRIES
    assert [course.disturbances for course in seen.requests] == [(), (), ()]
    assert left_per_s == 0.5


def test_what_an_operator_sets_meanwhile_stays() -> None:
    """It is no longer the raised capacity, so it is none of the audit's."""
    with live_target(*QUICK) as own:
        admin = AdminClient(own.url)
        admin.register_lanes(["audit"])
        raiser = Raiser(admin, "audit", StopSignals())
        with raiser.raised():
            assert admin.state().lanes["audit"].capacity_per_s == HIGHEST_PER_S
            admin.set_capacity(70.0, ["audit"])
        assert admin.state().lanes["audit"].capacity_per_s == 70.0
        admin.close()


def test_a_lane_that_was_left_raised_is_set_to_what_is_usual() -> None:
    """An audit that was killed could not set it back."""
    with live_target("--tick", "10ms", "--capacity", "70/s") as own:
        admin = AdminClient(own.url)
        admin.register_lanes(["audit"])
        admin.set_capacity(HIGHEST_PER_S, ["audit"])
        raiser = Raiser(admin, "audit", StopSignals())
        with raiser.raised():
            assert admin.state().lanes["audit"].capacity_per_s == HIGHEST_PER_S
        assert raiser.found_raised_per_s == 70.0
        assert admin.state().lanes["audit"].capacity_per_s == 70.0
        admin.close()


def test_a_refusal_that_a_reset_has_ended_is_not_said_to_be_left() -> None:
    """The target does not know it any more."""
    with live_target(*QUICK) as own:
        admin = AdminClient(own.url)
        admin.register_lanes(["audit"])
        refuser = Refuser(admin, "audit", 60.0)
        with refuser.refusing(REFUSALS["503"]):
            admin.reset()
        assert refuser.take_back_error is None
        admin.close()


def test_what_turns_attempts_away_meanwhile_leaves_no_verdict(target: LiveTarget) -> None:
    """A dip that begins and ends amid the first request, which a client sends again, say."""

    class Dipped:
        """Sends while nothing is admitted, and again thereafter."""

        def __init__(self) -> None:
            self.sender = EntrySender(target.url, "/work", 5.0)
            self.admin = AdminClient(target.url)
            self.dipped = False

        def send(self, method: str, headers: Mapping[str, str]) -> Answer:
            if not self.dipped:
                self.dipped = True
                with DipDriver(self.admin, Dip("0%", 60.0)) as dip:
                    eventually(lambda: self.admin.state().now_s >= dip.start_s, "it has begun")
                    refused = self.sender.send(method, headers)
                eventually(lambda: not in_use(self.admin.state(), "audit"), "it is over")
                assert refused.status == 503
            return self.sender.send(method, headers)

    dipped = Dipped()
    seen = audited(target, target.url, ("503",), ("GET",), sender=dipped)
    dipped.admin.close()
    [met] = seen.disturbed
    assert (met.probe.refusal, met.total) == (None, 2)
    assert seen.verdict is Verdict.UNKNOWN
    assert findings(seen)[0].kind is Kind.DISTURBED


def test_a_pause_lies_before_every_refusal(target: LiveTarget) -> None:
    """And none after the last."""
    began_s = time.monotonic()
    seen = audited(target, target.url, ("503", "500"), ("GET",), pause_s=0.3)
    assert len(seen.courses) == 2
    first, second = (course.attempts[0].t_s for course in seen.courses)
    assert second - first > 0.3
    assert time.monotonic() - began_s > 0.6
