"""A sweep in the terminal and on its page."""

import base64
import hashlib
import html
import json
import re

import pytest
from rich.console import Console

from loadtests.simulation.sweep.cells import Played
from loadtests.simulation.sweep.html import to_html
from loadtests.simulation.sweep.panels import panels_of
from loadtests.simulation.sweep.picture import figure_json
from loadtests.simulation.sweep.plan import Sweep
from loadtests.simulation.sweep.telling import worst_of
from loadtests.simulation.sweep.terminal import render
from loadtests.simulation.sweep.to_json import to_json
from loadtests.simulation.sweep.verdict import Judged, judge
from tests.loadtests.simulation.sweep.made import SHORT, played, sweep_of

ONE = {**SHORT, "policies": [{"name": "no-retry"}]}


def judged(sweep: Sweep, known: int | None = None) -> Judged:
    """Above the diagonal nothing recovers, nor in the second half along one axis."""
    found = {}
    for number in range(sweep.size if known is None else known):
        place = sweep.place_of(number)
        level = sum(
            index / len(axis.values) for index, axis in zip(place, sweep.axes, strict=False)
        )
        found[number] = played(0 if level / len(sweep.axes) >= 0.5 else 3)
    return judge(sweep, found)


def lines(found: Judged) -> list[str]:
    """What is printed in a terminal of 80 columns."""
    console = Console(width=80, color_system=None, force_terminal=False)
    with console.capture() as caught:
        render(found, console)
    return caught.get().splitlines()


def test_two_axes_make_a_map_with_the_largest_values_at_the_top() -> None:
    """The first axis runs to the right."""
    sweep = sweep_of("load.utilisation=0.5:0.8:0.1", "dip.for=8s:10s:1s", values=ONE)
    text = lines(judged(sweep))
    top = text.index("dip.for")
    assert text[top - 1] == "no-retry: 6 recover, 3 vulnerable, 3 never come back"
    assert text[top + 1 : top + 6] == [
        "10s |..##",
        " 9s |..o#",
        " 8s |..oo",
        "    +----",
        "     load.utilisation: 0.5 to 0.8",
    ]


@pytest.mark.parametrize(
    "axes",
    [
        ["load.utilisation=0.5:0.99:0.005", "dip.for=1ms:100ms:1ms"],
        ["dip.for=1ms:150ms:1ms", "load.rate=1000.001/s:1000.009/s:0.001/s"],
        ["dip.for=1s:50s:1s"],
        ["dip.for=1s,2s", "load.rate=5/s,6/s", "policy.attempts=1,2"],
        ["dip.for=1s"],
    ],
)
def test_it_fits_in_80_columns(axes: list[str]) -> None:
    """However many cells there are, and whatever their names."""
    found = judged(sweep_of(*axes, values={**SHORT, "policies": [{"name": "full-jitter"}]}))
    assert max(map(len, lines(found))) <= 80
    assert len(lines(found)) < 120


def test_a_mark_that_stands_for_several_cells_shows_the_worst() -> None:
    """And says how many."""
    found = judged(sweep_of("load.rate=1/s:300/s:1/s", "dip.for=1s,2s", values=ONE))
    text = "\n".join(lines(found))
    assert "each mark: the worst of 5 × 1 cells" in text
    assert "2s |" + "." * 30 + "#" * 30 in text


def test_one_axis_makes_a_table() -> None:
    """With counts and medians."""
    text = "\n".join(lines(judged(sweep_of("dip.for=1s,2s", values=ONE))))
    assert re.search(r"1s +vulnerable +3 of 3 +1\.5 s +25%", text)
    assert re.search(r"2s +never comes back +0 of 3 +- +25%", text)


def test_more_axes_make_sums() -> None:
    """For each value of each axis."""
    axes = ("load.rate=5/s,6/s", "dip.for=1s,2s", "warm_up=2s,3s")
    text = "\n".join(lines(judged(sweep_of(*axes, values=ONE))))
    assert re.search(r"warm_up +recovers +vulnerable +never comes back", text)
    assert len(list(panels_of(judged(sweep_of(*axes, values=ONE))))) == 2


def near_an_edge() -> Judged:
    """To the right fewer runs recover; but with the highest load all do after the larger dip."""
    sweep = sweep_of("load.rate=5/s:8/s:1/s", "dip.for=1s,2s", values=ONE)
    recovered = (3, 3, 2, 2, 2, 1, 0, 3)
    assert (sweep.cells, sweep.size) == (8, 12)
    ends = [*recovered, 3, 3, 0, 1]
    return judge(sweep, {number: played(runs) for number, runs in enumerate(ends)})


def test_cells_of_which_the_runs_did_not_agree_have_marks_of_their_own() -> None:
    """Of each verdict, and the legend says what they mean; the headline counts them."""
    found = near_an_edge()
    text = "\n".join(lines(found))
    assert "2s |.:+o\n1s |.:c#\n" in text
    joined = " ".join(text.split())
    assert "In 4 cells and 1 probe the runs did not agree." in joined
    assert ": c + the same, but the runs of the cell did not agree" in joined
    page = to_html(found)
    assert "In 4 cells and 1 probe the runs did not agree." in page
    assert "not all runs agree</strong>: the same, but the runs" in page
    figure = re.findall(r'<script type="application/json" id="map-0">(.*?)</script>', page)[0]
    assert json.loads(figure)["data"][0]["text"] == [[".", ":", "c", "#"], [".", ":", "+", "o"]]


