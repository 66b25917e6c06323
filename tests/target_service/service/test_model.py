"""The service model, branch by branch, on times that are exact."""

from collections.abc import Iterable
from random import Random

import pytest

from target_service.service import Abandoned, Fate, Job, QueueModel, ServiceConfig, Verdict
from target_service.service.config import Discipline, Order, ShedFirst
from target_service.service.times import Constant

SECOND = Constant("1s", 1.0)


def model(workers: int = 1, *, app_time: bool = False, **settings: object) -> QueueModel:
    """Workers that take a second each."""
    time = None if app_time else SECOND
    return QueueModel(ServiceConfig(workers, time, **settings), Random(0))  # type: ignore[arg-type]


def arrive(where: QueueModel, at_s: float, job: Job | None = None) -> Job:
    """An attempt that is taken."""
    job = job or Job(1)
    assert where.arrive(job, at_s) is Verdict.TAKEN
    return job


def fates(where: QueueModel, jobs: Iterable[Job]) -> list[tuple[str, float] | None]:
    """What became of these, and when service began; None: nothing, or nobody is there to see."""
    found = {job: (fate.value, job.started_s) for job, fate in where.ended if not job.gone}
    return [found.get(job) for job in jobs]


def test_who_comes_to_a_free_worker_is_served_at_once_and_the_next_waits() -> None:
    """Ends happen at their own instants, however late the caller comes."""
    one = model()
    jobs = [arrive(one, at_s) for at_s in (0.0, 0.25, 0.5)]
    assert (one.busy, one.queue, one.next_s) == (1, 2, 1.0)
    one.advance(10.0)
    assert fates(one, jobs) == [("served", 0.0), ("served", 1.0), ("served", 2.0)]
    assert (one.busy, one.queue, one.next_s) == (0, 0, None)


@pytest.mark.parametrize(("order", "served"), [("fifo", [1, 2, 3]), ("lifo", [3, 2, 1])])
def test_the_discipline_says_who_is_next(order: str, served: list[int]) -> None:
    """The oldest or the newest of those that wait."""
    one = model(discipline=Discipline(Order(order)))
    for number in range(4):
        arrive(one, 0.1 * number, Job(number))
    one.advance(10.0)
    assert [job.attempt for job, _ in one.ended[1:]] == served


def test_what_does_not_fit_is_turned_away() -> None:
    """One in service, two places."""
    one = model(queue=2)
    said = [one.arrive(Job(1), 0.0) for _ in range(4)]
    assert said == [Verdict.TAKEN] * 3 + [Verdict.FULL]
    assert model(0, queue=0).arrive(Job(1), 0.0) is Verdict.FULL


@pytest.mark.parametrize(
    ("rule", "coming", "gone"),
    [
        (ShedFirst.ARRIVING, Job(1, 0), None),
        (ShedFirst.PRIORITY, Job(1, 0), 2),
        (ShedFirst.PRIORITY, Job(1, 5), None),
        (ShedFirst.ATTEMPT, Job(2, 7), 1),
        (ShedFirst.ATTEMPT, Job(3, 0), None),
        (ShedFirst.ATTEMPT, Job(0, 7), 1),
    ],
)
def test_who_goes_when_the_queue_is_full(rule: ShedFirst, coming: Job, gone: int | None) -> None:
    """The least urgent or the latest attempt, of these the newest; equals do not displace."""
    one = model(queue=3, shed_first=rule)
    arrive(one, 0.0)
    waiting = [Job(1, 3), Job(3, 3), Job(1, 5)]
    for job in waiting:
        arrive(one, 0.0, job)
    if gone is None:
        assert one.arrive(coming, 0.5) is Verdict.FULL
        assert one.ended == []
    else:
        arrive(one, 0.5, coming)
        assert one.ended == [(waiting[gone], Fate.SHED)]
    assert one.queue == 3


def test_abandoned_work_is_finished() -> None:
    """The client has gone and nobody is told, but the worker works."""
    one = model(abandoned=Abandoned.FINISH)
    jobs = [arrive(one, 0.0) for _ in range(3)]
    one.leave(jobs[0], 0.5)
    one.leave(jobs[1], 0.5)
    one.advance(10.0)
    assert fates(one, jobs) == [None, None, ("served", 2.0)]


