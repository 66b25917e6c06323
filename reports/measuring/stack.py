"""Attempts per layer: what each layer of retries made of what came to it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reports.reading.series import Counts, LaneSeries, LayerSeries

CLIENT = "client"


@dataclass(frozen=True)
class Level:
    """One layer that retries: the attempts that it made, and how many of each that came to it."""

    made_by: str
    attempts: int
    factor: float | None


@dataclass(frozen=True)
class Stack:
    """A lane's layers from the client inward, over some ticks.

    `attempts` are those that arrived at the target, `product` how many of each request.
    """

    requests: int
    levels: tuple[Level, ...]
    attempts: int
    product: float | None

    def per_request(self, level: Level) -> float | None:
        """How many attempts of each request arrive at what this layer calls."""
        return level.attempts / self.requests if self.requests else None

    def counted(self, value: float) -> str:
        """A factor or the product as text, with no more digits than counting can tell.

        Retries of requests due before these ticks are in them, and retries of requests due in them
        come later. With a steady load the two make up for each other but for a part of one request,
        so that a ratio is known to 1 part in as many as there were requests. The value is rounded
        to the fewest decimals, two at most, that keep it within that: 4.03 of 25 requests is 4.
        """
        error = value / self.requests if self.requests else 0.0
        for decimals in (0, 1):
            if abs(round(value, decimals) - value) <= error + 1e-9:
                return f"{value:.{decimals}f}"
        return f"{value:.2f}"


@dataclass(frozen=True)
class Stacks:
    """A lane's layers in the second half of its trigger (`None`: it had none), and over the run."""

    in_trigger: Stack | None
    over_run: Stack


def stack_of(lane: LaneSeries, layers: Sequence[LayerSeries], ticks: slice) -> Stack:
    """What was made of the requests that became due in `ticks`, by what arrived in them.

    The attempts of the client are what arrived at the first gateway, those of the first gateway
    what arrived at the second, and those of the last what the target was offered. A retry that
    waits beyond the end of `ticks` is not in it.
    """
    names = (CLIENT, *(layer.layer for layer in layers))
    arrived: list[Counts] = [*(layer.offered for layer in layers), lane.offered]
    requests = int(lane.issued[ticks].sum()) or int(lane.first_attempts[ticks].sum())
    came, levels = requests, []
    for name, offered in zip(names, arrived, strict=True):
        made = int(offered[ticks].sum())
        levels.append(Level(name, made, made / came if came else None))
        came = made
    return Stack(requests, tuple(levels), came, came / requests if requests else None)


def places(names: Sequence[str]) -> list[str]:
    """Where the attempts of each of these layers arrive: at the next one, and at the target."""
    return [*names[1:], "target"] if names else []


def layer_names(stacks: Iterable[Stacks | None]) -> list[str]:
    """The names of the layers of the deepest of these stacks."""
    each = [[level.made_by for level in found.over_run.levels] for found in stacks if found]
    return max(each, key=len, default=[])
