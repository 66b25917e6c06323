"""A session waits, gives up and lengthens its steps as it should; the sending is simulated."""

from collections.abc import Callable
from random import Random

import pytest

from loadtests.arrivals import Arrivals
from loadtests.calibration import session
from loadtests.calibration.history import History
from loadtests.calibration.planning import Plan
from loadtests.calibration.request import TargetRequest, parse_request
from loadtests.calibration.session import Session, TargetError
from loadtests.calibration.steps import Step, StepLimits, StepResult
from loadtests.calibration.task import Task
from loadtests.calibration.verdict import Finding
from loadtests.policies.outcome import AttemptError
from loadtests.transport import Response
from tests.loadtests.calibration.servers import Server, measure, queueing, rejecting

REQUEST = parse_request("http://127.0.0.1:1/work", None, "GET", [])
GOOD = Response(200, 0.003)


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, for_s: float) -> None:
        self.now_s += for_s


class Silent:
    """Watches, and says nothing."""

    def __init__(self) -> None:
        self.waited_s: list[float] = []

    def going(self, step: Step, now_s: float, in_flight: int) -> None:
        """Nothing."""

    def recovering(self, waited_s: float) -> None:
        self.waited_s.append(waited_s)

    def done(self, result: StepResult, history: History) -> None:
        """Nothing."""


Play = Callable[..., Session]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """A session with a simulated server, of which `probe` says how single requests are answered."""
    clock = Clock()
    monkeypatch.setattr(session, "time", clock)
    monkeypatch.setattr("gevent.sleep", clock.sleep)

    def play(
        server: Server,
        probe: Callable[[int], Response] = lambda _steps: GOOD,
        max_time_s: float = 600.0,
    ) -> Session:
        class Simulated:
            def __init__(
                self,
                request: TargetRequest,
                timeout_s: float,
                limits: StepLimits,
                arrivals: Arrivals,
            ) -> None:
                self.limits, self._steps, self._rng = limits, 0, Random(1)

            def probe(self) -> Response:
                return probe(self._steps)

            def run(self, step: Step, _show: object) -> StepResult:
                self._steps += 1
                clock.sleep(self.limits.warm_up_s + self.limits.measured_s)
                return measure(server, step, self.limits, self._rng)

            def close(self) -> None:
                """Nothing is open."""

        monkeypatch.setattr(session, "Sender", Simulated)
        return Session(Task(REQUEST, Plan(), max_time_s=max_time_s), Silent())

    return play


def test_a_session_ends_with_its_answer(play: Play) -> None:
    """In about two minutes."""
    verdict = play(rejecting(200.0)).run()
    assert verdict.finding is Finding.SATURATED
    assert verdict.capacity_per_s == pytest.approx(200, rel=0.01)


def test_a_session_ends_with_its_time(play: Play) -> None:
    """What is known by then is told."""
    verdict = play(rejecting(200.0), max_time_s=20.0).run()
    assert verdict.finding is Finding.OUT_OF_TIME
    assert verdict.kept_up_per_s == 40
    assert "within 20 s" in verdict.reason


def test_a_target_that_does_not_come_back_is_not_loaded_further(play: Play) -> None:
    """After the first step that was too much, the sixth."""
    running = play(rejecting(200.0), lambda steps: GOOD if steps < 6 else Response(503, 0.003))
    verdict = running.run()
    assert verdict.finding is Finding.NOT_RECOVERED
    assert len(running.results) == 6
    assert verdict.kept_up_per_s == 160
    assert "30 s after 320/s" in verdict.reason


def test_an_answer_slower_than_the_bound_is_no_recovery(play: Play) -> None:
    """Its queue is still there."""
    running = play(rejecting(200.0), lambda steps: GOOD if steps < 6 else Response(200, 0.9))
    assert running.run().finding is Finding.NOT_RECOVERED


def test_steps_get_longer_where_an_answer_takes_long(play: Play) -> None:
    """200 workers of 2 s are 100/s; a warm-up of 1 s would see no answer at all."""
    running = play(queueing(200, lambda _: 2.0), lambda _: Response(200, 2.0))
    verdict = running.run()
    assert verdict.capacity_per_s == pytest.approx(100, rel=0.01)
    assert running.results[0].measured_s == 4
    assert running.results[1].measured_s == pytest.approx(12)


@pytest.mark.parametrize(
    ("answer", "said", "bad_input"),
    [
        (Response(301, 0.0), "redirect", True),
        (Response(404, 0.0), "answers 404", True),
        (Response(429, 0.0), "answers 429", False),
        (Response(500, 0.0), "answers 500", False),
        (Response(0, 0.0, error=AttemptError.REFUSED), "no answer: refused", False),
    ],
)
def test_what_cannot_be_calibrated_is_not_loaded(
    play: Play, answer: Response, said: str, bad_input: bool
) -> None:
    """Not one step is made."""
    running = play(rejecting(200.0), lambda _: answer)
    with pytest.raises(TargetError, match=said) as refused:
        running.run()
    assert refused.value.bad_input == bad_input
    assert running.results == []
