"""The articles that this project comes from, played again: what they published beside ours.

Each article's module holds its figures and how to play it; `comparison` is the table that all of
them come to. `herd` and `contention` are models of their own, pure, without an engine.
"""

from collections.abc import Mapping
from types import MappingProxyType

from loadtests.simulation.articles.article import Article, Played, Player
from loadtests.simulation.articles.brooker import BROOKER
from loadtests.simulation.articles.layers import LAYERS
from loadtests.simulation.articles.rendering import render
from loadtests.simulation.articles.seed_000 import SEED_000
from loadtests.simulation.articles.seed_001 import SEED_001
from loadtests.simulation.articles.seed_003 import BUDGET, HERD
from loadtests.simulation.articles.to_json import to_json
from loadtests.simulation.engines import Engine
from loadtests.simulation.workers import Workers

__all__ = ["ARTICLES", "Article", "Played", "play_article", "render", "to_json"]

_ARTICLES = (SEED_000, SEED_001, HERD, BUDGET, BROOKER, LAYERS)

ARTICLES: Mapping[str, Article] = MappingProxyType({of.name: of for of in _ARTICLES})
"""Article by the name of its preset."""


def play_article(name: str, *, engine: Engine, runs: int | None, workers: Workers) -> Played:
    """Play the article again, with so many seeds, or as many as it has by itself.

    Raises `ValueError` for a name that there is not, and for an engine or a number of runs that the
    article has no use for, naming what there is; `WorkersError` when a process dies.
    """
    article = ARTICLES.get(name)
    if article is None:
        raise ValueError(f"--preset {name[:32]!r}: expected {', '.join(ARTICLES)}")
    if runs is not None and article.runs is None:
        raise ValueError(f"--runs: {name} has no seeds but the article's own: leave it out")
    if runs is not None and runs < 1:
        raise ValueError(f"--runs: {runs}: expected at least 1")
    if engine is not Engine.AUTO and engine not in article.engines:
        allowed = ", ".join(one.value for one in (Engine.AUTO, *article.engines))
        raise ValueError(f"--engine: {name} is not played by {engine.value}: expected {allowed}")
    seeds = article.runs if runs is None else runs
    parts = tuple(article.play(Player(engine, seeds or 1, workers)))
    return Played(article, seeds, parts)
