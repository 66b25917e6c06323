"""A request is carried through its policy in asyncio as in the other drivers."""

import asyncio
from collections.abc import Sequence
from random import Random

import pytest

from loadtests.gateway.driving import Carried, Ended, carry_out
from loadtests.policies import (
    PRESETS,
    AttemptError,
    Await,
    Call,
    Outcome,
    PolicyError,
    Request,
    RetryPolicy,
    Send,
    State,
    Stop,
    StopReason,
    Wait,
    preset,
)
from tests.loadtests.gateway.fakes import Scripted
from tests.loadtests.gateway.virtual import now_s, run
from tests.loadtests.policies.drive import OVERLOADED, SERVED
from tests.loadtests.policies.drive_hedged import drive_hedged
from tests.loadtests.policies.play import ERRORS, STATUSES

Ends = Sequence[tuple[float, Outcome]]


class FakeAnswer:
    def __init__(self, number: int) -> None:
        self.number = number
        self.set_aside_at_s: float | None = None
        self.closed = False

    def set_aside(self) -> None:
        self.set_aside_at_s = now_s()

    def close(self) -> None:
        self.closed = True


class Script:
    """Attempt k takes ``ends[k − 1][0]`` seconds and ends as ``ends[k − 1][1]``.

    None may begin from `closes_s` on, or once `closed` is set.
    """

    def __init__(self, ends: Ends, *, closes_s: float = float("inf"), hedges: bool = True) -> None:
        self.ends = ends
        self.closes_s = closes_s
        self.hedges = hedges
        self.closed = False
        self.sent_s: list[float] = []
        self.sends: list[Send] = []
        self.cancelled: list[int] = []
        self.answers: list[FakeAnswer] = []

    def may_send_at(self, at_s: float) -> bool:
        return not self.closed and at_s < self.closes_s

    async def attempt(self, number: int, send: Send) -> Ended[FakeAnswer]:
        assert number == len(self.sent_s) + 1
        self.sent_s.append(round(now_s(), 9))
        self.sends.append(send)
        takes_s, outcome = self.ends[number - 1]
        try:
            await asyncio.sleep(takes_s)
        except asyncio.CancelledError:
            self.cancelled.append(number)
            raise
        if outcome.error is not None:
            return Ended(outcome, None)
        self.answers.append(FakeAnswer(number))
        return Ended(outcome, self.answers[-1])


def carried(
    policy: RetryPolicy, script: Script, *, seed: int = 0
) -> tuple[Carried[FakeAnswer], float, Request]:
    """One request carried to its end, and when that was."""

    async def main() -> tuple[Carried[FakeAnswer], float, Request]:
        request = Request(policy, Call(Random(seed)))
        done = await carry_out(request, script, now_s)
        return done, round(now_s(), 9), request

    return run(main)


def ends_by(seed: int) -> Ends:
    """A dozen outcomes of any kind, most of them failures, and then successes."""
    rng = Random(f"ends/{seed}")
    ends = []
    for _ in range(12):
        takes_s = rng.choice((0.0, 0.003, 0.05, 0.4, 1.7, 12.0)) * rng.uniform(0.9, 1.1)
        failure = Outcome(None, takes_s, rng.choice(ERRORS))
        answer = Outcome(rng.choice(STATUSES), takes_s)
        ends.append((takes_s, rng.choice((failure, answer, OVERLOADED, OVERLOADED))))
    return ends + [(0.01, SERVED)] * 200


@pytest.mark.parametrize("name", PRESETS)
def test_every_policy_decides_as_in_the_other_drivers(name: str) -> None:
    """The same attempts at the same times, and the same end: the policy is the same object."""
    for seed in range(12):
        ends = ends_by(seed)
        expected = drive_hedged(preset(name).build(), ends, seed=seed)
        script = Script(ends)
        done, ended_s, request = carried(preset(name).build(), script, seed=seed)
        assert script.sent_s == pytest.approx(expected.sent_s, abs=1e-6), f"seed {seed}"
        assert ended_s == pytest.approx(expected.ended_s, abs=1e-6)
        assert done.reason is expected.reason
        assert request.state is State.DONE
        kept = done.last.answer if done.last else None
        assert all(answer.closed != (answer is kept) for answer in script.answers)


