"""What each budget promises, as an inequality that holds whatever happens and in what order.

Each budget is driven twice: by itself, and within a preset that has it, with figures so small that
its bounds are reached. What is promised for any period is checked for the worst one.
"""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given

from loadtests.policies import PRESETS, Outcome, Send, Stop, StopReason, Wait, preset
from loadtests.policies.budgets import (
    AwsQuota,
    Bucket,
    Budget,
    EveryFailure,
    FinagleBudget,
    GrpcThrottle,
    MaxRetries,
    RetryBudget,
    ShareOf,
    TowerBudget,
    WindowBudget,
)
from loadtests.policies.hedging import Hedging
from loadtests.policies.outcome import AttemptError
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.retry import Retry
from tests.loadtests.policies.play import STEADY_STEPS_S, Event, Tape, World, few, outcome_by, tapes

RNG = Random(0)
HAIR = 1e-6


@dataclass(frozen=True, slots=True)
class Entry:
    """`request`, `end`, `grant` of a retry or `abandon`; `outcome` is the one before it.

    `retryable`: the failure that ended was worth a retry.
    """

    now_s: float
    number: int
    what: str
    outcome: Outcome | None = None
    retryable: bool = False

    @property
    def succeeded(self) -> bool:
        """An attempt ended well."""
        return self.what == "end" and self.outcome is not None and self.outcome.succeeded


Ledger = list[Entry]


# Promises


def worst_sum(ledger: Ledger, of: Callable[[Entry], float]) -> float:
    """The largest sum of any stretch of the ledger."""
    worst = current = 0.0
    for entry in ledger:
        current = max(0.0, current + of(entry))
        worst = max(worst, current)
    return worst


def bucket(size: float, ratio: float) -> Callable[[Ledger], None]:
    """In any period, retries ≤ size + ratio · requests: at its beginning there are `size` at most.

    From the beginning on, retries ≤ ratio · requests, for it starts empty.
    """

    def of(entry: Entry) -> float:
        return {"grant": 1.0, "request": -ratio}.get(entry.what, 0.0)

    def holds(ledger: Ledger) -> None:
        assert worst_sum(ledger, of) <= size + HAIR
        balance = 0.0
        for entry in ledger:
            balance += of(entry)
            assert balance <= HAIR

    return holds


def credit(cost: int, most: int) -> Callable[[Ledger], None]:
    """In any period, cost · retries ≤ most + requests: a request earns one, up to `most`."""

    def holds(ledger: Ledger) -> None:
        value = {"grant": cost, "request": -1}
        assert worst_sum(ledger, lambda entry: value.get(entry.what, 0)) <= most

    return holds


def throttle(max_tokens: float, ratio: float) -> Callable[[Ledger], None]:
    """In any period with one, retries < max/2 + ratio · successes.

    Each was allowed after its failure had taken a token and more than max/2 were left, so all
    those tokens came from the upper half, or from successes.
    """

    def of(entry: Entry) -> float:
        return 1.0 if entry.what == "grant" else -ratio * entry.succeeded

    def holds(ledger: Ledger) -> None:
        assert worst_sum(ledger, of) < max_tokens / 2

    return holds


def quota(size: int, cost: Callable[[Outcome], int]) -> Callable[[Ledger], None]:
    """In any period, what retries cost ≤ size + what successes gave back.

    A success gives what the retry that it follows took, or 1 where it follows none.
    """

    def holds(ledger: Ledger) -> None:
        taken: dict[int, int] = {}

        def of(entry: Entry) -> float:
            assert entry.outcome is not None or entry.what not in {"grant", "end"}
            if entry.what == "grant" and entry.outcome:
                taken[entry.number] = cost(entry.outcome)
                return taken[entry.number]
            if entry.what != "end" or entry.outcome is None:
                return 0
            held = taken.pop(entry.number, 1)
            status = entry.outcome.status
            return -held if status is not None and 200 <= status < 300 else 0

        assert worst_sum(ledger, of) <= size

    return holds


