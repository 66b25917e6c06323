"""Article 000, the capacity dip: five policies, their peak, attempts, failures and first fit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from loadtests.scenario import Scenario, parse_scenario
from loadtests.simulation.articles.article import Article, Player
from loadtests.simulation.articles.comparison import NEVER, Comparison, Part, Row, among
from loadtests.simulation.articles.percentiles import (
    CONFIDENCE,
    band,
    where_elsewhere,
)
from loadtests.simulation.engines import Engine
from loadtests.simulation.measured import Measured
from loadtests.simulation.ranks import percentile
from loadtests.simulation.stage import TICK_S

FIGURES: dict[str, Callable[[Measured], float]] = {
    "peak": lambda lane: round(lane.peak_per_s * TICK_S),
    "sent": lambda lane: lane.attempts,
    "failed": lambda lane: lane.failed,
    "first fit": lambda lane: _ticks(lane.first_fit_s),
}
LARGE = 1000.0
LARGE_RUNS = 10
"""Of so many loads of 950 a second the runs hardly differ: one in so many of the runs is enough."""
LEFT_OUT = (
    f"\nThe article's table at {LARGE:,.0f} times the load is left out: request by request it "
    "takes too long. --engine ticks plays it."
)


@dataclass(frozen=True, slots=True)
class _Published:
    """The article's one run, its first fit at 1,000 times the load, and that of 300 runs."""

    figures: dict[str, int]
    large_first_fit: int
    first_fits: tuple[int, int]


def _row(peak: int, sent: int, failed: int, first_fit: int) -> dict[str, int]:
    return {"peak": peak, "sent": sent, "failed": failed, "first fit": first_fit}


PUBLISHED = {
    "no-retry": _Published(_row(95, 38000, 1508, 0), 0, (0, 0)),
    "immediate": _Published(_row(356, 44038, 1413, 19), 17, (12, 24)),
    "exponential": _Published(_row(345, 46649, 1213, 65), 62, (46, 71)),
    "full-jitter": _Published(_row(361, 45638, 1299, 48), 41, (32, 49)),
    "full-jitter-budget": _Published(_row(108, 38197, 1495, 1), 0, (0, 3)),
}
RERUN_SEEDS = 300


def scenario(scale: float = 1.0) -> Scenario:
    """400 ticks of 100 ms, 95 requests in each; room for 100 attempts, in ticks 100 to 119 for 20.

    Each attempt of a tick is turned away with the same chance, and clients wait whole ticks.
    """
    jitter = {"step": f"{round(TICK_S * 1000)}ms"}
    return parse_scenario(
        {
            "name": "seed-000",
            "warm_up": "10s",
            "observation": "28s",
            "load": {"rate": "950/s"},
            "target": {"capacity": "1000/s"},
            "dips": [{"capacity": "20%", "for": "2s"}],
            "policies": [
                {"name": "no-retry"},
                {"name": "immediate"},
                {"name": "exponential"},
                {"name": "full-jitter", **jitter},
                {"name": "full-jitter-budget", **jitter},
            ],
            "simulation": {"admits": "by-chance", "scale": scale},
        }
    )


def _play(player: Player) -> Iterable[Part]:
    by_events = player.engine is Engine.EVENTS
    lanes = player.measured(scenario(), player.runs, "runs")
    yield Comparison(
        f"One run as published, and {player.runs} of ours",
        "1st–99th",
        tuple(row for lane, runs in lanes.items() for row in _figures(lane, runs)),
        "Ours is the median. The published run lies within the 1st to 99th percentile of ours.",
    )
    yield Comparison(
        f"First fit, 1st and 99th percentile of {RERUN_SEEDS} runs, and of {player.runs} of ours",
        "by chance",
        tuple(row for lane, runs in lanes.items() for row in _percentiles(lane, runs)),
        f"By chance: where the percentile of {RERUN_SEEDS} other runs of our model lies, with "
        f"{CONFIDENCE:.1%} confidence each; an open end is one that so few runs cannot tell."
        f"{LEFT_OUT if by_events else ''}",
    )
    if not by_events:
        yield _large(player)


def _figures(lane: str, runs: list[Measured]) -> Iterable[Row]:
    for name, figure in FIGURES.items():
        ours = [figure(run) for run in runs]
        yield among(lane, name, PUBLISHED[lane].figures[name], median(ours), band(ours))


def _percentiles(lane: str, runs: list[Measured]) -> Iterable[Row]:
    ours = [_ticks(run.first_fit_s) for run in runs]
    for name, percent, published in zip(
        ("1st percentile", "99th percentile"), (1, 99), PUBLISHED[lane].first_fits, strict=True
    ):
        bounds = where_elsewhere(ours, percent, RERUN_SEEDS)
        yield among(lane, name, published, percentile(ours, percent), bounds)


def _large(player: Player) -> Comparison:
    runs = max(5, player.runs // LARGE_RUNS)
    lanes = player.measured(scenario(LARGE), runs, "large runs")
    rows = []
    for lane, of in lanes.items():
        ours = [_ticks(run.first_fit_s) for run in of]
        bounds = min(ours), max(ours)
        rows.append(among(lane, "first fit", PUBLISHED[lane].large_first_fit, median(ours), bounds))
    return Comparison(
        f"At {LARGE:,.0f} times the load and capacity, and {runs} of ours",
        "all of ours",
        tuple(rows),
    )


def _ticks(seconds: float | None) -> float:
    return NEVER if seconds is None else round(seconds / TICK_S)


SEED_000 = Article(
    name="seed-000",
    title="a dip of two seconds, and how long five policies keep the load up after it",
    source='article 000, "Retry Storms: How Client Retries Turn a Short Dip into a Long Outage"',
    units="peak: attempts in the busiest tick; sent: attempts; failed: requests; first fit: ticks "
    "of 100 ms",
    runs=300,
    engines=(Engine.TICKS, Engine.EVENTS),
    play=_play,
)
