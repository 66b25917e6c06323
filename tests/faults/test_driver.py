"""However a dip's block is left, the dip is over; a signal in the middle of a call has to wait."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat

import pytest

from faults.action import OperatorAction
from faults.admin import AdminError, DipStatus, TargetState
from faults.dip import Dip
from faults.driver import ActionDriver, DipDriver
from faults.signals import StoppedBySignalError

ACTIVE = DipStatus("dip-1", 1.0, 3.0, "20%", 2.0, None, "step", "active")
DIP = Dip("20%", 2.0)


@pytest.fixture(autouse=True)
def _nothing_ignored() -> Iterator[None]:
    """A shell starts what is to run in the background with SIGINT ignored; the driver keeps to it.

    So every signal is given the handler that it has in the foreground.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    others = {n: signal.signal(n, signal.SIG_DFL) for n in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in {signal.SIGINT: before, **others}.items():
        signal.signal(number, handler)


class FakeClient:
    """A target in memory that can fail and can be interrupted in the middle of a call."""

    def __init__(self) -> None:
        self.status = ACTIVE
        self.ended: list[str] = []
        self.signal_in: str | None = None
        self.fail_in: str | None = None
        self.polls: list[str] = ["active"]
        self.clock_s: Iterator[float] = repeat(1.0)

    def _step(self, call: str) -> None:
        if self.signal_in == call:
            os.kill(os.getpid(), signal.SIGTERM)
        if self.fail_in == call:
            raise AdminError(f"{call} failed")

    def begin_dip(self, dip: Dip, after_s: float = 0.0) -> DipStatus:
        self._step("begin")
        return self.status

    def end_dip(self, dip_id: str) -> DipStatus:
        self._step("end")
        self.ended.append(dip_id)
        return replace(self.status, state="ended", end_s=2.0)

    def state(self) -> TargetState:
        state = self.polls.pop(0)
        dips = () if state == "gone" else (replace(self.status, state=state),)
        return TargetState(next(self.clock_s), 0.0, 0.1, 10, 100.0, {}, dips, "")


def driver_of(client: FakeClient) -> DipDriver:
    """A driver of the fake."""
    return DipDriver(client, DIP)  # type: ignore[arg-type]


def test_a_dip_still_in_force_is_taken_back_when_the_block_is_left() -> None:
    """Also without an error."""
    client = FakeClient()
    with driver_of(client) as planned:
        assert planned == ACTIVE
    assert client.ended == ["dip-1"]


def test_a_dip_that_is_over_is_left_alone() -> None:
    """There is nothing to take back."""
    client = FakeClient()
    client.polls = ["pending", "active", "ended"]
    driver = driver_of(client)
    with driver:
        states = [status.state for status, _ in driver.follow(lambda _: None)]
    assert states == ["pending", "active", "ended"]
    assert client.ended == []


def test_the_target_is_asked_again_when_something_is_due_and_each_second() -> None:
    """From 1 s on a dip that begins at 1.5 s and ends at 3 s; it began later than it was due."""
    client = FakeClient()
    client.polls = ["pending", "pending", "active", "active", "ended"]
    client.clock_s = iter((1.0, 1.5, 1.6, 2.6, 3.0))
    client.status = replace(ACTIVE, start_s=1.5)
    slept: list[float] = []
    driver = driver_of(client)
    with driver:
        list(driver.follow(slept.append))
    assert slept == pytest.approx([0.5, 0.1, 1.0, 0.4])


def test_a_reopening_is_asked_for_its_steps() -> None:
    """They are told at the instant at which they are seen."""
    driver = ActionDriver(FakeClient(), OperatorAction("reopen", 600.0))  # type: ignore[arg-type]
    assert driver.longest_s == 0.1
    assert driver_of(FakeClient()).longest_s == 1.0


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_error_takes_the_dip_back(error: type[BaseException]) -> None:
    """And goes on."""
    client = FakeClient()
    with pytest.raises(error), driver_of(client):
        raise error
    assert client.ended == ["dip-1"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_takes_the_dip_back_and_names_the_exit_code(number: signal.Signals) -> None:
    """128 + its number; the handlers of before are there again."""
    before = signal.getsignal(number)
    client = FakeClient()
    with pytest.raises(StoppedBySignalError) as stopped, driver_of(client):
        os.kill(os.getpid(), number)
    assert stopped.value.code == 128 + number
    assert client.ended == ["dip-1"]
    assert signal.getsignal(number) is before


def test_a_signal_while_the_dip_is_being_made_takes_it_back() -> None:
    """Its id must be known first."""
    client = FakeClient()
    client.signal_in = "begin"
    with pytest.raises(StoppedBySignalError), driver_of(client):
        pytest.fail("the block must not be entered")
    assert client.ended == ["dip-1"]


def test_a_signal_while_the_dip_is_being_taken_back_does_not_stop_that() -> None:
    """An impatient second Ctrl-C."""
    client = FakeClient()
    client.signal_in = "end"
    with pytest.raises(StoppedBySignalError), driver_of(client):
        pass
    assert client.ended == ["dip-1"]


def test_a_dip_that_could_not_be_made_is_not_taken_back() -> None:
    """The error goes on, the handlers are there again."""
    before = signal.getsignal(signal.SIGTERM)
    client = FakeClient()
    client.fail_in = "begin"
    with pytest.raises(AdminError, match="begin failed"), driver_of(client):
        pytest.fail("the block must not be entered")
    assert client.ended == []
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_made_us_stop_matters_more_than_a_failed_taking_back() -> None:
    """That is told beside."""
    client = FakeClient()
    client.fail_in = "end"
    driver = driver_of(client)
    with pytest.raises(RuntimeError, match="first"), driver:
        raise RuntimeError("first")
    assert "end failed" in str(driver.take_back_error)


def test_a_target_that_was_reset_no_longer_knows_the_dip() -> None:
    """Which is an error, not an end."""
    client = FakeClient()
    client.polls = ["gone"]
    driver = driver_of(client)
    with pytest.raises(AdminError, match="no longer knows dip-1"), driver:
        list(driver.follow())