@dataclass(frozen=True)
class Windowed:
    """In any period of `remembers_s`, retries ≤ reserve + ratio · deposits + overshoot.

    The deposits are those of the period and before, as far back as they may count: `counts_s`
    before the period's last retry. For then the balance was not below 0, every retry of the period
    was in it, and no older deposit.
    """

    reserve: float
    ratio: float
    remembers_s: float
    counts_s: float
    is_deposit: Callable[[Entry], bool]
    overshoot: float = 0.0

    def __call__(self, ledger: Ledger) -> None:
        """Ask at each retry, looking back."""
        retries = [entry.now_s for entry in ledger if entry.what == "grant"]
        for at, entry in enumerate(ledger):
            if entry.what != "grant":
                continue
            past = [other for other in ledger[:at] if other.now_s > entry.now_s - self.counts_s]
            recent = [s for s in retries if entry.now_s - self.remembers_s < s <= entry.now_s]
            made = len(recent) - sum(1 for other in ledger[at + 1 :] if _same_time(other, entry))
            deposits = sum(map(self.is_deposit, past))
            assert made <= self.reserve + self.ratio * deposits + self.overshoot + HAIR


def _same_time(other: Entry, entry: Entry) -> bool:
    return other.what == "grant" and other.now_s == entry.now_s


def finagle(ttl_s: float, per_s: int, ratio: float) -> Windowed:
    """Nine slices of ttl/10 are kept whole; one may last for nearly two, where few look at it."""
    return Windowed(
        per_s * ttl_s, ratio, 0.9 * ttl_s - 0.01, 2 * ttl_s, lambda entry: entry.what == "request"
    )


def tower(ttl_s: float, per_s: int, ratio: float) -> Windowed:
    """Late slots skip one: five are kept for certain, eleven at most. Deposits are results."""
    return Windowed(
        per_s * ttl_s,
        ratio,
        0.5 * ttl_s - 0.001,
        1.1 * ttl_s,
        lambda entry: entry.what == "end" and not entry.retryable,
    )


def share_of(share: float, window_s: float, is_counted: Callable[[Entry], bool]) -> Windowed:
    """A twentieth of the window is forgotten at a time; it may overshoot by less than one."""
    return Windowed(0, share, 0.95 * window_s - 0.001, window_s, is_counted, overshoot=1)


def at_a_time(most: int, share: float = 0.0) -> Callable[[Ledger], None]:
    """When a retry is allowed, retries under way, it included, ≤ max(⌊share · active⌋, most).

    Active are the attempts in flight, and the one that has just ended.
    """

    def holds(ledger: Ledger) -> None:
        active: set[int] = set()
        retrying: set[int] = set()
        active_at_end = 0
        for entry in ledger:
            if entry.what in {"request", "resume"}:
                active.add(entry.number)
            elif entry.what == "grant":
                retrying.add(entry.number)
                assert len(retrying) <= max(int(share * active_at_end), most)
            else:
                active_at_end = len(active)
                active.discard(entry.number)
                retrying.discard(entry.number)

    return holds


# Budgets by themselves


def ledger_of(budget: Budget, tape: Tape) -> Ledger:
    """Requests that fail or not, are retried if the budget allows it, or are abandoned."""
    return _Bookkeeper(budget, tape).ledger()


