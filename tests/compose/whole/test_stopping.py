"""`docker compose stop`: the last test of the folder, as nothing is up afterwards."""

import pytest

from tests.compose.stack import Stack, lines_of
from tests.loadtests.live import attempts_by_lane, of_kind
from tests.real import eventually

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]


def test_stopping_the_stack_closes_the_record_of_a_running_test(stack: Stack) -> None:
    """Within the grace period, or the exit code is 137. Workers' last counts are in it.

    The report is there too, or how to make it is said.
    """
    record = stack.start(dips="")
    eventually(lambda: len(of_kind(lines_of(record), "requests")) > 4, "some seconds of requests")
    stack.compose("stop")
    lines = lines_of(record)
    assert lines[-1]["kind"] == "end"
    # Nothing arrived that was not counted, unless it says so.
    said = stack.compose("logs", "--no-log-prefix", "locust")
    sent, offered = attempts_by_lane(lines)
    uncounted = any(offered[lane] > sent[lane] for lane in offered)
    assert not uncounted or "the last counts of" in said, (sent, offered)
    there = (record.parent / "report.html").exists()
    assert there or f"no report yet: aftershock report /runs/{record.parent.name}" in said
    ended = [(container["Service"], container["ExitCode"]) for container in stack.containers()]
    # 143: a worker whose master was gone had just been started again.
    assert {code for service, code in ended if service == "worker"} <= {0, 143}
    assert {code for service, code in ended if service not in {"worker", "grafana"}} == {0}, ended
