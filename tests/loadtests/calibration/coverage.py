"""How often the interval holds the truth: ``python -m tests.loadtests.calibration.coverage 200``.

The table in docs/calibrate.md comes from here; the tests look at fewer seeds.
"""

import sys
from collections import Counter
from statistics import fmean

from loadtests.calibration.verdict import Verdict
from tests.loadtests.calibration.servers import Server, calibrate, collapsing, queueing, rejecting

SERVERS: dict[str, tuple[Server, float, float]] = {
    "refuses above 200/s": (rejecting(200.0), 200.0, 200.0),
    "10 workers, 100 ms": (queueing(10, lambda _: 0.1), 100.0, 100.0),
    "10 workers, exponential 100 ms": (queueing(10, lambda r: r.expovariate(10)), 100.0, 100.0),
    "50 workers, exponential 400 ms": (queueing(50, lambda r: r.expovariate(2.5)), 125.0, 125.0),
    "collapses above 200/s, as x^-2": (collapsing(200.0, 2.0), 200.0, 200 * 0.98 ** (-1 / 3)),
    "collapses above 200/s, as x^-0.5": (collapsing(200.0, 0.5), 200.0, 200 * 0.98 ** (-1 / 1.5)),
}
"""Each with the lowest and the highest rate that may be called its capacity."""


def holds(verdict: Verdict, low: float, high: float) -> bool:
    """Whether the interval reaches into what is true."""
    return (verdict.low_per_s or 0) <= high and low <= (verdict.high_per_s or 0)


def main(seeds: int) -> None:
    """Print a row for each server."""
    print("| server | answers | held | estimate ÷ truth | interval | steps |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (server, low, high) in SERVERS.items():
        runs = [calibrate(server, seed) for seed in range(seeds)]
        found = [verdict for verdict, _ in runs if verdict.trusted]
        kinds = Counter(verdict.finding.value for verdict in found)
        ratios = [(verdict.capacity_per_s or 0) / low for verdict in found]
        widths = [((v.high_per_s or 0) - (v.low_per_s or 0)) / 2 / low for v in found]
        held = fmean(holds(verdict, low, high) for verdict in found)
        said = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        print(
            f"| {name} | {said} | {held:.1%} | {min(ratios):.3f}–{max(ratios):.3f} "
            f"| ±{fmean(widths):.1%} | {fmean(len(steps) for _, steps in runs):.0f} |"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
