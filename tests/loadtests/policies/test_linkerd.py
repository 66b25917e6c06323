"""Linkerd's retries: tower's budget by `tps_budget.rs`, and those of the annotations."""

from random import Random

import pytest

from loadtests.policies import AttemptError, Call, Outcome, Send, StopReason, preset
from loadtests.policies.budgets import TowerBudget
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.uniform import LIMIT, uniform_distance

TIMED_OUT = Outcome(status=None, error=AttemptError.TIMEOUT)


def deposit(budget: TowerBudget, now_s: float) -> None:
    budget.observed(now_s, SERVED, False, 0.0)


def withdraws(budget: TowerBudget, now_s: float) -> bool:
    return budget.withdraw(now_s, OVERLOADED) is not None


def test_an_empty_budget_allows_nothing() -> None:
    """tower's tps_empty."""
    assert not withdraws(TowerBudget(1, 0, 1.0), 0.0)


@pytest.mark.parametrize("far_s", [1e300, -1e300, 1.7e308])
def test_no_clock_is_too_far_for_it(far_s: float) -> None:
    """Its nanoseconds are beyond what a float can hold."""
    budget = TowerBudget(1, 1, 1.0)
    for now_s in (0.0, far_s, far_s, 1.0):
        deposit(budget, now_s)
        assert withdraws(budget, now_s)


def test_a_deposit_leaks_away() -> None:
    """tower's tps_leaky: 3 s on, of a ttl of 1 s."""
    budget = TowerBudget(1, 0, 1.0)
    deposit(budget, 0.0)
    assert not withdraws(budget, 3.0)


def test_deposits_count_while_their_slots_last() -> None:
    """tower's tps_slots, with its times."""
    budget = TowerBudget(1, 0, 0.5)
    deposit(budget, 0.0)
    deposit(budget, 0.0)
    assert withdraws(budget, 0.901)
    deposit(budget, 2.902)
    deposit(budget, 3.203)
    deposit(budget, 4.004)
    assert withdraws(budget, 4.004), "the second and the third are still there"


def test_the_reserve_is_there_at_once() -> None:
    """tower's tps_reserve: five of five a second, and no sixth."""
    budget = TowerBudget(1, 5, 1.0)
    assert [withdraws(budget, 0.0) for _ in range(6)] == [True] * 5 + [False]


@pytest.mark.parametrize(
    ("share", "results", "retries"),
    [(0.2, 10, 2), (0.3, 9, 3), (1.0, 4, 4), (2.0, 3, 6), (0, 9, 0)],
)
def test_a_result_deposits_its_share_of_a_retry(share: float, results: int, retries: int) -> None:
    """1 against ⌊1/share⌋, so 30% are a third; above 1, 1000 against ⌊1000/share⌋."""
    budget = TowerBudget(10, 0, share)
    for _ in range(results):
        deposit(budget, 0.0)
    assert sum(withdraws(budget, 0.0) for _ in range(100)) == retries


class TpsBucket:
    """The original, loop by loop: what our slots are held against."""

    def __init__(self, ttl_ns: int) -> None:
        self.window, self.slots, self.writer, self.index, self.time = (
            ttl_ns // 10,
            [0] * 10,
            0,
            0,
            0,
        )

    def expire(self, now: int) -> None:
        diff = max(0, now - self.time)
        if diff < self.window:
            return
        self.slots[self.index], self.writer = self.writer, 0
        index = (self.index + 1) % 10
        while diff > self.window:
            self.slots[index] = 0
            diff -= self.window
            index = (index + 1) % 10
        self.index, self.time = index, now

    def sum(self) -> int:
        return self.writer + sum(self.slots)