def test_some_of_them_hedge() -> None:
    """The comparison above has several attempts in flight in it."""
    script = Script([(2.0, SERVED)] * 4)
    done, ended_s, _ = carried(preset("grpc-a6-hedging", max_tokens=0).build(), script)
    assert script.sent_s == [0.0, 0.5, 1.0, 1.5]
    assert sorted(script.cancelled) == [2, 3, 4]
    assert (ended_s, done.reason) == (2.0, StopReason.SUCCEEDED)


def test_an_attempt_that_ends_when_a_hedge_is_due_goes_first() -> None:
    """As in the other drivers: its answer is there, so none is sent for nothing."""
    script = Script([(0.5, SERVED), (9.0, SERVED)])
    _, ended_s, _ = carried(preset("grpc-a6-hedging", max_tokens=0).build(), script)
    assert (script.sent_s, ended_s) == ([0.0], 0.5)


def test_of_two_that_end_at_once_the_second_is_dropped() -> None:
    """Its answer is closed, though nobody has looked at it."""
    script = Script([(1.0, SERVED), (0.5, SERVED)])
    carried(preset("grpc-a6-hedging", max_tokens=0).build(), script)
    assert sorted(answer.closed for answer in script.answers) == [False, True]


def test_an_answer_that_is_not_the_last_is_set_aside_at_once() -> None:
    """While the policy waits nothing is held up below; what is passed on is the last."""
    script = Script([(0.01, OVERLOADED)] * 3)
    policy = preset("immediate", attempts=3, base="1s").build()
    done, ended_s, _ = carried(policy, script)
    assert [answer.set_aside_at_s for answer in script.answers] == [0.01, 1.02, None]
    assert [answer.closed for answer in script.answers] == [True, True, False]
    assert done.last is not None
    assert done.last.answer is script.answers[2]
    assert ended_s == pytest.approx(2.03)


def test_a_wait_that_ends_too_late_is_not_waited() -> None:
    """The policy is told that the request is abandoned, and the last answer is there at once."""
    script = Script([(0.1, OVERLOADED)], closes_s=1.0)
    policy = Scripted(Send(), Wait(0.95))
    done, ended_s, _ = carried(policy, script)
    assert (ended_s, done.reason, policy.abandoned_at_s) == (0.1, None, [0.1])
    assert done.last is not None
    assert done.last.outcome is OVERLOADED
    assert [answer.closed for answer in script.answers] == [False]


def test_no_attempt_is_made_where_none_may_be() -> None:
    """Also not the first."""
    script = Script([], closes_s=0.0)
    policy = Scripted(Send())
    done, _, request = carried(policy, script)
    assert (done.last, done.reason, request.attempts) == (None, None, 0)
    assert policy.abandoned_at_s == [0.0]


@pytest.mark.parametrize(
    ("ends", "ended_s", "outcome"),
    [
        ([(5.0, SERVED), (3.0, OVERLOADED)], 5.0, SERVED),
        ([(5.0, OVERLOADED), (3.0, SERVED)], 4.0, SERVED),
        ([(5.0, OVERLOADED), (3.0, OVERLOADED)], 5.0, OVERLOADED),
    ],
)
def test_without_further_attempts_those_in_flight_are_awaited(
    ends: Ends, ended_s: float, outcome: Outcome
) -> None:
    """A hedge is due after the deadline: the first success counts, or else the last failure."""
    script = Script(ends, closes_s=1.5)
    policy = Scripted(Send(hedge_after_s=1.0), Send(hedge_after_s=1.0), Send())
    done, at_s, _ = carried(policy, script)
    assert script.sent_s == [0.0, 1.0]
    assert (at_s, done.reason, policy.abandoned_at_s) == (ended_s, None, [2.0])
    assert done.last is not None
    assert done.last.outcome is outcome


