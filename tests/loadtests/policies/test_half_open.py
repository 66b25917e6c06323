"""Half-open, a breaker lets out as many attempts as it says, in whatever order they come and go."""

from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.policies import PRESETS, Call, Request, RetryPolicy, Send, preset
from loadtests.policies.catalogue import Family
from loadtests.policies.request import State
from tests.loadtests.policies.drive import OVERLOADED, SERVED
from tests.loadtests.policies.play import Tape, World, few, tapes


class Abandoned(StrEnum):
    """What an abandoned trial does."""

    GIVES_BACK = "its permit is another's"
    OPENS = "it counts as failed"
    CLOSES = "it counts as not failed"


EVERYONE = 10_000


@dataclass(frozen=True)
class HalfOpen:
    """How many are let out half-open, with these figures: open soon, and for a second."""

    figures: dict[str, object]
    permits: int = 1
    abandoned: Abandoned = Abandoned.GIVES_BACK


_RESILIENCE4J: dict[str, object] = {
    "window_size": 4,
    "minimum_calls": 4,
    "wait_in_open": "1s",
    "permitted_in_half_open": 3,
}
BREAKERS = {
    "seed-002-breaker": HalfOpen({"threshold": 2, "cooldown": "1s"}),
    "hystrix-1.5": HalfOpen({"request_volume": 2, "sleep_window": "1s"}, abandoned=Abandoned.OPENS),
    "resilience4j-2-breaker": HalfOpen(_RESILIENCE4J, permits=3),
    "resilience4j-2-retry-breaker": HalfOpen(_RESILIENCE4J, permits=3),
    "polly-8-breaker": HalfOpen(
        {"minimum_throughput": 2, "break": "1s"}, abandoned=Abandoned.CLOSES
    ),
    "pybreaker-1.4": HalfOpen({"fail_max": 2, "reset_timeout": "1s"}, abandoned=Abandoned.OPENS),
    "aiobreaker-1.2": HalfOpen({"fail_max": 2, "timeout": "1s"}, permits=EVERYONE),
}


class Crowd:
    """Requests in front of one breaker; `out` are those with an attempt in flight."""

    def __init__(self, policy: RetryPolicy) -> None:
        self.policy = policy
        self.world = World(policy, b"")
        self.now_s = 0.0
        self.out: list[Request] = []
        self.held_up: list[Request] = []

    def comes(self) -> bool:
        """One more request. Whether it was let out."""
        request = Request(self.policy, Call(self.world.rng))
        return self._is_out(request, isinstance(request.start(self.now_s), Send))

    def asks_again(self, request: Request) -> bool:
        """One that was told to wait. Whether it was let out."""
        self.held_up.remove(request)
        return self._is_out(request, isinstance(request.resumed(self.now_s), Send))

    def _is_out(self, request: Request, sends: bool) -> bool:
        if sends:
            request.sent()
            self.out.append(request)
        elif request.state is State.BACKING_OFF:
            self.held_up.append(request)
        return sends

    def end_all(self, *, well: bool) -> None:
        """All attempts in flight end; what would be retried is not."""
        for request in self.out:
            request.finished(self.now_s, SERVED if well else OVERLOADED)
            request.abandoned(self.now_s)
        self.out.clear()

    def leave(self, request: Request) -> None:
        """It is abandoned in flight."""
        self.out.remove(request)
        request.abandoned(self.now_s)


def half_open(name: str) -> Crowd:
    """In front of a breaker that opened a good second ago, with nothing in flight."""
    crowd = Crowd(preset(name, **BREAKERS[name].figures).build())
    for _ in range(100):
        crowd.now_s += 0.2
        if not crowd.comes():
            break
        crowd.end_all(well=False)
    assert not crowd.out
    crowd.held_up.clear()
    crowd.now_s += 1.1
    return crowd


def test_every_breaker_is_in_the_table() -> None:
    """A new one has to say how many it lets out."""
    breakers = {name for name, cls in PRESETS.items() if cls.family is Family.BREAKERS}
    assert breakers | {"seed-002-breaker"} == set(BREAKERS)


@pytest.mark.parametrize("name", BREAKERS)
@given(tape=tapes(80))
@few(60)
def test_half_open_lets_out_no_more_than_its_permits(name: str, tape: bytes) -> None:
    """While none has ended; what is abandoned leaves its permit to another, or decides."""
    breaker, crowd, moves = BREAKERS[name], half_open(name), Tape(tape)
    abandoned = 0
    while not moves.ended:
        move = moves.choose(("comes", "comes", "asks", "leaves", "later"))
        if move == "comes":
            crowd.comes()
        elif move == "asks" and crowd.held_up:
            crowd.asks_again(moves.choose(crowd.held_up))
        elif move == "leaves" and crowd.out:
            crowd.leave(moves.choose(crowd.out))
            abandoned += 1
        else:
            crowd.now_s += 0.001
        if not abandoned or breaker.abandoned is Abandoned.GIVES_BACK:
            assert len(crowd.out) <= breaker.permits
        elif breaker.abandoned is Abandoned.OPENS:
            assert not crowd.out
            assert abandoned == 1


@pytest.mark.parametrize("name", BREAKERS)
@given(leaving=st.integers(0, 5))
@few(6)
def test_half_open_lets_out_all_of_its_permits(name: str, leaving: int) -> None:
    """Of forty that come at once; and again after some of them were abandoned."""
    breaker, crowd = BREAKERS[name], half_open(name)
    assert sum(crowd.comes() for _ in range(40)) == min(40, breaker.permits)
    leaving = min(leaving, len(crowd.out))
    for request in crowd.out[:leaving]:
        crowd.leave(request)
    let_out = sum(crowd.comes() for _ in range(50))
    if breaker.permits == EVERYONE or (leaving and breaker.abandoned is Abandoned.CLOSES):
        assert let_out == 50
    else:
        assert let_out == (leaving if breaker.abandoned is Abandoned.GIVES_BACK else 0)


@pytest.mark.parametrize("name", BREAKERS)
@pytest.mark.parametrize("well", [True, False])
def test_the_trials_decide(name: str, *, well: bool) -> None:
    """All succeed: everyone is let out. All fail: no one is."""
    crowd = half_open(name)
    for _ in range(40):
        crowd.comes()
    crowd.end_all(well=well)
    crowd.held_up.clear()
    let_out = 0
    for _ in range(20):
        let_out += crowd.comes()
        crowd.end_all(well=True)  # pybreaker lets one out at a time
    assert let_out == (20 if well else 0)


@pytest.mark.parametrize("name", BREAKERS)
@given(tape=tapes())
@few(25)
def test_a_breaker_that_opens_often_is_sound_by_any_clock(name: str, tape: bytes) -> None:
    """No illegal answer, and whoever goes on comes to an end."""
    world = World(preset(name, **BREAKERS[name].figures).build(), tape).play()
    assert world.end_all(OVERLOADED, most_rounds=500)