def test_abandoned_work_is_dropped_when_a_worker_would_take_it() -> None:
    """Until then it keeps its place; what is being done is finished."""
    one = model(abandoned=Abandoned.DROP, queue=2)
    jobs = [arrive(one, 0.0) for _ in range(3)]
    one.leave(jobs[0], 0.5)
    one.leave(jobs[1], 0.5)
    assert (one.queue, one.arrive(Job(1), 0.6)) == (2, Verdict.FULL)
    one.advance(10.0)
    assert fates(one, jobs) == [None, None, ("served", 1.0)]


def test_abandoned_work_is_stopped_at_once() -> None:
    """The worker is free at that instant, and so is the place."""
    one = model(abandoned=Abandoned.STOP, queue=2)
    jobs = [arrive(one, 0.0) for _ in range(3)]
    one.leave(jobs[1], 0.25)
    assert one.queue == 1
    one.leave(jobs[0], 0.5)
    assert (one.busy, one.queue, one.next_s) == (1, 0, 1.5)
    one.leave(jobs[0], 0.6)  # again: changes nothing
    one.advance(10.0)
    assert fates(one, jobs) == [None, None, ("served", 0.5)]


def test_a_client_that_goes_after_its_answer_changes_nothing() -> None:
    """However late the caller comes with both."""
    one = model(abandoned=Abandoned.STOP)
    jobs = [arrive(one, 0.0) for _ in range(2)]
    one.leave(jobs[0], 1.5)
    assert one.ended == [(jobs[0], Fate.SERVED)]
    assert (jobs[1].started_s, one.next_s) == (1.0, 2.0)


def test_refusing_costs_a_worker() -> None:
    """Half a service time each, done by the next worker that is free, before all else."""
    one = model(queue=1, turn_away_cost=0.5)
    jobs = [arrive(one, 0.0) for _ in range(2)]
    assert [one.arrive(Job(1), 0.1) for _ in range(2)] == [Verdict.FULL] * 2
    one.advance(10.0)
    assert fates(one, jobs) == [("served", 0.0), ("served", 2.0)]


def test_the_workers_share_what_has_been_refused_while_none_was_free() -> None:
    """Forty refusals are ten service times: with five workers nobody is served for two of them."""
    one = model(workers=5, queue=1, turn_away_cost=0.25)
    one.set_capacity(0, 1.0, 0.0)
    waits = arrive(one, 0.0)
    assert [one.arrive(Job(1), 0.5) for _ in range(40)] == [Verdict.FULL] * 40
    one.set_capacity(5, 1.0, 1.0)
    one.advance(10.0)
    assert fates(one, [waits]) == [("served", 3.0)]


def test_refusing_costs_longer_where_service_is_stretched() -> None:
    """And an expired deadline, or one that waited too long, costs as much as no room."""
    one = model(turn_away_cost=0.5, heed_deadlines=True, max_wait_s=0.5)
    one.set_capacity(1, 4.0, 0.0)
    assert one.arrive(Job(1, deadline_s=0.0), 0.0) is Verdict.EXPIRED
    assert (one.busy, one.next_s) == (1, 2.0)
    old, late = arrive(one, 0.5), arrive(one, 0.6, Job(1, deadline_s=1.9))
    fresh = arrive(one, 1.9)
    for at_s, gone in ((1.9, []), (2.0, [old]), (3.9, [old]), (4.0, [old, late])):
        one.advance(at_s)
        assert [job for job, _ in one.ended] == gone
    one.advance(6.0)
    assert [fate for _, fate in one.ended] == [Fate.SHED, Fate.EXPIRED, Fate.SHED]
    assert (one.ended[2][0], one.next_s) == (fresh, 8.0)


def test_no_work_begins_after_the_deadline() -> None:
    """Turned away as it arrives, refused when a worker takes it; ignored unless heeded."""
    one = model(heed_deadlines=True)
    jobs = [arrive(one, 0.0), arrive(one, 0.0, Job(1, deadline_s=1.0)), arrive(one, 0.0)]
    assert one.arrive(Job(1, deadline_s=0.5), 0.5) is Verdict.EXPIRED
    one.advance(10.0)
    assert fates(one, jobs) == [("served", 0.0), ("expired", 0.0), ("served", 1.0)]
    careless = model()
    arrive(careless, 0.0)
    late = arrive(careless, 0.0, Job(1, deadline_s=0.1))
    careless.advance(10.0)
    assert fates(careless, [late]) == [("served", 1.0)]


