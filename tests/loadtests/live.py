"""What the live tests share: a target, short tests, and a look at what they leave behind."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aftershock_units import format_rate
from loadtests.processes import start_target
from tests.target_service.live import clean_environment

LIMIT_S = 60
LOCUSTFILE = Path(__file__).parents[2] / "loadtests" / "locustfile.py"

Line = dict[str, object]


@contextmanager
def a_target(folder: Path, capacity_per_s: float = 100.0) -> Iterator[str]:
    """The URL of a target on a free port."""
    settings = {"capacity": format_rate(capacity_per_s)}
    process, url = start_target(settings, "", folder / "target.log")
    with process:
        yield url


def locust(folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Locust in `folder` to its end, with these variables in its environment."""
    return subprocess.run(
        [sys.executable, "-m", "locust", *options],
        cwd=folder,
        env=clean_environment(**variables),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def the_record(runs: Path) -> list[Line]:
    """The lines of the only record in `runs`."""
    [path] = runs.glob("*/record.ndjson")
    return [json.loads(line) for line in path.read_text().splitlines()]


def of_kind(lines: list[Line], kind: str) -> list[Line]:
    """The lines of one kind."""
    return [line for line in lines if line["kind"] == kind]


def attempts_by_lane(lines: list[Line]) -> tuple[Counter[str], Counter[str]]:
    """Attempts by lane: as the clients counted them, and as the target metered them."""
    sent: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    for line in of_kind(lines, "requests"):
        sent[str(line["lane"])] += int(str(line["attempts"]))
    for line in of_kind(lines, "tick"):
        counts = line["offered"]
        assert isinstance(counts, list)
        offered[str(line["lane"])] += sum(counts)
    return sent, offered


def failures_of(line: Line) -> int:
    """How many requests of a bin failed."""
    assert isinstance(line["failed"], dict)
    return sum(line["failed"].values())


def check_attempts(lines: list[Line]) -> tuple[Counter[str], Counter[str]]:
    """Attempts by lane, as above: as many arrived as were sent, but for what the end cut off.

    Clients count an attempt before they send it, so none arrives that is not counted. One that did
    not arrive was on its way when the load ended, so that its request has no end: each has one at
    most, as long as nobody hedges.
    """
    sent, offered = attempts_by_lane(lines)
    unfinished: Counter[str] = Counter()
    for line in of_kind(lines, "requests"):
        ended = int(str(line["succeeded"])) + failures_of(line)
        unfinished[str(line["lane"])] += int(str(line["issued"])) - ended
    for lane in sent | offered:
        assert offered[lane] <= sent[lane] <= offered[lane] + unfinished[lane], lane
    return sent, offered


def processes_with(variable: str, value: str) -> list[int]:
    """The processes that have this in their environment."""
    wanted = f"{variable}={value}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if wanted in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found
