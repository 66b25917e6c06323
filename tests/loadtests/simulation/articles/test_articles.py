"""What every article has in common: its name, what it may be asked, the table, the JSON."""

import json
from io import StringIO

import pytest
from rich.console import Console

from loadtests.simulation.articles import ARTICLES, Played, play_article, render, to_json
from loadtests.simulation.articles.comparison import (
    NEVER,
    Comparison,
    Curves,
    among,
    exactly,
    near,
)
from loadtests.simulation.articles.rendering import number
from loadtests.simulation.engines import Engine
from loadtests.simulation.workers import LocalWorkers
from tests.loadtests.simulation.articles.playing import played

SAME = exactly("3 at 3", "at the bottom", 27, 27)
CURVES = Curves("a curve", "clients", (10, 1000), {"none": (1.0, 2345.6), "full": (0.5, 3.0)}, 1)


def made(*rows: Comparison | Curves) -> Played:
    """An article that came to these."""
    return Played(ARTICLES["seed-000"], 3, rows)


def told(of: Played) -> str:
    """The same with one blank between words."""
    return " ".join(printed(of).split())


def printed(of: Played, width: int = 80) -> str:
    """What is printed on a terminal of this width."""
    file = StringIO()
    render(of, Console(width=width, file=file))
    return file.getvalue()


def test_the_presets_are_those_of_the_articles() -> None:
    """In the order of the articles."""
    assert list(ARTICLES) == [
        *("seed-000", "seed-001", "seed-003-herd", "seed-003-budget", "brooker-occ", "layers")
    ]


@pytest.mark.parametrize(
    ("name", "engine", "runs", "said"),
    [
        ("seed-009", Engine.AUTO, None, "--preset 'seed-009': expected seed-000, seed-001, seed"),
        ("layers", Engine.AUTO, 5, "--runs: layers has no seeds but the article's own"),
        ("brooker-occ", Engine.AUTO, 0, "--runs: 0: expected at least 1"),
        ("layers", Engine.TICKS, None, "layers is not played by ticks: expected auto, events"),
        ("brooker-occ", Engine.EVENTS, None, "brooker-occ is not played by events: expected auto"),
    ],
)
def test_what_an_article_has_no_use_for_is_refused(
    name: str, engine: Engine, runs: int | None, said: str
) -> None:
    """Naming what there is."""
    with LocalWorkers(1) as workers, pytest.raises(ValueError, match=said):
        play_article(name, engine=engine, runs=runs, workers=workers)


def test_a_row_is_met_by_its_own_rule() -> None:
    """The same figure; within a share of the published one; the published one among ours."""
    assert exactly("a", "x", 376.21, 376.21).met
    assert exactly("a", "x", 376.21, 376.2100000000001).met
    assert not exactly("a", "x", 376.21, 376.22).met
    assert near("a", "x", 100, 102, 0.02).met
    assert not near("a", "x", 100, 102.1, 0.02).met
    assert among("a", "x", 19, 17, (12, 24)).met
    assert not among("a", "x", 25, 17, (12, 24)).met
    assert among("a", "x", 25, 17, (12, None)).met
    assert not among("a", "x", 11, 17, (12, None)).met


def test_a_figure_that_is_missed_is_named_in_words() -> None:
    """In its row and below the tables; the others are within, or the same."""
    rows = (among("immediate", "peak", 356, 400, (390, 410)), near("x", "sent", 100, 100, 0.1))
    text = told(made(Comparison("t", "1st–99th", rows), Comparison("u", "", (SAME,))))
    assert "immediate peak 356 400 390–410 MISSED" in text
    assert "x sent 100 100 90–110 within" in text
    assert "27 27 same" in text
    assert "1 of 3 figures are MISSED: immediate, peak." in text


def test_when_all_is_met_it_says_so() -> None:
    """With what the units are, and where it was published."""
    text = told(made(Comparison("t", "", (SAME,)), CURVES))
    assert "All 1 figures are reproduced." in text
    assert "Published: article 000" in text
    assert "Units: peak" in text
    assert "1,000 2,345.6 3.0" in text


@pytest.mark.parametrize("name", ARTICLES)
def test_it_fits_a_terminal_of_80_columns(name: str) -> None:
    """No row is cut or folded; nothing is wider."""
    found = played(name, 2 if ARTICLES[name].runs else None)
    lines = printed(found, width=200).splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)


def test_a_bound_that_there_is_not_is_said_so() -> None:
    """From here, up to there; a time that never came has a word."""
    rows = (
        among("a", "low", 1, 2, (None, 3)),
        among("a", "high", 9, 8, (7, None)),
        among("a", "never", 1, NEVER, (NEVER, NEVER)),
    )
    text = told(made(Comparison("t", "by chance", rows)))
    assert "low 1 2 to 3 within" in text
    assert "high 9 8 from 7 within" in text
    assert "1 never never MISSED" in text


@pytest.mark.parametrize(
    ("value", "text"), [(38000, "38,000"), (376.21, "376.21"), (1.0, "1"), (1234.5, "1,234")]
)
def test_numbers_have_no_more_digits_than_say_something(value: float, text: str) -> None:
    """Two at most, and none from a thousand on."""
    assert number(value) == text


def test_json_has_every_row_with_its_bounds_and_no_infinity() -> None:
    """null where there is no bound, and for a first fit that never came."""
    rows = (among("a", "first fit", 19, NEVER, (None, NEVER)),)
    text = json.dumps(to_json(made(Comparison("t", "b", rows, "n"), CURVES)), allow_nan=False)
    told = json.loads(text)
    assert (told["preset"], told["runs"], told["met"], told["schema"]) == ("seed-000", 3, True, 1)
    assert told["tables"][0] == {
        "title": "t",
        "note": "n",
        "bounds": "b",
        "rows": [
            {
                "of": "a",
                "figure": "first fit",
                "published": 19,
                "ours": None,
                "least": None,
                "most": None,
                "met": True,
            }
        ],
    }
    assert told["tables"][1]["curves"] == {"none": [1.0, 2345.6], "full": [0.5, 3.0]}


def test_workers_change_nothing() -> None:
    """Two processes come to what one comes to."""
    with LocalWorkers(2) as workers:
        two = play_article("brooker-occ", engine=Engine.AUTO, runs=1, workers=workers)
    assert two == played("brooker-occ", 1)