class _Bookkeeper:
    def __init__(self, budget: Budget, tape: Tape) -> None:
        self.budget = budget
        self.active = budget.active if isinstance(budget, RetryBudget) else None
        self.tape = tape
        self.now_s = 0.0
        self.requests = 0
        self.in_flight: dict[int, float] = {}
        self.waiting: dict[int, float] = {}
        self.written: Ledger = []

    def ledger(self) -> Ledger:
        moves = (self._start, self._end, self._end, self._resume, self._step, self._start)
        while not self.tape.ended:
            self.tape.choose((*moves, self._abandon, self._end))()
        while self.in_flight or self.waiting:
            self._abandon()
        if isinstance(self.budget, MaxRetries):
            assert self.budget.retrying == 0
        assert self.active is None or self.active.count == 0
        return self.written

    def _write(
        self, number: int, what: str, outcome: Outcome | None = None, retryable: bool = False
    ) -> None:
        self.written.append(Entry(self.now_s, number, what, outcome, retryable))

    def _start(self) -> None:
        self.requests += 1
        self.budget.requested(self.now_s)
        self._write(self.requests, "request")
        self._send(self.requests, 0.0)

    def _send(self, number: int, held: float) -> None:
        self.in_flight[number] = held
        if self.active is not None:
            self.active.admit(self.now_s, RNG)

    def _end(self) -> None:
        if not self.in_flight:
            return
        number = self.tape.choose(list(self.in_flight))
        held = self.in_flight.pop(number)
        outcome = outcome_by(self.tape, headers=False)
        retryable = not outcome.succeeded and self.tape.choose((True, True, True, False))
        if self.active is not None:
            self.active.observed(self.now_s, outcome, 0)
        self.budget.observed(self.now_s, outcome, retryable, held)
        self._write(number, "end", outcome, retryable)
        taken = self.budget.withdraw(self.now_s, outcome) if retryable else None
        if taken is None:
            self.budget.closed(self.now_s, 0.0)
            return
        self.waiting[number] = taken
        self._write(number, "grant", outcome)

    def _resume(self) -> None:
        if self.waiting:
            number = self.tape.choose(list(self.waiting))
            self._write(number, "resume")
            self._send(number, self.waiting.pop(number))

    def _step(self) -> None:
        self.now_s += self.tape.choose(STEADY_STEPS_S)

    def _abandon(self) -> None:
        if not (self.in_flight or self.waiting):
            return
        number = self.tape.choose([*self.in_flight, *self.waiting])
        if self.active is not None and number in self.in_flight:
            self.active.released(self.now_s, 0)
        held = self.in_flight.pop(number, None)
        self.budget.closed(self.now_s, self.waiting.pop(number) if held is None else held)
        self._write(number, "abandon")


def _is_success(entry: Entry) -> bool:
    return entry.succeeded


def _is_request(entry: Entry) -> bool:
    return entry.what == "request"


def _old_cost(outcome: Outcome) -> int:
    timed_out = outcome.error in {AttemptError.TIMEOUT, AttemptError.CONNECT_TIMEOUT}
    return 10 if timed_out else 5


def _new_cost(outcome: Outcome) -> int:
    return 5 if outcome.status == 429 else 14


Promise = Callable[[Ledger], None]

BUDGETS: dict[str, tuple[Callable[[], Budget], Promise]] = {
    "bucket": (lambda: Bucket.of_ratio(0.3, 2), bucket(2, 0.3)),
    "credits": (lambda: Bucket(cost=3, most=10), credit(3, 10)),
    "grpc": (lambda: GrpcThrottle(6, 0.5), throttle(6, 0.5)),
    "grpc, every failure": (lambda: EveryFailure(GrpcThrottle(7, 0.3)), throttle(7, 0.3)),
    "aws": (lambda: AwsQuota(5, 5, 10, 30), quota(30, _old_cost)),
    "finagle": (lambda: FinagleBudget(2, 1, 0.2), finagle(2, 1, 0.2)),
    "finagle, no reserve": (lambda: FinagleBudget(1, 0, 0.5), finagle(1, 0, 0.5)),
    "tower": (lambda: TowerBudget(2, 1, 0.2), tower(2, 1, 0.2)),
    "tower, no reserve": (lambda: TowerBudget(1, 0, 0.5), tower(1, 0, 0.5)),
    "sre": (lambda: WindowBudget(0.2, window_s=10), share_of(0.2, 10, _is_request)),
    "successes": (
        lambda: WindowBudget(0.3, ShareOf.SUCCESSES, 10),
        share_of(0.3, 10, _is_success),
    ),
    "envoy": (lambda: MaxRetries(2), at_a_time(2)),
    "envoy, share": (lambda: RetryBudget(1, 0.4), at_a_time(1, 0.4)),
}


