"""Brooker's model of contention: the calls of article 003's re-run, and who is done first."""

from statistics import fmean

import pytest

from loadtests.simulation.articles.brooker import CLIENTS, PUBLISHED_CALLS, backoff_of
from loadtests.simulation.articles.comparison import Curves
from loadtests.simulation.articles.contention import Contention, contention
from tests.loadtests.simulation.articles.playing import ours, played


def runs_of(name: str, runs: int, clients: int = 100) -> list[Contention]:
    """With seeds 0, 1, 2, …"""
    backoff = backoff_of(name)
    return [contention(backoff, clients=clients, seed=seed) for seed in range(runs)]


@pytest.mark.parametrize("name", PUBLISHED_CALLS)
def test_contention_costs_as_many_calls_as_in_the_articles_re_run(name: str) -> None:
    """100 clients, the mean of 40 runs, within 3%."""
    calls = fmean(run.calls for run in runs_of(name, 40))
    assert calls == pytest.approx(PUBLISHED_CALLS[name], rel=0.03)


def test_decorrelated_jitter_finishes_a_little_sooner_than_full_jitter() -> None:
    """And both far sooner than backoff alone; equal jitter makes more calls than full."""
    full, decorrelated = runs_of("full", 40), runs_of("decorrelated", 40)
    full_s = fmean(run.done_s for run in full)
    assert 0.85 < fmean(run.done_s for run in decorrelated) / full_s < 1
    assert runs_of("exponential", 1)[0].done_s > 5 * full_s
    calls = fmean(run.calls for run in full)
    assert fmean(run.calls for run in runs_of("equal", 40)) > calls


def test_without_backoff_most_calls_are_wasted_and_all_are_done_soonest() -> None:
    """Nobody waits: what the row can do is always asked of it."""
    none, full = runs_of("none", 5), runs_of("full", 5)
    assert min(run.calls for run in none) > 2 * max(run.calls for run in full)
    assert max(run.done_s for run in none) < min(run.done_s for run in full)


def test_each_client_writes_once_however_often_it_tries() -> None:
    """One client never fails; of ten each needs at least its own call."""
    assert [run.calls for run in runs_of("full", 3, clients=1)] == [1, 1, 1]
    assert all(run.calls >= 10 for run in runs_of("full", 3, clients=10))


def test_the_preset_plays_every_backoff_from_10_to_100_clients() -> None:
    """Two runs of each: the same ones every time; more clients make more calls."""
    found, again = played("brooker-occ", 2), played("brooker-occ", 2)
    assert found.parts == again.parts
    calls, done_s = (part for part in found.parts if isinstance(part, Curves))
    assert calls.at == done_s.at == CLIENTS
    assert list(calls.curves) == ["none", "exponential", "equal", "full", "decorrelated"]
    assert all(list(curve) == sorted(curve) for curve in calls.curves.values())
    assert ours(found)["full", "calls"] == pytest.approx(795, rel=0.1)
