"""Retries at every layer, as articles 000, 001 and 003 count them: products, powers, ownership."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loadtests.scenario import Scenario, parse_scenario
from loadtests.simulation.articles.article import Article, Player
from loadtests.simulation.articles.comparison import Comparison, Part, Row, exactly, near
from loadtests.simulation.engines import Engine, simulate
from loadtests.simulation.metered import PlayedLane

NOTHING = "0.001/s"
"""A capacity that admits nobody within these runs."""
CLOSE = 0.01
DEPTH = 5
BUDGET = 0.1


@dataclass(frozen=True, slots=True)
class Stack:
    """The same policy at each of so many layers: the client's own is the outermost."""

    policy: str
    layers: int

    def as_table(self, lane: str) -> dict[str, object]:
        """As a scenario has it."""
        name, _, settings = self.policy.partition(":")
        own = dict(setting.split("=") for setting in settings.split(",") if setting)
        return {"lane": lane, "name": name, **own, "layers": [self.policy] * (self.layers - 1)}


PRODUCTS = {
    "3 attempts at 3 layers": (Stack("immediate:attempts=3,base=0s", 3), 27),
    "4 attempts at 3 layers": (Stack("immediate:attempts=4,base=0s", 3), 64),
    "3 attempts at 5 layers": (Stack("immediate:attempts=3,base=0s", 5), 243),
    "4 attempts at 5 layers": (Stack("immediate:attempts=4,base=0s", 5), 1024),
}
ONE_RETRY = Stack("immediate:attempts=2,base=0s", DEPTH)
OWNED = Stack("error-ownership", DEPTH)
BUDGETED = Stack(f"full-jitter-budget:attempts=3,base=0s,budget_ratio={BUDGET}", DEPTH)


def scenario(stack: Stack, rate: str) -> Scenario:
    """40 s of requests to a service that turns every attempt away and owns its errors."""
    return parse_scenario(
        {
            "name": "layers",
            "warm_up": "0s",
            "observation": "40s",
            "load": {"rate": rate, "timeout": "40s"},
            "target": {"capacity": NOTHING, "owns_errors": True},
            "policies": [stack.as_table("layers")],
            "dips": [],
        }
    )


def _play(player: Player) -> Iterable[Part]:
    few = "0.1/s"
    yield Comparison(
        "Attempts at the bottom for each request, when nothing succeeds",
        "",
        tuple(
            exactly(of, "at the bottom", published, per_request(player, stack, few)[-1])
            for of, (stack, published) in PRODUCTS.items()
        ),
        "The client retries, and so does every gateway between it and the service.",
    )
    one_retry = per_request(player, ONE_RETRY, few)
    owned = per_request(player, OWNED, few)
    budgeted = per_request(player, BUDGETED, "100/s")
    yield Comparison(
        "Attempts for each request that arrive at each depth",
        "",
        (
            *_by_depth("one retry a hop", [2**depth for depth in _DEPTHS], one_retry),
            *_by_depth("error ownership", [1] * (DEPTH - 1) + [3], owned),
        ),
        "One retry a hop: 2^d. Ownership: only who called the service that failed retries.",
    )
    yield Comparison(
        f"The same, with a budget of {BUDGET:.0%} at each layer: (1 + B)^d",
        f"within {CLOSE:.0%}",
        tuple(
            near(f"budget of {BUDGET:.0%}", f"depth {depth}", (1 + BUDGET) ** depth, ours, CLOSE)
            for depth, ours in zip(_DEPTHS, budgeted, strict=True)
        ),
    )


_DEPTHS = range(1, DEPTH + 1)


def _by_depth(of: str, published: Sequence[int], ours: Sequence[float]) -> Iterable[Row]:
    for depth, then, now in zip(_DEPTHS, published, ours, strict=True):
        yield exactly(of, f"depth {depth}", then, now)


def per_request(player: Player, stack: Stack, rate: str) -> list[float]:
    """How many attempts arrive at each depth for each request: the target is the deepest."""
    (lane,) = simulate(scenario(stack, rate), player.engine).lanes
    requests = int(lane.clients.issued.sum())
    return [attempts / requests for attempts in _arriving(lane)]


def _arriving(lane: PlayedLane) -> list[int]:
    return [
        *(int(layer.offered.sum()) for layer in lane.layers),
        int(lane.metered.offered.sum()),
    ]


LAYERS = Article(
    name="layers",
    title="retries at every layer multiply",
    source="articles 000, 001 and 003, after Google's SRE book, M. Brooker and Uber",
    units="attempts ÷ requests; depth 1 is the service that the client calls",
    runs=None,
    engines=(Engine.EVENTS,),
    play=_play,
)