def test_what_waited_too_long_is_shed_when_a_worker_is_free() -> None:
    """Just the longest wait that is allowed is not too long."""
    one = model(max_wait_s=0.5)
    jobs = [arrive(one, 0.0), arrive(one, 0.25), arrive(one, 0.5)]
    one.advance(10.0)
    assert fates(one, jobs) == [("served", 0.0), ("shed", 0.0), ("served", 1.0)]


def test_what_waited_too_long_takes_nobodys_place() -> None:
    """A queue served from its new end does not fill up with what is to be shed."""
    one = model(max_wait_s=0.5, queue=2, discipline=Discipline(Order.LIFO))
    arrive(one, 0.0)
    old = [arrive(one, 0.1), arrive(one, 0.2)]
    new = [arrive(one, 0.65), arrive(one, 0.8)]
    assert one.ended == [(old[0], Fate.SHED), (old[1], Fate.SHED)]
    one.advance(10.0)
    assert one.ended[-2:] == [(new[1], Fate.SERVED), (new[0], Fate.SHED)]
    assert new[1].started_s == 1.0


def codel_model() -> QueueModel:
    """A worker of a second; 2 s to wait in a queue that stands for 5 s, else 5 s."""
    return model(discipline=Discipline(Order.CODEL, target_s=2.0, interval_s=5.0))


def test_codel_is_first_come_first_served_until_the_queue_stands() -> None:
    """A burst that drains within the interval is served in order, and all of it."""
    one = codel_model()
    jobs = [arrive(one, 0.1 * number) for number in range(5)]
    one.advance(10.0)
    assert fates(one, jobs) == [("served", float(number)) for number in range(5)]


def test_codel_serves_the_newest_of_a_standing_queue_and_sheds_the_old() -> None:
    """Who comes to a queue that has not been empty for the interval has the target to wait."""
    one = codel_model()
    jobs = {at_s: arrive(one, at_s) for at_s in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)}
    jobs[5.05] = arrive(one, 5.05)  # the queue is not empty since 0.1: not for 5 s yet
    jobs[5.2] = arrive(one, 5.2)  # may wait 2 s
    jobs[5.3] = arrive(one, 5.3)  # likewise
    one.advance(6.0)  # oldest, 0.6, has waited 5.4 s: shed. Then the newest.
    assert [job for job, fate in one.ended if fate is Fate.SHED] == [jobs[0.6]]
    assert jobs[5.3].started_s == 6.0
    one.advance(7.0)
    assert jobs[5.2].started_s == 7.0
    one.advance(8.0)
    assert jobs[5.05].started_s == 8.0
    one.advance(9.0)
    assert one.queue == 0
    jobs[20.0], jobs[20.1], jobs[20.2] = (arrive(one, at_s) for at_s in (20.0, 20.1, 20.2))
    one.advance(22.0)  # it was empty: in order again
    assert (jobs[20.1].started_s, jobs[20.2].started_s) == (21.0, 22.0)


def test_codel_sheds_after_the_target_only_in_a_standing_queue() -> None:
    """2.5 s are too long for who came when it stood."""
    one = codel_model()
    for at_s in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5):
        arrive(one, at_s)
    one.set_capacity(0, 1.0, 5.0)
    late = arrive(one, 5.2)
    one.set_capacity(1, 1.0, 7.7)
    assert (late, Fate.SHED) in one.ended


def test_fewer_workers_let_those_finish_that_are_at_work() -> None:
    """And take the next only when there are fewer busy than there may be."""
    two = model(2)
    jobs = [arrive(two, 0.0) for _ in range(4)]
    two.set_capacity(1, 1.0, 0.5)
    assert two.busy == 2
    two.advance(10.0)
    assert fates(two, jobs) == [("served", 0.0), ("served", 0.0), ("served", 1.0), ("served", 2.0)]


def test_without_workers_everybody_waits_until_there_are_some() -> None:
    """The queue then moves at once."""
    one = model()
    one.set_capacity(0, 1.0, 0.0)
    jobs = [arrive(one, 0.0) for _ in range(2)]
    assert (one.busy, one.queue, one.next_s) == (0, 2, None)
    one.set_capacity(2, 1.0, 5.0)
    one.advance(10.0)
    assert fates(one, jobs) == [("served", 5.0), ("served", 5.0)]


