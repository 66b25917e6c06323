"""Article 001's simulation: four strategies, and what load shedding turns away of each."""

import pytest

from loadtests.simulation.articles.seed_001 import CLIENTS, scenario
from loadtests.simulation.engines import Engine, simulate
from tests.loadtests.simulation.articles.playing import played, told

SEEDS = 5


def test_four_rows_land_on_the_articles_table() -> None:
    """Medians of 40 runs within 2% of it, and within chance of the percentiles of a re-run."""
    assert not told(played("seed-001", 40).missed)


def test_every_client_has_a_budget_of_its_own() -> None:
    """Ninety policies of a scope of one client each."""
    choices = scenario().policies
    assert {(choice.scope.value, choice.clients) for choice in choices} == {("client", CLIENTS)}


@pytest.fixture(scope="module")
def turned_away() -> dict[str, tuple[float, float]]:
    """First attempts and retries that the target turns away, a run of five, by lane."""
    found: dict[str, tuple[float, float]] = {}
    for seed in range(SEEDS):
        for lane in simulate(scenario().model_copy(update={"seed": seed}), Engine.EVENTS).lanes:
            by_attempt = lane.metered.turned_away.sum(axis=1) / SEEDS
            firsts, retries = found.get(lane.lane.lane, (0.0, 0.0))
            found[lane.lane.lane] = (
                firsts + float(by_attempt[1]),
                retries + float(by_attempt[2:].sum()),
            )
    return found


def test_load_shedding_turns_away_retries_and_first_attempts_in_their_place(
    turned_away: dict[str, tuple[float, float]],
) -> None:
    """A target that sheds tells no retry from a first attempt.

    Without a budget 58% of what it turns away are retries; with one in each client 31%, of less
    than half as much. Without retries it sheds the 90 − 20 of each of ten ticks: retries crowd out
    half as many first attempts again, and with a budget few.
    """
    assert list(turned_away["none"]) == [700, 0]
    firsts, retries = turned_away["full jitter"]
    budgeted_firsts, budgeted_retries = turned_away["full jitter + budget"]
    assert retries / (firsts + retries) == pytest.approx(0.58, abs=0.02)
    assert budgeted_retries / (budgeted_firsts + budgeted_retries) == pytest.approx(0.31, abs=0.02)
    assert budgeted_firsts + budgeted_retries < 0.5 * (firsts + retries)
    assert firsts > 1.4 * 700
    assert budgeted_firsts < 1.1 * 700
