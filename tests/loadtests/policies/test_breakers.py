"""The breakers that no package is driven beside: worked from their sources and article 002."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.policies import Outcome, StopReason, preset
from loadtests.policies.guards import (
    AdaptiveThrottle,
    AdmissionControl,
    Admitted,
    AioBreaker,
    ConsecutiveBreaker,
    Delayed,
    Guard,
    HystrixBreaker,
    PollyBreaker,
    PyBreaker,
    Resilience4jBreaker,
)
from loadtests.policies.guards.resilience4j import Spells, Thresholds
from tests.loadtests.policies.breaker_play import FAILED, GOOD, Play
from tests.loadtests.policies.drive import drive


def playing(name: str, **parameters: object) -> Play:
    """A play through a preset."""
    return Play(preset(name, **parameters).build())


# Article 002


def test_consecutive_failures_open_it_and_a_success_between_them_does_not() -> None:
    """Four, a success, five."""
    play = playing("seed-002-breaker")
    assert play.calls(0, FAILED, 4) == 4
    assert play.call(0, GOOD)
    assert play.calls(0, FAILED, 9) == 5
    assert not play.begin(4.99)


def test_one_trial_goes_through_after_the_cooldown() -> None:
    """Nobody else until it has ended; its success closes the breaker."""
    play = playing("seed-002-breaker")
    play.calls(0, FAILED, 5)
    assert [play.begin(5.0) for _ in range(10)] == [True] + [False] * 9
    play.end(6.0, GOOD)
    assert play.calls(6.0, GOOD, 10) == 10


def test_a_failed_trial_waits_longer_each_time() -> None:
    """5, 10, 20, 40, 60, 60 s; after a success 5 s again."""
    play, now_s = playing("seed-002-breaker"), 0.0
    play.calls(now_s, FAILED, 5)
    for open_s in (5, 10, 20, 40, 60, 60):
        assert not play.begin(now_s + open_s - 0.01)
        now_s += open_s
        assert play.call(now_s, FAILED)
    assert play.call(now_s + 60, GOOD)
    play.calls(now_s + 60, FAILED, 5)
    assert not play.begin(now_s + 64.9)
    assert play.begin(now_s + 65)


def test_an_abandoned_trial_leaves_its_place_to_another() -> None:
    """Or the breaker would be half-open for ever (resilience4j#544)."""
    play = playing("seed-002-breaker")
    play.calls(0, FAILED, 5)
    assert play.begin(5.0)
    play.abandon(5.5)
    assert [play.begin(5.5), play.begin(5.5)] == [True, False]


@pytest.mark.parametrize("outcome", [FAILED, GOOD])
def test_what_was_in_flight_when_it_opened_decides_nothing(outcome: Outcome) -> None:
    """Neither the trial nor the time that it is open."""
    play = playing("seed-002-breaker")
    for _ in range(3):
        play.begin(0.0)
    play.calls(0, FAILED, 5)
    play.end(4.0, outcome)
    assert play.begin(5.0)  # not 9.0
    play.end(5.1, outcome)
    assert not play.begin(5.2)  # the trial has not ended
    play.abandon(5.3)
    assert not play.begin(5.4)


# Hystrix


def test_hystrix_judges_when_a_snapshot_is_complete_and_not_before() -> None:
    """20 failures at once, and all that come in the same half second go out."""
    play = playing("hystrix-1.5")
    assert play.calls(0.0, FAILED, 20) == 20
    assert play.calls(0.49, FAILED, 50) == 50
    assert not play.begin(0.5)


def test_hystrix_needs_20_attempts_and_half_of_them_failed() -> None:
    """19 failures do not open it; 10 of 20 do; 9 of 20 do not."""
    for failed, good, opens in [(19, 0, False), (10, 10, True), (9, 11, False), (12, 13, False)]:
        play = playing("hystrix-1.5")
        play.calls(0.0, FAILED, failed)
        play.calls(0.0, GOOD, good)
        assert play.begin(0.5) is not opens


def test_hystrix_forgets_after_ten_seconds() -> None:
    """Then 20 successes that hid 20 failures are gone, and it opens with nothing new."""
    play = playing("hystrix-1.5")
    play.calls(0.0, GOOD, 21)
    play.calls(5.0, FAILED, 20)
    assert play.begin(10.4)  # 20 of 41
    play.abandon(10.4)
    assert not play.begin(10.6)  # 20 of 20, judged when the first snapshot left: at 10.5
    assert not play.begin(15.5)
    assert play.begin(15.6)


def test_hystrix_opens_and_lets_one_out_after_more_than_five_seconds() -> None:
    """From the snapshot on at which it opened."""
    play = playing("hystrix-1.5")
    play.calls(0.0, FAILED, 20)
    assert not play.begin(5.5)
    assert [play.begin(5.6), play.begin(5.6), play.begin(60)] == [True, False, False]
    play.end(60, FAILED)
    assert [play.begin(65), play.begin(65.1)] == [False, True]


def test_hystrix_forgets_what_was_before_when_it_closes() -> None:
    """The probe's success and one failure are two attempts, not 22 of which 21 failed."""
    play = playing("hystrix-1.5")
    play.calls(0.0, FAILED, 20)
    assert play.call(5.6, GOOD)
    assert play.call(5.6, FAILED)
    assert play.begin(6.2)


def test_an_attempt_from_before_decides_a_half_open_hystrix() -> None:
    """A late success closes it though the trial is still in flight."""
    play = playing("hystrix-1.5")
    play.begin(0.0)
    play.calls(0.0, FAILED, 20)
    assert play.begin(5.6)
    assert not play.begin(5.6)
    play.end(5.7, GOOD, 0)
    assert play.calls(5.7, GOOD, 100) == 100


def test_a_cancelled_command_reopens_a_half_open_hystrix() -> None:
    """As its `unsubscribe` does: never half-open for ever."""
    play = playing("hystrix-1.5")
    play.calls(0.0, FAILED, 20)
    play.begin(5.6)
    play.abandon(6.0)
    assert [play.begin(11.0), play.begin(11.1)] == [False, True]


# resilience4j


def test_resilience4j_judges_from_the_hundredth_call_on() -> None:
    """99 failures do not open it; 50 of 100 do; 49 of 100 do not."""
    play = playing("resilience4j-2-breaker")
    assert play.calls(0, FAILED, 1000) == 100
    for failed, opens in [(50, True), (49, False)]:
        play = playing("resilience4j-2-breaker")
        play.calls(0, GOOD, 100 - failed)
        play.calls(0, FAILED, failed)
        assert play.begin(0) is not opens


def test_resilience4j_forgets_the_oldest_call() -> None:
    """Of a window of four, with one failure in it until a fifth success comes."""
    play = playing("resilience4j-2-breaker", window_size=4)
    play.call(0, FAILED)
    play.calls(0, GOOD, 4)
    play.call(0, FAILED)  # 1 of 4
    assert play.begin(0)
    play.end(0, FAILED)  # 2 of 4
    assert not play.begin(0)


def test_resilience4j_counts_by_whole_seconds_where_the_window_is_of_time() -> None:
    """Of 10 s: calls of second 0 are there until second 9 is over."""
    for later_s, opens in [(9.9, True), (10.0, False)]:
        play = playing(
            "resilience4j-2-breaker", window_type="time", window_size=10, minimum_calls=10
        )
        play.calls(0.9, FAILED, 9)
        play.call(later_s, FAILED)
        assert play.begin(later_s) is not opens


def test_resilience4j_opens_by_slow_calls_too() -> None:
    """Above, not at, the time; a slow success is one."""
    slow, quick = Outcome(status=200, elapsed_s=2.01), Outcome(status=200, elapsed_s=2.0)
    for outcome, opens in [(slow, True), (quick, False)]:
        play = playing("resilience4j-2-breaker", window_size=10, slow_call="2s")
        play.calls(0, outcome, 10)
        assert play.begin(0) is not opens


def test_resilience4j_lets_ten_out_half_open_and_judges_when_all_have_reported() -> None:
    """Five of ten failed: open again. Four: closed."""
    for failed, opens in [(5, True), (4, False)]:
        play = playing("resilience4j-2-breaker")
        play.calls(0, FAILED, 100)
        assert not play.begin(60)
        assert [play.begin(60.1) for _ in range(12)] == [True] * 10 + [False] * 2
        for n in range(10):
            assert not play.begin(61)
            play.end(61, FAILED if n < failed else GOOD)
        assert play.begin(61) is not opens


def test_resilience4j_judges_half_open_by_fewer_where_fewer_are_enough() -> None:
    """`minimum_calls` of 3 with 10 permitted: after three."""
    play = playing("resilience4j-2-breaker", minimum_calls=3)
    play.calls(0, FAILED, 3)
    assert play.calls(60.1, GOOD, 3) == 3
    assert [play.begin(60.1) for _ in range(20)] == [True] * 20


def test_resilience4j_gets_the_permit_of_an_abandoned_call_back() -> None:
    """resilience4j#544: without it, no trial ever again."""
    play = playing("resilience4j-2-breaker", permitted_in_half_open=1)
    play.calls(0, FAILED, 100)
    for now_s in range(61, 71):
        assert [play.begin(now_s), play.begin(now_s)] == [True, False]
        play.abandon(now_s)


def test_resilience4j_opens_again_when_half_open_takes_too_long() -> None:
    """By itself, at the end of that time; by default never."""
    stuck = playing("resilience4j-2-breaker", permitted_in_half_open=1)
    limited = playing(
        "resilience4j-2-breaker", permitted_in_half_open=1, max_wait_in_half_open="5s"
    )
    for play in (stuck, limited):
        play.calls(0, FAILED, 100)
        assert play.begin(60.5)
    assert not limited.begin(125.4)
    assert limited.begin(125.6)
    assert not stuck.begin(1e6)


def test_resilience4j_can_stay_open_longer_after_each_failed_trial() -> None:
    """Spring's exponential wait in the open state: 1, 2, 4, 4 s."""
    play = playing(
        "resilience4j-2-breaker",
        window_size=1,
        permitted_in_half_open=1,
        wait_in_open="1s",
        wait_in_open_multiplier=2,
        max_wait_in_open="4s",
    )
    now_s = 0.0
    play.call(now_s, FAILED)
    for open_s in (1, 2, 4, 4):
        assert not play.begin(now_s + open_s)
        now_s += open_s + 0.01
        assert play.call(now_s, FAILED)


def test_resilience4j_half_open_by_a_timer_counts_what_comes_late() -> None:
    """Half-open with no call of its own, a late failure opens it again for another minute."""
    for automatic, let_out in [(True, False), (False, True)]:
        play = playing(
            "resilience4j-2-breaker",
            permitted_in_half_open=1,
            automatic_half_open=automatic,
        )
        play.begin(0)
        play.calls(0, FAILED, 100)
        play.end(60.5, FAILED)
        assert play.begin(61) is let_out


def test_resilience4j_retries_what_its_breaker_does_not_permit() -> None:
    """The default order and predicate: waits and attempts are spent, nothing is sent."""
    policy = preset("resilience4j-2-retry-breaker", window_size=1).build()
    assert drive(policy, [FAILED]).waits == [0.5, 0.5]
    driven = drive(policy, [], start_s=10)
    assert (driven.attempts, driven.waits) == (0, [0.5, 0.5])
    assert driven.reason is StopReason.OUT_OF_ATTEMPTS
    wise = preset("resilience4j-2-retry-breaker", window_size=1, retry_not_permitted=False).build()
    drive(wise, [FAILED])
    assert drive(wise, [], start_s=10).reason is StopReason.BREAKER


# Polly


def test_polly_opens_on_a_failure_with_100_attempts_in_30_s_and_a_tenth_failed() -> None:
    """89 good ones and 11 failures; 91 good ones and 9 are too few."""
    play = playing("polly-8-breaker")
    play.calls(0, GOOD, 89)
    assert play.calls(0, FAILED, 20) == 11
    play = playing("polly-8-breaker")
    play.calls(0, GOOD, 91)
    assert play.calls(0, FAILED, 30) == 11  # the eleventh is the first of which a tenth failed


def test_polly_samples_in_ten_windows() -> None:
    """Each begins with what comes first in it, and is forgotten 30 s after."""
    for now_s, opens in [(31.9, True), (32.0, False)]:
        play = playing("polly-8-breaker")
        play.calls(2.0, FAILED, 50)
        play.calls(4.9, FAILED, 49)  # in the window of 2.0
        play.call(now_s, FAILED)
        assert play.begin(now_s) is not opens


def test_polly_lets_one_probe_out_after_the_break() -> None:
    """At 5 s, and nobody else however long it takes; failed, another 5 s; good, closed."""
    play = playing("polly-8-breaker")
    play.calls(0, FAILED, 100)
    assert not play.begin(4.99)
    assert [play.begin(5.0), play.begin(5.0), play.begin(100.0)] == [True, False, False]
    play.end(100, FAILED)
    assert not play.begin(104.9)
    assert play.call(105, GOOD)
    assert play.calls(105, FAILED, 200) == 100  # the samples were forgotten


@pytest.mark.parametrize("ends", ["abandoned", "not handled"])
def test_polly_is_not_half_open_for_ever(ends: str) -> None:
    """App-vNext/Polly#1979: a probe that is cancelled, or ends as no failure, closes it."""
    play = playing("polly-8-breaker")
    play.calls(0, FAILED, 100)
    play.begin(5.0)
    if ends == "abandoned":
        play.abandon(6.0)
    else:
        play.end(6.0, Outcome(status=404))
    assert play.calls(6.0, GOOD, 10) == 10


# All of them


def _guards() -> list[tuple[Guard, int | None]]:
    """Small ones, each with how many it lets out half-open; None: as many as like."""
    quick = Spells(open_s=1.0)
    timed = Spells(1.0, 2.0, 4.0, half_open_s=2.0, by_itself=True)
    return [
        (ConsecutiveBreaker(2, 1.0, 2.0, 4.0), 1),
        (HystrixBreaker(2, 0.5, 2.0, 0.5, 1.0), 1),
        (Resilience4jBreaker(Thresholds(False, 4, 3, permitted=3), quick), 3),
        (Resilience4jBreaker(Thresholds(True, 4, 3, permitted=3), quick), 3),
        (PollyBreaker(0.5, 2, 2.0, 1.0), 1),
        (PyBreaker(2, 1.0), 1),
        (Resilience4jBreaker(Thresholds(False, 4, 2, permitted=3), timed), None),
        (AioBreaker(2, 1.0), None),
        (AdaptiveThrottle(2.0, 5.0), None),
        (AdmissionControl(window_s=3), None),
    ]


_STEPS = st.one_of(
    st.sampled_from([0.0, 0.125, 0.5, 1.0, 1.125, 3.0]),
    st.floats(min_value=-1e9, max_value=1e9, allow_nan=False),
)
_EVENTS = st.lists(
    st.tuples(_STEPS, st.sampled_from(["begin", "begin", "good", "failed", "abandon"])), max_size=80
)


@pytest.mark.parametrize("which", range(len(_guards())))
@given(events=_EVENTS, seed=st.integers(0, 2**32))
def test_no_clock_breaks_a_guard(which: int, events: list[tuple[float, str]], seed: int) -> None:
    """Whatever the clock does, back as well: it answers, and its delays can be waited."""
    guard, _ = _guards()[which]
    rng, now_s, permits = Random(seed), 0.0, []
    for step_s, event in events:
        now_s += step_s
        if event == "begin":
            admission = guard.admit(now_s, rng)
            if isinstance(admission, Admitted):
                permits.append(admission.permit)
            elif isinstance(admission, Delayed):
                assert 0 < admission.seconds <= 1
        elif permits:
            permit = permits.pop(rng.randrange(len(permits)))
            if event == "abandon":
                guard.released(now_s, permit)
            else:
                guard.observed(now_s, GOOD if event == "good" else FAILED, permit)
    assert guard.describe()


@pytest.mark.parametrize("which", [0, 1, 2, 3, 4, 5])
@given(events=_EVENTS, seed=st.integers(0, 2**32))
def test_half_open_never_lets_out_more_than_its_permits(
    which: int, events: list[tuple[float, str]], seed: int
) -> None:
    """Attempts in flight that were let out since it was last closed: 1, or resilience4j's 3.

    Nothing is in flight when it opens, and those given up make room for others.
    """
    guard, permitted = _guards()[which]
    rng, now_s, on_trial, closed = Random(seed), 0.0, [], True
    for step_s, event in events:
        now_s += max(0.0, step_s)
        if closed:
            admission = guard.admit(now_s, rng)
            if isinstance(admission, Admitted):
                guard.observed(now_s, FAILED, admission.permit)
            else:
                closed = False
        elif event == "begin":
            admission = guard.admit(now_s, rng)
            if isinstance(admission, Admitted):
                on_trial.append(admission.permit)
                assert permitted is not None
                assert len(on_trial) <= permitted
        elif on_trial and event in ("failed", "abandon"):
            permit = on_trial.pop()
            if event == "abandon" and which != 4:  # there it closes Polly's
                guard.released(now_s, permit)
            else:
                guard.observed(now_s, FAILED, permit)


def test_what_is_a_failure_can_be_set() -> None:
    """A 404 opens none by default, and does where it says so."""
    missing = Outcome(status=404)
    assert playing("seed-002-breaker").calls(0, missing, 10) == 10
    assert playing("seed-002-breaker", failure_statuses=[404]).calls(0, missing, 10) == 5
