"""Runs in folders as a live run would leave them, made without one."""

import math
from dataclasses import replace
from pathlib import Path

from loadtests.scenario import Scenario, parse_scenario
from loadtests.simulation.engines import simulate
from loadtests.simulation.lines import lines_of
from loadtests.simulation.metered import Simulated
from loadtests.target_found import wanted_by
from reports.record import RECORD_NAME, Header, Line, encode

SHORT: dict[str, object] = {
    "name": "short",
    "seed": 7,
    "warm_up": "3s",
    "observation": "8s",
    "load": {"rate": "38/s"},
    "target": {"capacity": "40/s"},
    "policies": [{"name": "no-retry"}, {"name": "full-jitter"}],
    "dips": [{"capacity": "20%", "for": "1s"}],
}


def short(**changes: object) -> Scenario:
    """Two policies and a dip, in 12 s."""
    return parse_scenario({**SHORT, **changes})


def played(scenario: Scenario, /, until_s: float = math.inf, **header: object) -> Simulated:
    """The run of a scenario; its header as that of a live run, but for what is said."""
    run = simulate(scenario, until_s=until_s)
    changes = {
        "source": "live",
        "observe_from_s": 1.0,
        "target": wanted_by(scenario),
        **header,
    }
    return replace(run, header=replace(run.header, **changes))  # type: ignore[arg-type]


def write(folder: Path, run: Simulated) -> Path:
    """Its record in a new folder."""
    return write_lines(folder, list(lines_of(run)))


def write_lines(folder: Path, lines: list[Line]) -> Path:
    """These lines as a record in a new folder."""
    folder.mkdir(parents=True)
    text = "".join(encode(line) + "\n" for line in lines)
    (folder / RECORD_NAME).write_text(text)
    return folder


def a_run(tmp_path: Path, /, **header: object) -> Path:
    """The folder of a short run."""
    return write(tmp_path / "run", played(short(), **header))  # type: ignore[arg-type]


def with_header(folder: Path, **changes: object) -> Path:
    """The same run with another header."""
    path = folder / RECORD_NAME
    first, _, rest = path.read_text().partition("\n")
    header = replace(played(short()).header, **changes)  # type: ignore[arg-type]
    assert first.startswith('{"kind":"header"')
    assert isinstance(header, Header)
    path.write_text(f"{encode(header)}\n{rest}")
    return folder
