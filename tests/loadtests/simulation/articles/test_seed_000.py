"""Article 000: every published figure lies within the 1st to 99th percentile of our seeds."""

import pytest

from loadtests.scenario import ARTICLE_000
from loadtests.simulation.articles.comparison import Comparison
from loadtests.simulation.articles.seed_000 import PUBLISHED, scenario
from loadtests.simulation.engines import Engine
from tests.loadtests.simulation.articles.playing import played, told

RUNS = 60


def test_the_scenario_is_the_articles() -> None:
    """400 ticks, 95 requests in each, a fifth of the capacity in ticks 100 to 119."""
    found = scenario()
    assert found.planned_end_s == pytest.approx(40.0)
    assert found.load.rate_per_s == 950
    assert found.target.capacity_per_s == 1000
    (dip,) = found.dip_schedule()
    assert (dip.at_s, dip.for_s, dip.capacity) == (10.0, 2.0, "20%")
    assert tuple(choice.name for choice in found.policies) == ARTICLE_000 == tuple(PUBLISHED)


def test_all_figures_are_met_by_the_ticks_engine() -> None:
    """Five rows of four figures, the percentiles of first fit, and those at 1,000 times."""
    found = played("seed-000", RUNS, Engine.TICKS)
    assert not told(found.missed)
    sizes = [len(part.rows) for part in found.parts if isinstance(part, Comparison)]
    assert sizes == [20, 10, 5]


def test_the_events_engine_lands_on_the_same_first_fits() -> None:
    """With few seeds, by what these can tell of the percentiles of 300 others."""
    found = played("seed-000", 5, Engine.EVENTS)
    figures, percentiles = found.parts
    assert isinstance(figures, Comparison)
    assert isinstance(percentiles, Comparison)
    assert len(figures.rows) == 20
    left_out = "at 1,000 times the load is left out: request by request it takes too long."
    assert left_out in percentiles.note  # a table of the article is not passed over in silence
    assert not told([row for row in percentiles.rows if not row.met])