def test_where_all_runs_agree_nothing_is_said_of_it() -> None:
    """Neither in the headline nor in the legend."""
    found = judged(sweep_of("load.rate=5/s,6/s", "dip.for=1s,2s", values=ONE))
    for text in ("\n".join(lines(found)), to_html(found)):
        assert "did not agree." not in text
        assert "the same, but" not in text
        assert "a larger trigger passes" not in text


def test_a_larger_trigger_that_passes_is_said() -> None:
    """And counted, in words and in JSON."""
    found = near_an_edge()
    said = "1 cell does not come back though a larger trigger passes"
    assert said in " ".join(lines(found))
    assert said in to_html(found)
    told = json.loads(to_json(found))
    assert (told["runs_disagree"], told["against_order"]) == (4, 1)
    assert [cell["at"] for cell in told["cells"] if cell["against_order"]] == [
        {"load.rate": "8/s", "dip.for": "1s"}
    ]


def test_a_mark_that_stands_for_cells_that_differ_shows_the_worst() -> None:
    """Surely down is worse than down by most runs, and that is worse than all that comes back."""
    for marks, worst in (
        (".:", ":"),
        (":o", "o"),
        ("oc", "c"),
        ("c+", "+"),
        ("+#", "#"),
        (" .", "."),
    ):
        assert worst_of(marks) == worst_of(reversed(marks)) == worst


def test_what_is_not_played_yet_is_said_and_left_blank() -> None:
    """On the page as in the terminal."""
    found = judged(sweep_of("load.rate=5/s,6/s", "dip.for=1s,2s", values=ONE), known=2)
    text = "\n".join(lines(found))
    assert "2 of 6 cells and probes are played" in text
    assert "2s |. \n1s |. \n" in text
    assert "2 of 6 cells and probes are played" in to_html(found)


def test_the_page_has_a_map_a_policy_with_what_is_said_of_each_cell() -> None:
    """Columns are the first axis; the labels leave out the unit that the title has."""
    page = to_html(judged(sweep_of("load.rate=5/s,6/s", "dip.for=1s,2s")))
    found = re.findall(r'<script type="application/json" id="map-\d">(.*?)</script>', page)
    assert len(found) == 2
    figure = json.loads(found[0])
    (heat,) = figure["data"]
    assert (heat["x"], heat["y"]) == (["5", "6"], ["1", "2"])
    assert figure["layout"]["xaxis"]["title"]["text"] == "load.rate (/s)"
    assert figure["layout"]["yaxis"]["title"]["text"] == "dip.for (s)"
    assert heat["customdata"][0][0] == ["recovers", "3", "1.5 s", "25%", "0"]
    assert heat["text"][1][1] == "#"


def test_the_page_says_who_was_never_answered() -> None:
    """Beside 0% failed: a service that is dead fails nobody who retries for ever."""
    sweep = sweep_of("load.rate=5/s,6/s", "dip.for=1s,2s", runs=1)
    dead = Played((None,), (0.0,), unanswered_share=(0.375,))
    [panel, _] = panels_of(judge(sweep, {0: dead, 2: Played((1.0,), (0.0,))}))
    [heat] = json.loads(figure_json(panel, 1))["data"]
    told = [cell[3] for row in heat["customdata"] for cell in row]
    assert "0%, unanswered at the end: 37.5%" in told
    assert "0%" in told


def test_cells_that_are_not_valid_are_marked_with_the_reason() -> None:
    """Never silently drawn."""
    sweep = sweep_of("dip.for=1s,2s", values=ONE)
    bad = Played((1.0,) * 3, (0.0,) * 3, invalid=2, because="the load was high before")
    found = judge(sweep, {0: bad, 1: played(3), 2: played(3)})
    text = " ".join("\n".join(lines(found)).split())
    assert "1 are not valid." in text
    assert "? not valid: 2 or more of 3 runs are not, as the load was high before" in text
    assert "no-retry: 1 recover, 1 not valid" in text
    assert "as the load was high before" in to_html(found)


def test_every_string_is_escaped_and_only_known_scripts_run() -> None:
    """Names of scenarios and lanes come from anywhere."""
    name = "</script><b>&"
    values = {**SHORT, "name": name, "policies": [{"name": "no-retry", "lane": name}]}
    page = to_html(judged(sweep_of("dip.for=1s,2s", values=values)))
    assert name not in page
    assert "&lt;/script&gt;&lt;b&gt;&amp;" in page
    scripts = re.findall(r"<script>(.*?)</script>\n", page, re.DOTALL)
    hashes = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts}
    assert set(re.findall(r"'sha256-(.*?)'", html.unescape(page))) == hashes
    assert len(hashes) == 2


def test_a_name_is_no_markup_in_the_terminal() -> None:
    """Nor anything that a terminal obeys."""
    values = {**SHORT, "policies": [{"name": "no-retry", "lane": "[red]x[/red]"}]}
    text = "\n".join(lines(judged(sweep_of("dip.for=1s,2s", values=values))))
    assert "[red]x[/red]" in text