def test_what_can_be_sent_once_is_not_hedged() -> None:
    """The policy is not asked when the hedge would be due."""
    script = Script([(3.0, SERVED)], hedges=False)
    policy = Scripted(Send(hedge_after_s=1.0), Stop(StopReason.SUCCEEDED))
    _, ended_s, _ = carried(policy, script)
    assert (script.sent_s, ended_s) == ([0.0], 3.0)


@pytest.mark.parametrize("hedge_after_s", [None, 0.0])
def test_a_request_that_is_cancelled_cancels_its_attempts(hedge_after_s: float | None) -> None:
    """The client has gone: the policy is told, and nothing is left in flight."""
    script = Script([(9.0, SERVED), (9.0, SERVED)])
    policy = Scripted(Send(hedge_after_s=hedge_after_s), Send(), Await())

    async def main() -> None:
        request = Request(policy, Call(Random(0)))
        task = asyncio.create_task(carry_out(request, script, now_s))
        await asyncio.sleep(1.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert request.state is State.DONE

    run(main)
    assert sorted(script.cancelled) == ([1] if hedge_after_s is None else [1, 2])
    assert policy.abandoned_at_s == [1.0]


def test_a_request_that_is_cancelled_while_it_waits_lets_go_of_its_answer() -> None:
    """Nothing is held for nobody."""
    script = Script([(0.0, OVERLOADED)])
    policy = Scripted(Send(), Wait(60.0))

    async def main() -> None:
        task = asyncio.create_task(carry_out(Request(policy, Call(Random(0))), script, now_s))
        await asyncio.sleep(1.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main)
    assert [answer.closed for answer in script.answers] == [True]
    assert policy.abandoned_at_s == [1.0]


class EndsSlowly(Script):
    async def attempt(self, number: int, send: Send) -> Ended[FakeAnswer]:
        try:
            return await super().attempt(number, send)
        except asyncio.CancelledError:
            await asyncio.sleep(1.0)
            raise


def test_a_request_that_is_cancelled_when_it_is_all_but_over() -> None:
    """Its answer is there, and what is in flight is ending: the answer is let go of."""
    script = EndsSlowly([(1.0, SERVED), (9.0, SERVED)])
    policy = preset("grpc-a6-hedging", max_tokens=0).build()

    async def main() -> None:
        task = asyncio.create_task(carry_out(Request(policy, Call(Random(0))), script, now_s))
        await asyncio.sleep(1.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main)
    assert [answer.closed for answer in script.answers] == [True]


def test_a_policy_that_raises_is_told_so() -> None:
    """With a name for it, and nothing left behind."""
    script = Script([(0.5, OVERLOADED), (9.0, SERVED)])
    policy = Scripted(Send(hedge_after_s=0.1), Send(), KeyError("own"))
    with pytest.raises(PolicyError, match="KeyError"):
        carried(policy, script)
    assert script.cancelled == [2]
    assert [answer.closed for answer in script.answers] == [True]


class Broken(Script):
    async def attempt(self, number: int, send: Send) -> Ended[FakeAnswer]:
        raise TimeoutError("ours")


@pytest.mark.parametrize("hedge_after_s", [None, 1.0])
def test_what_goes_wrong_in_an_attempt_is_raised(hedge_after_s: float | None) -> None:
    """Nobody waits for ever for an attempt that has died."""
    policy = Scripted(Send(hedge_after_s=hedge_after_s))
    with pytest.raises(TimeoutError, match="ours"):
        carried(policy, Broken([]))
    assert policy.abandoned_at_s == [0.0]


def test_an_error_ends_an_attempt_without_an_answer() -> None:
    """The last of several is what is told."""
    refused = Outcome(None, 0.0, AttemptError.REFUSED)
    script = Script([(0.1, OVERLOADED), (0.1, refused)])
    done, _, _ = carried(preset("immediate", attempts=2).build(), script)
    assert done.last == Ended(refused, None)
    assert [answer.closed for answer in script.answers] == [True]