def test_a_stretch_is_also_for_what_is_left_of_service_that_has_begun() -> None:
    """Half a second of work is two at a stretch of 4, of which half an hour of dip is soon over.

    What ends at the very instant of a change ends first in the tick that begins with it.
    """
    one = model()
    jobs = [arrive(one, 0.0) for _ in range(3)]
    one.set_capacity(1, 4.0, 0.5)
    one.advance(0.9)
    assert one.next_s == 2.5
    one.set_capacity(1, 2.0, 2.5)
    one.advance(2.5)
    assert (one.busy, one.next_s) == (1, 4.5)
    one.set_capacity(1, 3600.0, 3.5)
    assert one.next_s == 3.5 + 1800.0
    one.set_capacity(1, 1.0, 3.6)
    one.advance(10.0)
    starts = [job.started_s for job in jobs]
    assert starts == pytest.approx([0.0, 2.5, 3.6 + 0.5 - 0.1 / 3600])


def test_what_refusing_costs_is_as_slow_as_service_is_when_it_is_done() -> None:
    """What was refused in a dip is not paid for at the dip's price when the dip is over."""
    one = model(queue=0, turn_away_cost=1.0)
    arrive(one, 0.0)
    one.set_capacity(1, 3600.0, 0.5)
    assert one.arrive(Job(1), 0.5) is Verdict.FULL
    one.set_capacity(1, 1.0, 0.6)
    one.advance(5.0)
    assert (one.busy, one.next_s) == (0, None)


def mean_s(where: QueueModel) -> float | None:
    """The mean service time that is known now."""
    return where.mean_s


def test_the_apps_time_can_be_the_service_time() -> None:
    """The caller says when; the mean is of what was seen."""
    one = model(app_time=True, turn_away_cost=1.0)
    assert one.mean_s is None
    first, second = arrive(one, 0.0), arrive(one, 0.0)
    assert (one.started, one.next_s) == ([first], None)
    one.finish(first, 3.0)
    assert one.started == [first, second]
    one.finish(first, 4.0)  # again: changes nothing
    one.finish(second, 4.0)
    assert (one.busy, mean_s(one)) == (0, 2.0)
    assert [job for job, _ in one.ended] == [first, second]


def test_a_stretch_holds_the_worker_longer_than_the_app() -> None:
    """Two seconds of the app at a stretch of 3 are six."""
    one = model(app_time=True)
    one.set_capacity(1, 3.0, 0.0)
    jobs = [arrive(one, 0.0), arrive(one, 0.0)]
    one.finish(jobs[0], 2.0)
    assert (one.busy, one.next_s) == (1, 6.0)
    one.advance(6.0)
    assert one.started == jobs


def test_work_of_an_app_that_is_stopped_frees_its_worker() -> None:
    """Also where the app was done and the worker only held."""
    one = model(app_time=True, abandoned=Abandoned.STOP)
    one.set_capacity(1, 3.0, 0.0)
    jobs = [arrive(one, 0.0) for _ in range(3)]
    one.leave(jobs[0], 1.0)
    assert one.started == jobs[:2]
    one.finish(jobs[1], 2.0)
    one.leave(jobs[1], 3.0)
    assert (one.started, one.busy, one.next_s) == (jobs, 1, None)


def test_an_abandoned_attempt_is_started_for_the_app_all_the_same() -> None:
    """`finish` means finish."""
    one = model(app_time=True)
    jobs = [arrive(one, 0.0) for _ in range(2)]
    one.leave(jobs[1], 0.5)
    one.finish(jobs[0], 1.0)
    assert one.started == jobs


def test_ends_of_stopped_service_are_not_kept() -> None:
    """However long the first one goes on."""
    one = QueueModel(ServiceConfig(2, Constant("1h", 3600.0), abandoned=Abandoned.STOP), Random(0))
    arrive(one, 0.0)
    for number in range(2000):
        one.leave(arrive(one, 1.0 + number), 1.5 + number)
    assert len(one._ends) < 200
    assert (one.busy, one.next_s) == (1, 3600.0)


@pytest.mark.parametrize("rule", list(ShedFirst))
@pytest.mark.parametrize("order", list(Order))
def test_who_has_left_the_queue_is_not_kept(rule: ShedFirst, order: Order) -> None:
    """However long the oldest and the newest wait on."""
    one = model(0, abandoned=Abandoned.STOP, shed_first=rule, discipline=Discipline(order))
    one.set_capacity(0, 1.0, 0.0)
    arrive(one, 0.0)
    last = arrive(one, 0.0)
    for number in range(2000):
        stays = arrive(one, number * 1e-6, Job(number % 4, number % 8))
        one.leave(last, number * 1e-6)
        last = stays
    waiting = one._waiting
    assert one.queue == 2
    assert max(len(waiting._jobs), *map(len, waiting._ranks.values()), 0) < 300
