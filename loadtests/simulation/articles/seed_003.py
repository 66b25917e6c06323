"""Article 003: the herd of 2,000 clients, and the budget in credits."""

from collections.abc import Iterable

from loadtests.policies import preset
from loadtests.policies.backoff import Backoff, FullJitter
from loadtests.policies.outage import BUSY, attempts_in_outage
from loadtests.policies.retry import Retry
from loadtests.simulation.articles.article import Article, Player
from loadtests.simulation.articles.comparison import Comparison, Part, Row, exactly
from loadtests.simulation.articles.herd import herd

POLICY = "seed-003-credits"
WITHOUT_BUDGET = 1_000_000
"""So many credits at first that 1,000 requests never run out of them."""
_SOURCE = 'article 003, "Retry, Backoff and Jitter: How to Avoid a Retry Storm"'


def backoffs() -> dict[str, Backoff]:
    """The waits of the article's loop, without their jitter and with it."""
    policy = preset(POLICY).build()
    if not isinstance(policy, Retry) or not isinstance(policy.backoff, FullJitter):
        raise TypeError(f"{POLICY}: expected a loop with full jitter")
    return {"without jitter": policy.backoff.of, "full jitter": policy.backoff}


def _play_herd(_: Player) -> Iterable[Part]:
    published = {"without jitter": (81_000, 1975, 376.21), "full jitter": (6487, 205, 3.45)}
    rows: list[Row] = []
    for of, backoff in backoffs().items():
        calls, busiest, done_s = published[of]
        found = herd(backoff)
        rows += [
            exactly(of, "calls", calls, found.calls),
            exactly(of, "busiest slot", busiest, found.busiest),
            exactly(of, "done after, s", done_s, found.done_s),
        ]
    yield Comparison(
        "2,000 clients failed together; 25 calls are answered per 10 ms",
        "",
        tuple(rows),
        "With the article's random numbers, Random(7), in the order of its listing.",
    )


def _play_budget(_: Player) -> Iterable[Part]:
    without = preset(POLICY, max_credits=WITHOUT_BUDGET)
    rows = [
        exactly(of, "calls", calls, attempts_in_outage([source.build()], BUSY).attempts)
        for of, calls, source in (
            ("no budget", 4000, without),
            ("budget", 1109, preset(POLICY)),
        )
    ]
    yield Comparison("1,000 requests to a service that always answers 503", "", tuple(rows))


HERD = Article(
    name="seed-003-herd",
    title="a herd with jitter and without",
    source=_SOURCE,
    units="calls are attempts; a slot is 10 ms",
    runs=None,
    engines=(),
    play=_play_herd,
)
BUDGET = Article(
    name="seed-003-budget",
    title="retries within a budget of credits, and without",
    source=_SOURCE,
    units="calls are attempts",
    runs=None,
    engines=(),
    play=_play_budget,
)
