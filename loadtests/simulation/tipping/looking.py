"""Has the runs played that the searches ask for, in all lanes at once."""

from collections.abc import Callable, Sequence
from itertools import islice, takewhile

from loadtests.simulation.many import Task, play
from loadtests.simulation.measured import Measured
from loadtests.simulation.tipping.lanes import Lane
from loadtests.simulation.tipping.search import Ask, Plan, next_asks
from loadtests.simulation.workers import Workers


def look(
    lanes: Sequence[Lane], plan: Plan, workers: Workers, on_run: Callable[[], None] | None = None
) -> None:
    """Until no search asks for more; `on_run` is told of each run that is done.

    Which process plays which run, and when it is done, changes nothing: each round is complete
    before the next is asked for. Raises `ScenarioError`, `PolicyError` and `WorkersError`.
    """
    while asks := [(lane, ask) for lane in lanes for ask in next_asks(plan, lane.tried)]:
        _round(asks, workers, on_run)


def _round(
    asks: Sequence[tuple[Lane, Ask]], workers: Workers, on_run: Callable[[], None] | None
) -> None:
    """Cut short it counts, of each value, the runs before the first that is missing.

    Not all that are done: those that do not recover take longer. But what is said of a value holds
    after each run, whatever made the runs end there.
    """
    tasks: list[Task] = []
    for lane, ask in asks:
        tasks += lane.tasks(ask)
    done: list[Measured | None] = [None] * len(tasks)
    try:
        for index, measured in workers.each(play, tasks):
            done[index] = measured[0]
            if on_run is not None:
                on_run()
    finally:
        runs = iter(done)
        for lane, ask in asks:
            own = list(islice(runs, ask.runs))
            lane.add(ask.place, [run for run in takewhile(bool, own) if run])