@pytest.mark.parametrize("name", BUDGETS)
@given(tape=tapes(1500))
@few(40)
def test_a_budget_keeps_its_promise(name: str, tape: bytes) -> None:
    """Whatever happens, abandoned requests included."""
    make, promise = BUDGETS[name]
    promise(ledger_of(make(), Tape(tape)))


@pytest.mark.parametrize("name", BUDGETS)
def test_a_budget_does_allow_retries_and_does_refuse_some(name: str) -> None:
    """Its bound is met on these tapes: one retry more of five refused would break the promise."""
    make, promise = BUDGETS[name]
    broken = 0
    for seed in range(20):
        ledger = ledger_of(make(), Tape(Random(seed).randbytes(1500)))
        granted = [entry for entry in ledger if entry.what == "grant"]
        assert granted
        broken += _is_broken(promise, _with_more(ledger))
    assert broken >= 5


def _is_broken(promise: Promise, ledger: Ledger) -> bool:
    try:
        promise(ledger)
    except AssertionError:
        return True
    return False


def _with_more(ledger: Ledger) -> Ledger:
    """A budget that lets through every fifth retry that it should refuse."""
    return list(_refused_are_granted(ledger))


def _refused_are_granted(ledger: Ledger) -> Iterator[Entry]:
    refused = 0
    for entry, following in zip(ledger, [*ledger[1:], None], strict=True):
        yield entry
        if entry.retryable and (following is None or following.what != "grant"):
            refused += 1
            if refused % 5 == 0:
                yield Entry(entry.now_s, entry.number, "grant", entry.outcome)


# Presets


PRESETS_WITH_BUDGETS: dict[str, tuple[dict[str, object], Promise]] = {
    "full-jitter-budget": (
        {"budget_ratio": 0.3, "budget_size": 2, "attempts": 99},
        bucket(2, 0.3),
    ),
    "seed-001-grpc-budget": (
        {"max_tokens": 6, "token_ratio": 0.5, "max_attempts": 99, "safe_only": False},
        throttle(6, 0.5),
    ),
    "seed-002-success-budget": (
        {"budget_share": 0.3, "max_attempts": 99, "safe_only": False},
        share_of(0.3, 10, _is_success),
    ),
    "seed-003-credits": (
        {"retry_cost": 3, "max_credits": 10, "max_attempts": 99, "deadline": None},
        credit(3, 10),
    ),
    "botocore-standard": ({"quota": 30, "max_attempts": 99}, quota(30, _old_cost)),
    "botocore-adaptive": ({"quota": 30, "max_attempts": 99}, quota(30, _old_cost)),
    "botocore-1.44-standard": ({"quota": 60, "max_attempts": 99}, quota(60, _new_cost)),
    "botocore-1.44-adaptive": ({"quota": 60, "max_attempts": 99}, quota(60, _new_cost)),
    "grpc-a6": ({"max_tokens": 6, "token_ratio": 0.5}, throttle(6, 0.5)),
    "finagle-24": (
        {"ttl": 2, "min_retries_per_second": 1, "tries": 99, "statuses": "500-599"},
        finagle(2, 1, 0.2),
    ),
    "envoy-1.40": ({"max_retries": 2, "num_retries": 99, "timeout": 0}, at_a_time(2)),
    "istio-1.27": ({"max_retries": 2, "attempts": 99, "retry_on": "5xx"}, at_a_time(2)),
    "linkerd-2": ({"ttl": 2, "min_retries_per_second": 1}, tower(2, 1, 0.2)),
    "sre-client-budget": (
        {"budget_share": 0.2, "budget_window": 10, "max_attempts": 99},
        share_of(0.2, 10, _is_request),
    ),
}
HEDGED = {"grpc-a6-hedging"}
"""A hedge by the timer follows no failure, so nothing bounds hedges by successes."""

WITHOUT_RETRIES_LEFT = {StopReason.BUDGET, StopReason.OUT_OF_ATTEMPTS, StopReason.DEADLINE}


