"""What a proxy in front of a service costs: requests a second with it and without it.

    .venv/bin/python -m benchmarks.proxy

`wrk` (a Debian package) sends as fast as it is answered to a small FastAPI app under uvicorn, and
to nginx where there is one, directly and through `aftershock serve --upstream`, in turns. Only the
ratio is to be trusted: the machine's mood is in both. Service and proxy have one process each; with
a core for each the slower of the two decides, and on a machine that is busy with other things the
CPU time of both together does, which is why that is told too.
"""

import argparse
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from tests.real import found
from tests.target_service.live import LiveTarget, live_target
from tests.target_service.upstream.upstreams import nginx, service

CONNECTIONS = 32
ANSWER = "default_type application/json; return 200 '{\"answer\": 42}';"


@dataclass
class Rates:
    """Requests a second, each measurement's, and the CPU time of service and proxy for each."""

    direct: list[float] = field(default_factory=list)
    through: list[float] = field(default_factory=list)
    service_us: list[float] = field(default_factory=list)
    proxy_us: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """Of neighbours in time."""
        pairs = zip(self.through, self.direct, strict=True)
        return [through / direct for through, direct in pairs]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=5, help="length of one measurement")
    parser.add_argument("--times", type=int, default=3, help="measurements of each")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("benchmarks.proxy: needs wrk: apt-get install wrk")
    console = Console()
    heads = ("service", "direct", "through", "ratio", "its CPU", "proxy's CPU")
    table = Table(*heads, box=None)
    with tempfile.TemporaryDirectory() as folder:
        for name, started in _services(Path(folder)):
            with started as url, live_target("--upstream", url, "--capacity", "1000000/s") as proxy:
                rates = _measure(name, f"{url}/answer", proxy, options, console)
            table.add_row(
                name,
                _spread(rates.direct),
                _spread(rates.through),
                _spread(rates.ratios, 2),
                _spread(rates.service_us),
                _spread(rates.proxy_us),
            )
    load, cores = os.getloadavg()[0], os.cpu_count()
    console.print(f"{cores} cores, load {load:.1f} at the end; {CONNECTIONS} connections")
    console.print("median (least to most); requests a second, and µs of CPU for each:")
    console.print(table)


def _services(folder: Path) -> Iterator[tuple[str, contextlib.AbstractContextManager[str]]]:
    yield "FastAPI", service()
    if found("nginx") is None:
        print("no nginx on this machine: not measured in front of one", file=sys.stderr)
    else:
        yield "nginx", _nginx(folder)


@contextlib.contextmanager
def _nginx(folder: Path) -> Iterator[str]:
    with nginx(folder, f"location / {{ {ANSWER} }}") as port:
        yield f"http://127.0.0.1:{port}"


def _measure(
    name: str, url: str, proxy: LiveTarget, options: argparse.Namespace, console: Console
) -> Rates:
    rates, process = Rates(), psutil.Process(proxy.process.pid)
    services = [child for child in psutil.Process().children(recursive=True) if child != process]
    for warm in (url, f"{proxy.url}/answer"):
        _wrk(warm, 1)
    for number in range(options.times):
        console.print(f"{name}: {number + 1} of {options.times}", style="dim")
        before_s = _cpu_s(*services)
        answered = _wrk(url, options.seconds)
        rates.direct.append(answered / options.seconds)
        rates.service_us.append((_cpu_s(*services) - before_s) / answered * 1e6)
        before_s = _cpu_s(process)
        answered = _wrk(f"{proxy.url}/answer", options.seconds)
        rates.through.append(answered / options.seconds)
        rates.proxy_us.append((_cpu_s(process) - before_s) / answered * 1e6)
    return rates


def _wrk(url: str, seconds: int) -> int:
    """Answers in so many seconds; all of them must be what the service answers."""
    command = ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", str(seconds), url]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+) requests in", said)
    assert found is not None, said
    assert "Non-2xx" not in said, said
    assert "Socket errors" not in said, said
    return int(found[1])


def _cpu_s(*processes: psutil.Process) -> float:
    times = [process.cpu_times() for process in processes]
    return float(sum(time.user + time.system for time in times))


def _spread(values: list[float], digits: int = 0) -> str:
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:.{digits}f} ({least:.{digits}f}–{most:.{digits}f})"


if __name__ == "__main__":
    main()
