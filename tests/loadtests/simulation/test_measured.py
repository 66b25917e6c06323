"""What is compared from run to run is what the report says."""

import numpy as np
import pytest

from loadtests.scenario import parse_scenario
from loadtests.simulation.engines import simulate
from loadtests.simulation.measured import measure, unanswered
from loadtests.simulation.metered import Clients, record_of
from reports.summary import fold
from tests.loadtests.simulation.test_recording import BRIEF, IN_TICKS, QUEUEING, REJECTING, run_of

UNDISTURBED: dict[str, object] = {**BRIEF, "name": "calm", "dips": []}


@pytest.mark.parametrize(
    "values", [REJECTING, QUEUEING, IN_TICKS, UNDISTURBED], ids=lambda v: v["name"]
)
def test_the_figures_are_those_of_the_report(values: dict[str, object]) -> None:
    """Measured without what is drawn, and no other way."""
    run = run_of(values)
    for measured, recovery in zip(measure(run), fold(record_of(run)).policies, strict=True):
        after = recovery.after
        assert (measured.lane, measured.policy) == (recovery.lane, recovery.policy)
        assert measured.peak_per_s == recovery.peak_per_s
        assert (measured.attempts, measured.requests) == (recovery.attempts, recovery.requests)
        assert (measured.failed, measured.amplification) == (
            recovery.failed,
            recovery.amplification,
        )
        if after is None:
            assert (measured.recovered, measured.settled_s, measured.observed_s) == (True, None, 0)
            continue
        for name in ("first_fit_s", "settled_s", "recovered", "goodput_back_s", "observed_s"):
            assert getattr(measured, name) == getattr(after, name)
        assert measured.storm_attempts == after.storm_attempts
        assert measured.relapses == len(after.relapses)


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


DEAD: dict[str, object] = {
    "warm_up": "2s",
    "observation": "0s",
    "load": {"rate": "10/s", "timeout": "500ms"},
    "target": {"capacity": "20/s"},
    "policies": [{"name": "tenacity-9-exponential"}],
    "dips": [{"capacity": "0%", "for": "4s"}],
}


def test_who_retries_for_ever_and_is_never_answered_has_not_failed_but_is_unserved() -> None:
    """The capacity is gone to the end: nobody fails, and nobody is served."""
    [measured] = measure(simulate(parse_scenario(DEAD)))
    assert (measured.failed, measured.failed_share) == (0, 0.0)
    assert measured.unanswered == 35  # of 4 s less the timeout
    assert measured.unanswered_share == measured.unserved_share == 35 / 60
