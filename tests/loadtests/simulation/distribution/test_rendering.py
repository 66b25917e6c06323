"""The three faces of a distribution: the tables, the JSON, the page."""

import io
import json
import re
from dataclasses import replace

from rich.console import Console

from loadtests.simulation.distribution import Distribution, Run
from loadtests.simulation.distribution.chart import figure_json
from loadtests.simulation.distribution.html import to_html
from loadtests.simulation.distribution.terminal import render
from loadtests.simulation.distribution.to_json import to_json
from tests.loadtests.simulation.distribution.made import distribution, lane, settled

HOSTILE = "<script>alert(1)</script>[red]\x1b[31m"


def printed(found: Distribution, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    render(found, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def near_a_tipping_point() -> Distribution:
    """Three runs in ten are lost."""
    times = [0.5 + 0.1 * place if place % 10 < 7 else None for place in range(100)]
    return settled(*times)


def test_the_tables_fit_in_80_columns() -> None:
    """With figures as large as there are."""
    long = [lane(29.9, "x" * 64), lane(None, "full-jitter-budget:budget_ratio=0.1")]
    huge = [
        replace(one, attempts=int(4.6e10 + seed), peak_per_s=3.6e8 + seed, failed=10**9 + seed)
        for seed in (0, 10**9)
        for one in long
    ]
    found = distribution([Run(0, tuple(huge[:2])), Run(1, tuple(huge[2:]))])
    text = printed(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


def test_a_long_name_breaks_at_its_commas_and_its_figures_stand_beside_its_beginning() -> None:
    """In both tables, and no part of it is left out."""
    name = "full-jitter-budget:attempts=5,base=200ms,cap=2s"
    found = distribution([Run(0, (lane(1.0, name),))])
    assert "budget:<wbr>attempts=5,<wbr>base=200ms,<wbr>cap=2s" in to_html(found)
    lines = printed(found).splitlines()
    first = [place for place, line in enumerate(lines) if line.lstrip().startswith("full-jitter")]
    assert len(first) == 2
    assert "100%" in lines[first[0]]
    assert "1,100" in lines[first[1]]
    for place in first:
        parts = [line.split()[0] for line in lines[place : place + 3] if line.strip()]
        last = next(i for i in range(3) if "".join(parts[: i + 1]) == name)
        assert all(part.endswith((":", ",")) for part in parts[:last])


def test_what_did_not_come_back_is_said_in_words() -> None:
    """Not as a number, in no face of it."""
    found = near_a_tipping_point()
    text = printed(found)
    assert "70.0%" in text
    assert "0.9 s to > 30 s" in text
    assert "near a tipping point" in text
    assert "inf" not in text.replace("inferred", "")
    [told] = json.loads(to_json(found))["lanes"]
    assert told["recovered"] == {"runs": 70, "share": 0.7, "interval": [0.600185, 0.787594]}
    assert told["figures"]["settled_s"]["p95"] is None
    assert told["figures"]["settled_s"]["median"] == 7.55


def test_no_time_is_claimed_that_nobody_watched() -> None:
    """An observation of 7.6 s is not told as 8 s."""
    lost = distribution([Run(0, (lane(None, observed_s=7.6),))])
    text = printed(lost)
    assert "> 7.6 s" in text
    assert "never recovered within 7.6 s." in text
    assert "8 s" not in text


def test_who_was_never_answered_is_not_passed_over() -> None:
    """They have not failed, and a share of 0% failed would be all that is said of a dead service.

    In every face; nothing is said where all were answered.
    """
    dead = distribution([Run(0, (lane(None, "dead", unanswered=380), lane()))])
    said = "not counted as failed, median of requests: dead 380 (38.00%)."
    assert said in " ".join(printed(dead).split())
    assert said in " ".join(re.sub(r"<[^>]+>", "", to_html(dead)).split())
    whole = json.loads(to_json(dead))
    assert whole["lanes"][0]["figures"]["unanswered_share"]["median"] == 0.38
    assert [one["unanswered"] for one in whole["runs"][0]["lanes"]] == [380, 0]
    assert "unanswered at the end" not in printed(settled(1.0))
    assert "unanswered at the end" not in to_html(settled(1.0))


def test_a_share_that_is_nearly_all_is_not_all() -> None:
    """One run in ten thousand is lost."""
    assert "99.9%" in printed(settled(*[1.0] * 1999, None))
    assert "100%" in printed(settled(*[1.0] * 2000))


def test_each_run_stands_in_the_json_by_its_seed() -> None:
    """One line a run, and a distribution that was stopped says so."""
    found = distribution([Run(seed, (lane(),)) for seed in (4, 3)], planned=5)
    text = to_json(found)
    told = json.loads(text)
    assert (told["planned"], told["done"]) == (5, 2)
    assert [run["seed"] for run in told["runs"]] == [3, 4]
    assert told["runs"][0]["lanes"][0]["settled_s"] == 1.0
    assert sum('"seed":' in line for line in text.splitlines()) == 2
    assert "2 simulated runs of 5, stopped before the end" in " ".join(printed(found).split())


def test_what_is_not_valid_is_said_on_every_face() -> None:
    """With a seed to look at."""
    found = distribution([Run(7, (lane(),), ("it was full",)), Run(8, (lane(),))])
    said = "1 of them is not valid, as with seed 7: it was full."
    assert said in " ".join(printed(found).split())
    assert said in to_html(found)
    assert json.loads(to_json(found))["invalid"] == 1


def test_hostile_names_stay_text() -> None:
    """In the page as in the terminal."""
    found = distribution([Run(0, (lane(name=HOSTILE),))])
    assert "\x1b" not in printed(found)
    page = to_html(found)
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_page_loads_nothing_and_draws_each_lane() -> None:
    """It needs no network, and has a chart for each lane that was disturbed."""
    lanes = (lane(1.0, "a"), lane(None, "b"), lane(name="still", observed_s=0.0))
    page = to_html(distribution([Run(0, lanes)]))
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert "://" not in markup
    assert markup.count("data-figure=") == 2
    assert "default-src 'none'" in markup


def test_a_line_ends_at_the_share_that_recovered() -> None:
    """Up by a run at each time, and level to the end of what was watched."""
    found = settled(2.0, 1.0, 2.0, None)
    [own] = [t for t in json.loads(figure_json(found.lanes[0], found))["data"] if t["uid"] == "own"]
    assert own["x"] == [0.0, 1.0, 2.0, 30.0]
    assert own["y"] == [0.0, 0.25, 0.75, 0.75]
