"""What is compared from run to run is what the report says."""

import pytest

from loadtests.simulation.measured import measure
from loadtests.simulation.metered import record_of
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