def ledger_from(events: list[Event]) -> Ledger:
    """What happened, as the budget sees it."""
    ledger: Ledger = []
    for event in events:
        what = {"start": "request"}.get(event.what, event.what)
        if what == "resume" and not isinstance(event.action, Send):
            continue  # a guard let it wait on
        reason = event.action.reason if isinstance(event.action, Stop) else None
        granted = what == "end" and isinstance(event.action, Wait)
        retryable = granted or reason in WITHOUT_RETRIES_LEFT
        ledger.append(Entry(event.now_s, event.number, what, event.outcome, retryable))
        if granted:
            ledger.append(Entry(event.now_s, event.number, "grant", event.outcome))
    return ledger


def play(name: str, parameters: dict[str, object], tape: bytes) -> list[Event]:
    """The preset with these figures, by a clock that does not step back."""
    policy = preset(name, **parameters).build()
    world = World(policy, tape, steps_s=STEADY_STEPS_S, headers=False, most_live=20)
    return world.play().events


def has_budget(policy: RetryPolicy) -> bool:
    """Of retries or of hedges."""
    return isinstance(policy, Retry | Hedging) and policy.budget is not None


def test_every_preset_with_a_budget_is_here() -> None:
    """A new one has to say what it promises."""
    with_budgets = {name for name in PRESETS if has_budget(preset(name).build())}
    by_parameter = {"istio-1.27"}
    assert with_budgets | by_parameter == {*PRESETS_WITH_BUDGETS, *HEDGED}


@pytest.mark.parametrize("name", PRESETS_WITH_BUDGETS)
@given(tape=tapes(1500))
@few(25)
def test_a_preset_keeps_the_promise_of_its_budget(name: str, tape: bytes) -> None:
    """In whole requests that share it."""
    parameters, promise = PRESETS_WITH_BUDGETS[name]
    promise(ledger_from(play(name, parameters, tape)))


@pytest.mark.parametrize("name", PRESETS_WITH_BUDGETS)
def test_the_budget_of_a_preset_is_met(name: str) -> None:
    """These figures are so small that some retry is refused for want of budget, and some is not."""
    parameters, _ = PRESETS_WITH_BUDGETS[name]
    events = [e for seed in range(10) for e in play(name, parameters, Random(seed).randbytes(1500))]
    assert any(entry.what == "grant" for entry in ledger_from(events))
    assert any(event.action == Stop(StopReason.BUDGET) for event in events)


BY_SHARE: dict[str, object] = {
    "budget_share": 0.4,
    "min_retry_concurrency": 1,
    "num_retries": 99,
    "timeout": 0,
}


@given(tape=tapes(1500))
@few(40)
def test_a_share_of_active_attempts_bounds_envoys_retries(tape: bytes) -> None:
    """Its `retry_budget`, which takes the place of `max_retries`."""
    at_a_time(1, 0.4)(ledger_from(play("envoy-1.40", BY_SHARE, tape)))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("envoy-1.40", BY_SHARE),
        *((name, PRESETS_WITH_BUDGETS[name][0]) for name in ("envoy-1.40", "istio-1.27")),
    ],
)
@given(tape=tapes(600))
@few(20)
def test_places_are_given_back(name: str, parameters: dict[str, object], tape: bytes) -> None:
    """However requests end, and also when they are abandoned: then all is as at the beginning."""
    policy = preset(name, **parameters).build()
    new = pickle.dumps(policy)
    world = World(policy, tape).play()
    for live in world.live:
        live.request.abandoned(world.now_s)
    assert pickle.dumps(policy) == new


@given(tape=tapes(1500))
@few(40)
def test_grpc_hedges_only_above_half_of_its_tokens(tape: bytes) -> None:
    """By the timer as after a failure, which has taken its token by then."""
    events = play("grpc-a6-hedging", {"max_tokens": 6, "token_ratio": 0.5}, tape)
    tokens = 6.0
    for event in events:
        if event.what == "end" and event.outcome is not None:
            fatal = event.action == Stop(StopReason.NOT_RETRYABLE)
            if event.outcome.succeeded:
                tokens = min(6.0, tokens + 0.5)
            elif not fatal:
                tokens = max(0.0, tokens - 1)
        if isinstance(event.action, Send) and event.what != "start":
            assert tokens > 3