def test_the_slots_are_those_of_the_original_in_any_sequence() -> None:
    """Random results, retries and pauses, some of them exactly a slot or much longer than all."""
    rng = Random(1)
    for _ in range(100):
        ttl_s = rng.randint(1, 60)
        budget, theirs, now_ns = TowerBudget(ttl_s, 0, 0.2), TpsBucket(ttl_s * 10**9), 0
        deposit(budget, 0.0)
        theirs.writer += 1
        for _ in range(300):
            slot_ns = ttl_s * 10**8
            now_ns += rng.choice([0, 10**6, slot_ns // 3, slot_ns, 3 * slot_ns, 40 * slot_ns])
            now_ns -= now_ns % 1000
            theirs.expire(now_ns)
            if rng.random() < 0.8:
                deposit(budget, now_ns / 1e9)
                theirs.writer += 1
            else:
                allowed = theirs.sum() >= 5
                theirs.writer -= 5 * allowed
                assert withdraws(budget, now_ns / 1e9) == allowed


def test_a_failing_request_uses_up_the_whole_reserve_by_itself() -> None:
    """The fault: no wait and no limit but the budget, 100 retries in the same instant."""
    driven = drive(preset("linkerd-2").build(), [OVERLOADED] * 101)
    assert (driven.attempts, driven.reason) == (101, StopReason.BUDGET)
    assert set(driven.waits) == {0.0}


def test_in_an_outage_the_budget_has_no_income() -> None:
    """Only what is not worth a retry makes a deposit: 1,000 requests in 4 s get the reserve."""
    policy = preset("linkerd-2").build()
    attempts = [
        drive(policy, [OVERLOADED] * 200, start_s=number * 0.004).attempts for number in range(1000)
    ]
    assert sum(attempts) == 1100


@pytest.mark.parametrize(("every_s", "back_after_s"), [(1.0, 11.0), (1.008, 6.048), (0.3, 7.2)])
def test_the_reserve_comes_back_too_soon_when_slots_end_late(
    every_s: float, back_after_s: float
) -> None:
    """The fault: 100 in 6 s are 17 a second. Only when looked at on the very second is it right."""
    budget = TowerBudget(10, 10, 0.2)
    assert sum(withdraws(budget, 0.0) for _ in range(200)) == 100
    number = 1
    while not withdraws(budget, number * every_s):
        number += 1
    assert number * every_s == pytest.approx(back_after_s)


def test_every_result_that_is_not_retried_makes_a_deposit() -> None:
    """A 404 and a broken connection do as well as a success: `if !retryable { deposit() }`."""
    for outcome in (SERVED, Outcome(status=404), TIMED_OUT):
        policy = preset("linkerd-2", min_retries_per_second=0).build()
        for _ in range(5):
            drive(policy, [outcome])
        assert drive(policy, [OVERLOADED, SERVED]).attempts == 2


def test_the_timeout_of_a_route_spans_its_retries() -> None:
    """linkerd/linkerd#2369: they ran on past it."""
    policy = preset("linkerd-2", timeout="1s").build()
    driven = drive(policy, lambda _: Outcome(status=503, elapsed_s=0.3))
    assert (driven.attempts, driven.reason) == (4, StopReason.DEADLINE)
    course = policy.begin(Call(Random(0)))
    assert course.start(0.0) == Send(1.0)


def test_by_annotations_a_request_is_retried_once_unless_said() -> None:
    """retry.linkerd.io/limit."""
    assert drive(preset("linkerd-2-annotations").build(), [OVERLOADED] * 2).attempts == 2
    assert drive(preset("linkerd-2-annotations", limit=3).build(), [OVERLOADED] * 4).attempts == 4


def test_the_wait_is_25_ms_and_up_to_as_much_again() -> None:
    """exp-backoff with min 25 ms, max 250 ms and a jitter ratio of 1: the policy controller's."""
    policy, rng = preset("linkerd-2-annotations", limit=2).build(), Random(2)
    waits = [drive(policy, [OVERLOADED] * 3, rng=rng).waits for _ in range(10_000)]
    assert uniform_distance([first for first, _ in waits], 0.025, 0.05) < LIMIT
    assert uniform_distance([second for _, second in waits], 0.05, 0.1) < LIMIT


def test_from_the_fifth_retry_on_the_jitter_is_gone() -> None:
    """The fault: what is left below 250 ms is nothing."""
    policy = preset("linkerd-2-annotations", limit=9).build()
    waits = [drive(policy, [OVERLOADED] * 10, rng=Random(seed)).waits for seed in range(20)]
    assert {wait for one in waits for wait in one[4:]} == {0.25}
    assert len({one[3] for one in waits}) > 1


def test_a_timed_out_attempt_is_retried_and_the_last_is_not_bounded() -> None:
    """ "Exhausted retries; removing response headers timeout"."""
    course = (
        preset("linkerd-2-annotations", timeout="200ms", limit=2).build().begin(Call(Random(0)))
    )
    sends = [course.start(0.0)]
    for number in (1, 2):
        course.finished(number, TIMED_OUT)
        sends.append(course.resumed(number))
    assert sends == [Send(0.2), Send(0.2), Send()]


@pytest.mark.parametrize("name", ["linkerd-2", "linkerd-2-annotations"])
def test_a_broken_connection_is_not_retried(name: str) -> None:
    """Only answers are, and with annotations timeouts."""
    reset = Outcome(status=None, error=AttemptError.RESET)
    assert drive(preset(name).build(), [reset]).reason is StopReason.NOT_RETRYABLE
