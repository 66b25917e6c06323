"""The same scenario is the same record, byte for byte."""

import hashlib
import json
import os
import subprocess
import sys

from loadtests.scenario import Scenario, parse_scenario
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.lines import lines_of
from reports.record import encode
from tests.loadtests.simulation.events.scenes import LOAD, QUEUE

VALUES: dict[str, object] = {
    "seed": 11,
    "warm_up": "1s",
    "observation": "2s",
    "load": {**LOAD, "arrivals": "poisson", "deadlines": True},
    "target": {**QUEUE, "retry_after": "1s..3s", "pushback": "50ms..200ms"},
    "policies": [
        {"name": "full-jitter-budget", "scope": "client", "clients": 7},
        {"name": "impatient-users", "lane": "users"},
        {"name": "grpc-a6-hedging", "hedging_delay": "100ms", "layers": ["error-ownership"]},
        {"name": "urllib3-2", "layers": ["grpc-a6", "full-jitter"]},
    ],
    "dips": [{"capacity": "10%", "for": "700ms"}],
    "faults": [
        {"type": "error", "share": "30%", "for": "1s"},
        {"type": "latency", "add": "200ms", "spread": "200ms", "share": "50%", "for": "1s"},
    ],
    "actions": [{"action": "reopen", "at": "1500ms", "every": "200ms", "max_errors": "90%"}],
}


def digest(scenario: Scenario) -> str:
    """Of the record."""
    lines = lines_of(simulate(scenario, Engine.EVENTS))
    return hashlib.sha256("\n".join(map(encode, lines)).encode()).hexdigest()


def test_a_run_is_the_same_every_time_and_in_every_process() -> None:
    """Also where Python hashes strings otherwise."""
    here = digest(parse_scenario(VALUES))
    assert digest(parse_scenario(VALUES)) == here
    code = (
        "import json, sys; from loadtests.scenario import parse_scenario; "
        f"from {__name__} import digest; print(digest(parse_scenario(json.load(sys.stdin))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(VALUES),
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == here


def test_another_seed_is_another_run() -> None:
    """Else the seed would have no effect."""
    assert digest(parse_scenario(VALUES)) != digest(parse_scenario({**VALUES, "seed": 12}))


def test_every_lane_has_the_same_arrivals_whatever_stands_beside_it() -> None:
    """So policies are compared under the same load, and a lane alone is what it is among others."""
    names = ["full-jitter", "impatient-users", "grpc-a6-hedging"]
    run = simulate(beside(names), Engine.EVENTS)
    alone = simulate(beside(names[1:2]), Engine.EVENTS)
    for lane in run.lanes:
        assert lane.clients.issued.tolist() == alone.lanes[0].clients.issued.tolist()
    ours, theirs = alone.lanes[0].metered, run.lanes[1].metered
    assert ours.offered.tolist() == theirs.offered.tolist()
    assert ours.completed.tolist() == theirs.completed.tolist()


def beside(names: list[str]) -> Scenario:
    """Lanes with these policies."""
    return parse_scenario({**VALUES, "policies": [{"name": name} for name in names]})
