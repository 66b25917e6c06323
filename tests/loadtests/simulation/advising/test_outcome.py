"""Who was never answered counts as failed."""

import numpy as np

from loadtests.scenario import parse_scenario
from loadtests.simulation.advising.outcome import run_of, unanswered
from loadtests.simulation.engines import simulate
from loadtests.simulation.metered import Clients


def test_the_unanswered_are_those_that_were_due_long_enough_before_the_end() -> None:
    """Of 10 a tick 3 have no end in the first tick and 5 in the last, which may still get one."""
    clients = Clients(
        issued=np.array([10, 10, 10]),
        succeeded=np.array([5, 8, 5]),
        attempts=np.array([10, 10, 10]),
        failed={"not-retried": np.array([2, 2, 0])},
        latency=np.zeros((0, 3), np.int64),
    )
    assert unanswered(clients, 1) == 3
    assert unanswered(clients, 0) == 8
    assert unanswered(clients, 5) == 0


def test_who_retries_for_ever_and_is_never_answered_has_failed() -> None:
    """The capacity is gone to the end: nobody is refused, and nobody is served."""
    scenario = parse_scenario(
        {
            "warm_up": "2s",
            "observation": "0s",
            "load": {"rate": "10/s", "timeout": "500ms"},
            "target": {"capacity": "20/s"},
            "policies": [{"name": "tenacity-9-exponential"}],
            "dips": [{"capacity": "0%", "for": "4s"}],
        }
    )
    run = run_of(simulate(scenario))
    assert run.measured.failed == 0
    assert run.unanswered == 35  # of 4 s less the timeout
    assert run.failed_share == 35 / 60
