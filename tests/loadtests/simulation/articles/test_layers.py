"""Retries at every layer through the events engine: products, powers, budgets, ownership."""

import pytest

from loadtests.simulation.articles.article import Player
from loadtests.simulation.articles.layers import Stack, per_request
from loadtests.simulation.engines import Engine
from loadtests.simulation.workers import LocalWorkers
from tests.loadtests.simulation.articles.playing import ours, played, told


def test_layers_multiply_as_the_articles_say() -> None:
    """27, 64, 243 and 1,024 calls at the bottom; 2^d; (1 + B)^d; ownership stops at the caller."""
    found = played("layers")
    assert not told(found.missed)
    figures = ours(found)
    bottom = [value for (_, figure), value in figures.items() if figure == "at the bottom"]
    assert bottom == [27, 64, 243, 1024]
    assert [figures["one retry a hop", f"depth {depth}"] for depth in range(1, 6)] == [
        *(2, 4, 8, 16, 32)
    ]
    assert [figures["error ownership", f"depth {depth}"] for depth in range(1, 6)] == [
        *(1, 1, 1, 1, 3)
    ]
    budgeted = [figures["budget of 10%", f"depth {depth}"] for depth in range(1, 6)]
    assert budgeted == pytest.approx([1.1**depth for depth in range(1, 6)], rel=0.01)


@pytest.mark.parametrize(
    ("attempts", "layers", "expected"),
    [(1, 6, [1] * 6), (3, 1, [3]), (2, 6, [2, 4, 8, 16, 32, 64])],
)
def test_one_layer_is_as_many_as_it_alone_and_six_are_the_most(
    attempts: int, layers: int, expected: list[int]
) -> None:
    """The gateways that do not retry pass on what comes."""
    stack = Stack(f"immediate:attempts={attempts},base=0s", layers)
    with LocalWorkers(1) as workers:
        assert per_request(Player(Engine.EVENTS, 1, workers), stack, "0.1/s") == expected
