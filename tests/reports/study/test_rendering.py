"""The three faces of a study: the tables, the JSON, the page."""

import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console
from scipy.stats import binomtest

from reports.measuring.catalogue import MEASURES, TIMES_TRIGGER
from reports.reading.read import parse_record
from reports.record import Fault
from reports.rendering import spreads
from reports.rendering.study import grid, headlines, settled_within
from reports.rendering.study.html import to_html
from reports.rendering.study.terminal import render
from reports.rendering.study.to_json import to_json
from reports.several.study import Study
from reports.several.studying import study_of
from reports.summary import fold
from tests.reports.repeated import ten_dips
from tests.reports.shown import tables_in
from tests.reports.study.made import NEVER, report, reports, twice
from tests.reports.synthetic import Made, Shape, plain

HOSTILE = "<script>alert(1)</script>[red]\x1b[31m`"
LOST_3 = [10, 20, 30, 40, 50, 60, 70, NEVER, NEVER, NEVER]


def printed(study: Study, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    render(study, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def on_one_line(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", text).split())


def two_rates() -> Study:
    return study_of(
        report(seed, {"load": {"rate": rate}}, a=10 + seed, b=(NEVER if slow and seed < 3 else 40))
        for rate, slow in (("90/s", False), ("95/s", True))
        for seed in range(8)
    )


def charts_in(page: str) -> list[str]:
    """The names of the charts, in order; each is a picture that says what it is of."""
    charts = re.findall(r"<[^<>]* data-figure=[^<>]*>", page)
    assert all(re.search(r'role="img".*aria-label="[^"]', one, re.DOTALL) for one in charts)
    return [one.partition('data-figure="')[2].partition('"')[0] for one in charts]


def test_the_headline_says_it_all() -> None:
    each = [report(n, a=ticks, b=40 + n) for n, ticks in enumerate(LOST_3)]
    study = study_of(each)
    said = headlines.headline(study)
    assert said.startswith(
        "Over 10 runs `a` did not recover in 3 of 10; `b` settled within a median of 4.5 s (95%: "
    )
    assert said.replace("`", "") in on_one_line(to_html(study))
    assert said.replace("`", "") in on_one_line(printed(study))


def test_one_lane_that_always_recovered_has_a_short_headline() -> None:
    said = headlines.headline(study_of(reports([10, 20, 30])))
    assert said == "Over 3 runs `a` settled within a median of 2.0 s."


def test_repeated_dips_are_counted_and_not_taken_for_runs() -> None:
    each = [fold(parse_record(twice(10 + n, 30).encoded())) for n in range(3)]
    study = study_of(replace(one, run=replace(one.run, id=str(n))) for n, one in enumerate(each))
    assert headlines.headline(study).startswith("Over 3 runs with 6 dips `a` settled within")
    assert "those of one run have much in common" in on_one_line(printed(study))
    assert "independent" not in printed(study_of(reports([10, 20])))


def test_how_sure_recovery_is_counts_runs_and_not_their_dips() -> None:
    """Those of one run have its seed and its service in common: five runs tell as much as five."""
    each = [fold(parse_record(twice(10 + n, 30).encoded())) for n in range(5)]
    study = study_of(replace(one, run=replace(one.run, id=str(n))) for n, one in enumerate(each))
    exact = binomtest(5, 5).proportion_ci(0.95)
    [lane] = json.loads(to_json(study))["conditions"][0]["lanes"]
    assert (lane["recovered"], lane["n"], lane["runs"]) == (10, 10, 5)
    assert lane["recovered_interval"] == pytest.approx([exact.low, exact.high], abs=1e-6)
    for shown in (printed(study), to_html(study)):
        assert "10 of 10" in shown
        assert "5 of 5 runs" in shown
        assert f"[{100 * exact.low:.1f}–100%]" in shown


def test_what_one_run_tells_is_said_to_be_of_one_run() -> None:
    """Ten dips, and another condition beside it: no run of either was played twice."""
    dips, other = ten_dips(), ten_dips()
    each = [fold(parse_record(one.encoded())) for one in (dips, other)]
    study = study_of(
        replace(one, run=replace(one.run, id=str(n), scenario={"load": {"rate": f"9{n}/s"}}))
        for n, one in enumerate(each)
    )
    for shown in (printed(study), to_html(study)):
        assert spreads.OF_ONE_RUN in on_one_line(shown)
        assert "the runs' own medians" not in on_one_line(shown)


def test_nobody_is_said_not_to_recover_who_could_not_be_seen_to() -> None:
    """Calm lanes, and 4 s from the end of each dip to the next: no hold of 5 s fits in."""
    starts = [10.0 + 6 * n for n in range(3)]
    dips = [Fault("dip", f"dip-{at:g}", at, at + 2, "20/s") for at in starts]
    calm = Made(
        [Shape("a", plain([9] * 420))],
        capacity=lambda tick: 2.0 if any(at <= tick / 10 < at + 2 for at in starts) else 10.0,
        dips=dips,
    )
    found = fold(parse_record(calm.encoded()))
    study = study_of(replace(found, run=replace(found.run, id=str(n), seed=n)) for n in range(3))
    said = "Over 3 runs no lane was watched for the 6 s that it takes to see it settle."
    why = "6 disturbances met a when it was not over the one before, with less than the 6 s between"
    assert headlines.headline(study) == said
    for shown in (printed(study), to_html(study)):
        assert said in on_one_line(shown)
        assert why in on_one_line(shown)


def test_who_did_not_recover_comes_before_who_was_slow() -> None:
    """However soon it settled else."""
    each = [report(n, a=NEVER if n == 9 else 1, b=90) for n in range(10)]
    said = headlines.headline(study_of(each))
    assert said.startswith("Over 10 runs `a` did not recover in 1 of 10; `b` settled within")


def test_nothing_is_claimed_of_runs_that_nothing_disturbed_or_that_are_not_valid() -> None:
    calm = report(1, a=10)
    policies = tuple(
        replace(one, trigger=None, after=None, cost=None, episodes=()) for one in calm.policies
    )
    study = study_of([replace(calm, policies=policies, trigger=None)])
    assert headlines.headline(study).startswith("Nothing disturbed these runs")
    assert "recovered" not in printed(study)
    bad = study_of([report(n, why="it was full", a=10) for n in range(2)])
    assert (
        headlines.headline(bad) == "None of these runs is valid: there is nothing to say of them."
    )
    for text in (printed(bad), to_html(bad)):
        assert "2 of 2 runs do not count" in on_one_line(text)
        assert "it was full" in on_one_line(text)


@pytest.mark.parametrize("name", ["a", "x" * 64, "full-jitter-budget:attempts=5,base=200ms"])
def test_the_tables_fit_in_80_columns(name: str) -> None:
    each = []
    for seed, ticks in enumerate(LOST_3):
        found = report(seed, {"load": {"rate": f"{seed % 3}/s", "y" * 40: seed % 3}}, a=ticks)
        lanes = tuple(
            replace(
                one, title=name, attempts=int(4.6e10) + seed, peak_per_s=3.6e8 + seed, episodes=()
            )
            for one in found.policies
        )
        each.append(replace(found, policies=lanes))
    text = printed(study_of(each))
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


def test_what_did_not_recover_is_said_in_words_on_each_face() -> None:
    study = study_of(reports(LOST_3))
    assert "7 of 10" in printed(study)
    assert "not recovered in 3 of 10" in on_one_line(to_html(study))
    told = json.loads(to_json(study))
    [lane] = told["conditions"][0]["lanes"]
    assert (lane["n"], lane["recovered"], lane["measures"]["settled_s"]["late"]) == (10, 7, 3)
    assert lane["measures"]["settled_s"]["p95"] == {"value": None, "beyond": 30}
    assert [run["lanes"][0]["samples"][0]["settled_s"] for run in told["runs"]][-1] is None


def test_each_run_stands_in_the_json_by_its_seed() -> None:
    """One line a run, with every measure, those left out too; and the text is the same again."""
    study = study_of([*reports([10, 20]), report(77, why="it was full", a=30)])
    text = to_json(study)
    told = json.loads(text)
    assert [run["seed"] for run in told["runs"]] == [0, 1, 77]
    assert (told["done"], told["left_out"], told["valid"]) == (3, 1, True)
    assert told["runs"][2]["left_out_because"] == ["it was full"]
    [sample] = told["runs"][1]["lanes"][0]["samples"]
    assert {measure.name for measure in MEASURES} <= sample.keys()
    assert sample["settled_s"] == 2
    assert sum('"seed": ' in line for line in text.splitlines()) == 3
    assert to_json(study) == text


def test_every_measure_has_a_column_of_the_page() -> None:
    tables = tables_in(to_html(two_rates()))
    titles = [cell.strip() for rows in tables for row in rows for cell in row]
    for measure in MEASURES:
        if measure.part.value != "service":
            title = "÷ dip" if measure is TIMES_TRIGGER else measure.title
            assert titles.count(title) >= 2  # a table a condition


def test_every_number_beneath_a_chart_is_in_a_table() -> None:
    """And each lane under each condition has one chart of load, and one of settled."""
    page = to_html(two_rates())
    kinds = [name.partition("-")[0] for name in charts_in(page)]
    assert (kinds.count("load"), kinds.count("settled")) == (4, 4)
    beneath = re.findall(r"</script>\s*(<strong.*?)</td>", page, flags=re.DOTALL)
    assert len(beneath) == 4
    table = page.partition('id="settled-table"')[2].partition("</table>")[0]
    for cell in beneath:
        assert on_one_line(cell) in on_one_line(table)


def of_scenarios(*names: str) -> Study:
    """A run each of scenarios that differ in ten keys; of the last two alone both have a lane."""
    said = [{f"key-{key}": place for key in range(10)} for place in range(3)]
    each = [
        report(0, said[0], a=10),
        report(1, said[1], b=NEVER, c=30),
        report(2, said[2], c=NEVER),
    ][: len(names)]
    return study_of(
        replace(one, run=replace(one.run, name=name)) for one, name in zip(each, names, strict=True)
    )


def test_scenarios_are_called_by_their_names_and_each_has_its_own_lanes_only() -> None:
    study = of_scenarios("first", "second")
    assert [one.label for one in study.conditions] == ["first", "second"]
    assert headlines.headline(study) == (
        "Over 2 runs of 2 scenarios `b` did not recover in `second`; "
        "`c` settled after 3.0 s in `second`, the longest of those that recovered."
    )
    for face in (printed(study), on_one_line(to_html(study).partition("<script>")[0])):
        assert "not in these runs" not in face
        assert "key-9" not in face.partition('{"')[0], "all of ten keys say nothing"
        assert "Settled, in figures" not in face, "no lane is in both"
    assert [table[0][0] for table in tables_in(to_html(study))].count("lane") == 4
    assert "settled, median" not in printed(study)


def test_lanes_of_several_scenarios_are_compared() -> None:
    study = of_scenarios("first", "second", "third")
    title = ["lane", "first", "second", "third"]
    [rows] = [table for table in tables_in(to_html(study)) if table[0] == title]
    assert [row[0] for row in rows[1:]] == ["c"]
    assert "settled, median" in printed(study)


def test_names_that_do_not_tell_scenarios_apart_are_no_labels() -> None:
    study = of_scenarios("same", "same")
    assert [one.label for one in study.conditions] == [
        "key-0 = 0, key-1 = 0 and 8 more",
        "key-0 = 1, key-1 = 1 and 8 more",
    ]


def test_who_never_recovered_is_not_said_to_have_done_so_at_times() -> None:
    """0 of 1, and 0 of 2: they did not either. 1 of 2: not always."""
    once = study_of([report(1, a=NEVER, b=NEVER, c=10)])
    assert headlines.headline(once) == (
        "Over 1 run `a` did not recover; 1 other lane did not either; "
        "`c` settled after 1.0 s, the longest of those that recovered."
    )
    assert "no fit in 1 of 1" in to_html(once), "while it was watched: more is not known"
    twice_each = [report(1, a=NEVER, b=NEVER, c=10), report(2, a=NEVER, b=NEVER, c=NEVER)]
    assert headlines.headline(study_of(twice_each)) == (
        "Over 2 runs `a` did not recover in any of 2; 1 other lane did not either; "
        "1 other lane did not always."
    )


def test_all_that_sets_conditions_apart_is_told_on_page_and_terminal() -> None:
    """A label has two keys of it, and says how many more there are."""
    dips = {"for": "2s", "repeat": 10, "every": "30s"}
    each = [
        report(1, {"observation": "28s", "dips": [dips]}, a=10),
        report(2, {"observation": "30s", "dips": [{"for": "2s"}]}, a=20),
    ]
    study = study_of(each)
    assert [condition.label for condition in study.conditions] == [
        "observation = 28s, dips.0.repeat = 10 and 1 more",
        "observation = 30s, no dips.0.repeat and 1 more",
    ]
    text, [table, *_] = on_one_line(printed(study)), tables_in(to_html(study))
    assert "observation = 28s, dips.0.repeat = 10, dips.0.every = 30s" in text
    assert "observation = 30s, no dips.0.repeat, no dips.0.every" in text
    assert table[0][1:-1] == ["observation", "dips.0.repeat", "dips.0.every"]
    assert [row[1:-1] for row in table[1:]] == [["28s", "10", "30s"], ["30s", "–", "–"]]


def test_all_small_charts_have_one_scale() -> None:
    """From 5 s before the trigger; no peak is cut, and what did not recover is seen to the end."""
    study = two_rates()
    scale = grid.scale_of(study)
    assert scale
    drawn = [
        json.loads(grid.load_json(one.drawn, scale)) for one in grid.lanes_of(study) if one.drawn
    ]
    assert len(drawn) == 4
    assert {tuple(one["layout"]["xaxis"]["range"]) for one in drawn} == {(-7.0, 30.0)}
    [top] = {one["layout"]["yaxis"]["range"][1] for one in drawn}
    for one in drawn:
        stacked = [trace["y"] for trace in one["data"] if trace.get("stackgroup")]
        assert max(map(sum, zip(*stacked, strict=True))) == pytest.approx(200.0)
    assert top >= 200.0
    lost = [one for one in drawn if one["layout"]["shapes"][-1]["line"]["dash"] == "dash"]
    assert len(lost) == 1


def test_a_line_of_settled_ends_at_the_share_that_recovered() -> None:
    study = study_of(reports([20, 10, 20, NEVER]))
    [lane] = study.conditions[0].lanes
    until_s = settled_within.until_s_of(study)
    assert until_s == 30.0
    traces = json.loads(settled_within.figure_json(lane, [lane], until_s))["data"]
    [own] = [trace for trace in traces if trace["uid"] == "own"]
    assert own["x"] == [0.0, 1.0, 2.0, 30.0]
    assert own["y"] == [0.0, 0.25, 0.75, 0.75]


def test_a_simulation_that_was_stopped_says_so() -> None:
    study = replace(study_of(reports([10, 20])), planned=5)
    assert headlines.made(study) == ("one-dip: 2 runs of 5, stopped before the end, seeds 0 to 1")


def test_few_runs_are_said_to_be_few() -> None:
    assert "Of 3 samples no interval" in on_one_line(printed(study_of(reports([10, 20, 30]))))


def test_hostile_names_stay_text() -> None:
    """Of lanes, runs, keys and values, in the page as in the terminal."""
    each = []
    for seed in range(2):
        found = report(seed, {HOSTILE: f"{HOSTILE}{seed}"}, why=HOSTILE if seed else "", a=10)
        run = replace(found.run, id=f"{seed}{HOSTILE}", name=HOSTILE)
        policies = tuple(replace(one, title=HOSTILE, lane=HOSTILE) for one in found.policies)
        each.append(replace(found, run=run, policies=policies))
    study = study_of(each)
    assert "\x1b" not in printed(study)
    page = to_html(study)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_page_loads_nothing() -> None:
    page = to_html(two_rates())
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert "://" not in markup
    assert "default-src 'none'" in markup


def test_no_more_charts_are_drawn_than_anybody_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.rendering.study.html.MOST_CHARTS", 3)
    page = to_html(two_rates())
    assert len(charts_in(page)) == 6
    assert "No more than 3 charts are drawn" in page
