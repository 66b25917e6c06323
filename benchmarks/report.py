"""What a report of an hour costs: seconds and memory to make, bytes, and seconds to open.

    .venv/bin/python -m benchmarks.report

The hour has ten lanes, ten dips and a storm after each; beside it stands a tenth of it with one
dip. Both take turns several times over. Seconds of CPU depend on the machine, and those of the
clock on its mood too; what an hour costs more than a tenth does so much less. Bytes are exact. A
page is opened by Debian's Chromium, new for each: what its main thread has to do until all is
loaded, and by the clock until something is to be seen, until all is loaded, and until the first
chart is drawn once it is scrolled to.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from reports.record import HTML_NAME, RECORD_NAME, encode
from tests.reports.big import big_record, lines_of

HOUR_S = 3600
MB = 1e6
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd / 1000"


@dataclass
class Cost:
    """Of one record, each measurement's: seconds, and megabytes of memory at most."""

    cpu_s: list[float] = field(default_factory=list)
    clock_s: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    loading_cpu_s: list[float] = field(default_factory=list)
    painted_s: list[float] = field(default_factory=list)
    loaded_s: list[float] = field(default_factory=list)
    chart_s: list[float] = field(default_factory=list)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=3, help="measurements of each")
    options = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        runs = [_written(Path(folder) / "hour", 10), _written(Path(folder) / "tenth", 1)]
        costs = [Cost(), Cost()]
        for number in range(options.times):
            console.print(f"{number + 1} of {options.times}", style="dim")
            for run, cost in zip(runs, costs, strict=True):
                _report(run, cost)
        chromium = shutil.which("chromium")
        if chromium is None:
            print("no chromium on this machine: not opened in it", file=sys.stderr)
        else:
            for _ in range(options.times):
                for run, cost in zip(runs, costs, strict=True):
                    _open(run / HTML_NAME, chromium, cost)
        console.print(
            f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end; "
            "median (least to most):"
        )
        console.print(_table(runs, costs))


def _written(folder: Path, dips: int) -> Path:
    """A run of six minutes for each dip."""
    folder.mkdir()
    record = big_record(dips=dips, length_s=HOUR_S * dips // 10)
    with (folder / RECORD_NAME).open("w", encoding="utf-8") as file:
        file.writelines(encode(line) + "\n" for line in lines_of(record))
    return folder


def _report(run: Path, cost: Cost) -> None:
    """In a process of its own, whose memory is not ours."""
    began_s = time.monotonic()
    command = [sys.executable, "-m", "reports", str(run)]
    with Path(os.devnull).open("wb") as nowhere:
        child = os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)],
        )
        _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    cost.clock_s.append(time.monotonic() - began_s)
    cost.cpu_s.append(used.ru_utime + used.ru_stime)
    cost.memory_mb.append(used.ru_maxrss * 1024 / MB)


def _open(page: Path, chromium: str, cost: Cost) -> None:
    with sync_playwright() as playwright:
        # As root, Chromium has no sandbox.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 860})
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        tab.goto(page.as_uri())
        told = session.send("Performance.getMetrics")["metrics"]
        cost.loading_cpu_s.append(
            sum(one["value"] for one in told if one["name"] == "TaskDuration")
        )
        cost.painted_s.append(float(tab.evaluate(PAINTED)))
        cost.loaded_s.append(float(tab.evaluate(LOADED)))
        began_s = time.monotonic()
        chart = tab.locator("[data-figure]").first
        chart.scroll_into_view_if_needed()
        chart.locator(".main-svg").first.wait_for()
        cost.chart_s.append(time.monotonic() - began_s)
        browser.close()


def _table(runs: list[Path], costs: list[Cost]) -> Table:
    table = Table("", "an hour", "a tenth", "ratio", box=None)
    sizes: list[tuple[str, Callable[[Path], int]]] = [
        ("record, MB", lambda run: (run / RECORD_NAME).stat().st_size),
        ("page, MB", lambda run: (run / HTML_NAME).stat().st_size),
        ("page without plotly, MB", lambda run: (run / HTML_NAME).stat().st_size - _plotly()),
    ]
    for name, size in sizes:
        hour, tenth = (size(run) / MB for run in runs)
        table.add_row(name, f"{hour:.2f}", f"{tenth:.2f}", f"{hour / tenth:.1f}")
    rows: list[tuple[str, Callable[[Cost], list[float]]]] = [
        ("aftershock report, s of CPU", lambda cost: cost.cpu_s),
        ("aftershock report, s", lambda cost: cost.clock_s),
        ("aftershock report, MB at most", lambda cost: cost.memory_mb),
        ("page: loaded, s of CPU", lambda cost: cost.loading_cpu_s),
        ("page: something to be seen, s", lambda cost: cost.painted_s),
        ("page: loaded, s", lambda cost: cost.loaded_s),
        ("page: first chart scrolled to, s", lambda cost: cost.chart_s),
    ]
    for name, values in rows:
        hour_of, tenth_of = (values(cost) for cost in costs)
        if hour_of:
            ratio = statistics.median(hour_of) / statistics.median(tenth_of)
            table.add_row(name, _spread(hour_of), _spread(tenth_of), f"{ratio:.1f}")
    return table


def _plotly() -> int:
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - most of a second

    return len(get_plotlyjs().encode())


def _spread(values: list[float]) -> str:
    digits = 0 if max(values) >= 100 else 2
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:.{digits}f} ({least:.{digits}f}–{most:.{digits}f})"


if __name__ == "__main__":
    main()
