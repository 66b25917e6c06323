"""A target is watched through whatever becomes of it: gone, back, restarted, reset, another."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from faults.admin import AdminError, AdminUnreachableError, NotATargetError
from faults.wire import TargetState
from loadtests.control_room.metered.watching import Watching
from tests.loadtests.control_room.metered import BORN_S, EPOCH_S, OFFSET_S, FakeTarget
from tests.reports.synthetic import Made, Shape, plain, storm

RUN = Made([Shape("a", plain(storm(30)))], planned_end_s=None, end=None)


@dataclass
class Scene:
    """A target, our clock, and who watches."""

    target: FakeTarget
    watching: Watching

    def pass_ticks(self, ticks: int) -> None:
        """Time passes at both, then the target is polled."""
        self.target.advance(ticks)
        self.watching.poll()

    @property
    def seqs(self) -> int:
        """How many ticks are kept."""
        return self.watching.history.size if self.watching.history else 0


@pytest.fixture
def scene() -> Scene:
    target = FakeTarget(RUN)
    return Scene(target, Watching(lambda: target, lambda: OFFSET_S + target.now_s))


def test_a_poll_takes_what_is_new(scene: Scene) -> None:
    """The first all that is kept."""
    scene.pass_ticks(90)
    assert (scene.watching.reachable, scene.watching.problem, scene.seqs) == (True, None, 90)
    epoch = scene.watching.epoch
    scene.pass_ticks(3)
    assert (scene.seqs, scene.watching.epoch) == (93, epoch)
    assert scene.watching.offset_s == pytest.approx(OFFSET_S)


@pytest.mark.parametrize(
    "error",
    [
        AdminUnreachableError("no target answers at http://target:8000: connection refused"),
        NotATargetError("http://target:8000/admin/state answers 404, but is no Aftershock target"),
        AdminError("http://target:8000/admin/state answers 401: unauthorized: say the token", 401),
    ],
)
def test_what_is_wrong_is_said_in_its_own_words_and_since_when(
    scene: Scene, error: AdminError
) -> None:
    """And it recovers by itself, with what it had."""
    scene.pass_ticks(90)
    epoch = scene.watching.epoch
    scene.target.fails = error
    scene.pass_ticks(10)
    scene.pass_ticks(10)
    assert (scene.watching.reachable, scene.watching.problem) == (False, str(error))
    assert scene.watching.since_epoch_s == pytest.approx(EPOCH_S + 10.0)
    scene.target.fails = None
    scene.pass_ticks(10)
    assert (scene.watching.reachable, scene.watching.problem) == (True, None)
    assert scene.watching.since_epoch_s == pytest.approx(EPOCH_S + 12.0)
    assert (scene.seqs, scene.watching.epoch) == (120, epoch)


def test_a_target_that_was_never_there_has_a_since(scene: Scene) -> None:
    """From the first poll on."""
    scene.target.fails = AdminUnreachableError("no target answers")
    scene.pass_ticks(10)
    assert scene.watching.since_epoch_s == pytest.approx(EPOCH_S + 1.0)
    assert scene.watching.history is None


def test_a_host_that_is_no_url_is_a_problem_too() -> None:
    """A person can type anything into Locust's form."""

    def no_client() -> FakeTarget:
        raise ValueError("'hello' is not a URL")

    watching = Watching(no_client, lambda: EPOCH_S)
    watching.poll()
    assert (watching.reachable, watching.problem) == (False, "'hello' is not a URL")


Change = Callable[[FakeTarget], None]


def restart(target: FakeTarget) -> None:
    """Its clock and its numbers begin anew."""
    target.rows = [replace(row, seq=row.seq - 1000, t_s=row.t_s - BORN_S) for row in target.rows]
    state = target.state

    def restarted() -> TargetState:
        now = state()
        return replace(now, seq=now.seq - 1000, now_s=now.now_s - BORN_S)

    target.state = restarted  # type: ignore[method-assign]


def renumbered(target: FakeTarget) -> None:
    """Only its numbers begin anew."""
    target.rows = [replace(row, seq=row.seq - 1000) for row in target.rows]
    state = target.state
    target.state = lambda: replace(state(), seq=state().seq - 1000)  # type: ignore[method-assign]


def slept(target: FakeTarget) -> None:
    """Its clock stood still, and its numbers with it."""
    state = target.state
    target.state = lambda: replace(state(), now_s=state().now_s - 2.0)  # type: ignore[method-assign]


def reset(target: FakeTarget) -> None:
    """Its dips and lanes are gone; its numbers go on."""
    state = target.state
    target.state = lambda: replace(state(), dips=(), lanes={})  # type: ignore[method-assign]


def moved(target: FakeTarget) -> None:
    """Locust's host is another."""
    target.base_url = "http://another:8000"


@pytest.mark.parametrize("change", [restart, renumbered, slept, reset, moved])
def test_another_target_begins_a_new_epoch(scene: Scene, change: Change) -> None:
    """Nothing of the old one is drawn or judged."""
    scene.pass_ticks(90)
    epoch = scene.watching.epoch
    change(scene.target)
    scene.pass_ticks(3)
    assert scene.watching.epoch != epoch
    assert scene.watching.reachable
    again = scene.watching.epoch
    scene.pass_ticks(1)
    assert scene.watching.epoch == again


def test_a_gap_of_a_few_ticks_is_a_reset(scene: Scene) -> None:
    """Its dips may be planned anew by then, and its lanes be there again."""
    scene.pass_ticks(90)
    epoch = scene.watching.epoch
    scene.target.rows = scene.target.rows[:90] + scene.target.rows[92:]
    scene.pass_ticks(3)
    assert scene.watching.epoch != epoch
    assert scene.seqs == 3


def test_an_absence_that_loses_ticks_is_none(scene: Scene) -> None:
    """The target keeps some minutes: what was drawn stays, what is judged begins anew."""
    scene.pass_ticks(50)
    epoch = scene.watching.epoch
    scene.target.rows = scene.target.rows[:50] + scene.target.rows[200:]
    scene.pass_ticks(200)
    assert scene.watching.epoch == epoch
    assert scene.seqs == 200
    assert scene.watching.history is not None
    assert list(scene.watching.history.indices("1h", 0)) == [10, 12, 13]
