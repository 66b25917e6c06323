"""Brooker's model of contention, as article 003 re-ran it: five backoffs at 10 to 100 clients."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from loadtests.policies import preset
from loadtests.policies.backoff import Backoff, Fixed
from loadtests.policies.retry import Retry
from loadtests.simulation.articles.article import Article, Player
from loadtests.simulation.articles.comparison import Comparison, Curves, Part, Row, near
from loadtests.simulation.articles.contention import Contention, contention

CLIENTS = tuple(range(10, 101, 10))
PRESETS = {
    "exponential": "aws-blog-exponential",
    "equal": "aws-blog-equal",
    "full": "aws-blog-full",
    "decorrelated": "aws-blog-decorrelated",
}
PUBLISHED_CALLS = {"exponential": 1850, "full": 795, "decorrelated": 1000}
"""At 100 clients, each "about" so many."""
CLOSE = 0.03
SOONER = (0.85, 1.0)
"""How much of full jitter's time decorrelated jitter takes: "a little sooner"."""


@dataclass(frozen=True, slots=True)
class _Run:
    backoff: str
    clients: int
    seed: int


def backoff_of(name: str) -> Backoff:
    """The backoff by the name that it has here; `none` retries at once."""
    if name == "none":
        return Fixed(0.0)
    policy = preset(PRESETS[name]).build()
    if not isinstance(policy, Retry):
        raise TypeError(f"{PRESETS[name]}: expected a loop")
    return policy.backoff


def _contend(run: _Run) -> Contention:
    return contention(backoff_of(run.backoff), clients=run.clients, seed=run.seed)


def _play(player: Player) -> Iterable[Part]:
    names = ("none", *PRESETS)
    runs = [
        _Run(name, clients, seed)
        for name in names
        for clients in CLIENTS
        for seed in range(player.runs)
    ]
    found: dict[tuple[str, int], list[Contention]] = {}
    for run, came_to in zip(runs, player.each(_contend, runs, "contentions"), strict=True):
        found.setdefault((run.backoff, run.clients), []).append(came_to)
    calls = {key: fmean(run.calls for run in of) for key, of in found.items()}
    done_s = {key: fmean(run.done_s for run in of) for key, of in found.items()}
    yield Comparison(
        f"100 clients write one row each: calls, the mean of {player.runs} runs",
        f"within {CLOSE:.0%}",
        (*(_calls(name, calls[name, 100]) for name in PUBLISHED_CALLS), _sooner(done_s)),
        'Decorrelated is published as "a little sooner" than full: its time as a share of that.',
    )
    yield _curves("calls until all have written", calls, names, 0)
    yield _curves("seconds until all have written", done_s, names, 2)


def _calls(name: str, ours: float) -> Row:
    return near(name, "calls", PUBLISHED_CALLS[name], round(ours), CLOSE)


def _sooner(done_s: dict[tuple[str, int], float]) -> Row:
    share = done_s["decorrelated", 100] / done_s["full", 100]
    least, most = SOONER
    return Row("decorrelated", "time ÷ full", None, share, least, most, least < share < most)


def _curves(
    title: str, found: dict[tuple[str, int], float], names: Iterable[str], digits: int
) -> Curves:
    curves = {name: tuple(found[name, clients] for clients in CLIENTS) for name in names}
    return Curves(title, "clients", CLIENTS, curves, digits)


BROOKER = Article(
    name="brooker-occ",
    title="clients that contend for one row",
    source='article 003, after M. Brooker, "Exponential Backoff And Jitter" (AWS, 2015)',
    units="calls are writes that were tried; none retries at once; base 5 ms, cap 2 s",
    runs=100,
    engines=(),
    play=_play,
)
