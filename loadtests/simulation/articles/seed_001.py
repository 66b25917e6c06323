"""Article 001: 90 clients, each with a budget of its own, while capacity drops for ten ticks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from loadtests.scenario import Scenario, parse_scenario
from loadtests.simulation.articles.article import Article, Player
from loadtests.simulation.articles.comparison import Comparison, Part, Row, among, near
from loadtests.simulation.articles.percentiles import CONFIDENCE, where_elsewhere
from loadtests.simulation.engines import Engine
from loadtests.simulation.measured import Measured
from loadtests.simulation.ranks import percentile
from loadtests.simulation.stage import TICK_S

CLIENTS = 90
CLOSE = 0.02
RERUN_SEEDS = 100
UNTHROTTLED = 1000
"""Tokens of a budget that 60 ticks do not halve: the article's helper without its budget."""


@dataclass(frozen=True, slots=True)
class _Published:
    """A row of the article, and the 1st and 99th percentile of a re-run."""

    attempts: int
    amplification: float
    peak: int
    attempts_band: tuple[int, int]
    peak_band: tuple[int, int]


PUBLISHED = {
    "none": _Published(5400, 1.00, 90, (5400, 5400), (90, 90)),
    "fixed, one tick": _Published(7256, 1.34, 254, (7112, 7223), (249, 256)),
    "full jitter": _Published(7340, 1.36, 257, (7172, 7284), (251, 264)),
    "full jitter + budget": _Published(5771, 1.07, 206, (5760, 5779), (198, 219)),
}


def scenario() -> Scenario:
    """60 ticks of 100 ms, one request of each client in each; room for 100, in ten ticks for 20.

    Which attempts of a tick are served is random. Waits of the helper end with the tick in which
    they do: ``U(0, 100 ms)`` is one tick and ``U(0, 200 ms)`` one or two, as its one-tick
    granularity has it.
    """
    each = {"scope": "client", "clients": CLIENTS}
    helper = {"name": "seed-001-grpc-budget", "step": f"{round(TICK_S * 1000)}ms", **each}
    return parse_scenario(
        {
            "name": "seed-001",
            "warm_up": "2s",
            "observation": "3s",
            "load": {"rate": f"{round(CLIENTS / TICK_S)}/s"},
            "target": {"capacity": "1000/s"},
            "dips": [{"capacity": "20%", "for": "1s"}],
            "policies": [
                {"lane": "none", "name": "no-retry", **each},
                {"lane": "fixed, one tick", "name": "immediate", "attempts": 3, **each},
                {"lane": "full jitter", "max_tokens": UNTHROTTLED, **helper},
                {"lane": "full jitter + budget", **helper},
            ],
            "simulation": {"admits": "shuffled"},
        }
    )


def _play(player: Player) -> Iterable[Part]:
    lanes = player.measured(scenario(), player.runs, "runs")
    yield Comparison(
        f"One run as published, and {player.runs} of ours",
        f"within {CLOSE:.0%}",
        tuple(row for lane, runs in lanes.items() for row in _figures(lane, runs)),
        "Ours is the median.",
    )
    yield Comparison(
        f"1st and 99th percentile of {RERUN_SEEDS} runs, and of {player.runs} of ours",
        "by chance",
        tuple(row for lane, runs in lanes.items() for row in _percentiles(lane, runs)),
        f"By chance: where the percentile of {RERUN_SEEDS} other runs of our model lies, with "
        f"{CONFIDENCE:.1%} confidence each; an open end is one that so few runs cannot tell.",
    )


def _figures(lane: str, runs: list[Measured]) -> Iterable[Row]:
    published = PUBLISHED[lane]
    requests = runs[0].requests
    attempts = median(run.attempts for run in runs)
    yield near(lane, "attempts", published.attempts, attempts, CLOSE)
    yield near(lane, "amplification", published.amplification, attempts / requests, CLOSE)
    yield near(lane, "peak", published.peak, median(map(_peak, runs)), CLOSE)


def _percentiles(lane: str, runs: list[Measured]) -> Iterable[Row]:
    figures: dict[str, tuple[Callable[[Measured], float], tuple[int, int]]] = {
        "attempts": (lambda run: run.attempts, PUBLISHED[lane].attempts_band),
        "peak": (_peak, PUBLISHED[lane].peak_band),
    }
    for name, (figure, published) in figures.items():
        ours = [figure(run) for run in runs]
        for percent, label, figure_then in zip((1, 99), ("1st", "99th"), published, strict=True):
            bounds = where_elsewhere(ours, percent, RERUN_SEEDS)
            yield among(lane, f"{name}, {label}", figure_then, percentile(ours, percent), bounds)


def _peak(run: Measured) -> float:
    return round(run.peak_per_s * TICK_S)


SEED_001 = Article(
    name="seed-001",
    title="a retry helper with a budget in each client, through ten ticks of a fifth of capacity",
    source='article 001, "Retry Storm Prevention: Backoff, Jitter and Retry Budgets"',
    units="amplification: attempts ÷ requests; peak: attempts in the busiest tick of 100 ms",
    runs=100,
    engines=(Engine.TICKS, Engine.EVENTS),
    play=_play,
)
