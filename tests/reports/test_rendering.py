"""The three faces of a report: the table, the JSON, the page."""

import io
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from reports.reading.read import parse_record
from reports.record import Action, End, Fault, Requests
from reports.rendering import triggers, words
from reports.rendering.html import to_html
from reports.rendering.offline import data_for_script
from reports.rendering.palette import MARKS
from reports.rendering.terminal import render
from reports.rendering.to_json import to_json
from reports.summary import Report, fold
from tests.reports.layered import DIP, layered
from tests.reports.model_000 import POLICIES, small
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_validity import QUEUED

DOCS = Path(__file__).parents[2] / "docs"
HOSTILE = "<script>alert(1)</script>"


def report_of(made: Made) -> Report:
    return fold(parse_record(made.encoded()))


LAYERS = Made(
    [
        layered("three attempts at each of three layers", (3, 3, 3), "immediate"),
        layered("three attempts at the client", (3, 1, 1), "immediate"),
        layered("shallow", (2, 2), "no-retry"),
    ],
    capacity=lambda tick: 0.0 if tick in DIP else 10.0,
    dips=[Fault("dip", "d", 10.0, 12.0, "0/s")],
)
FAULTS = Made(
    [Shape("a", plain(storm(0))), Shape("b", plain(storm(30))), Shape("c", plain([9] * 420))],
    capacity=lambda tick: 10.0,
    dips=[
        Fault("spike", "s", 10.0, 12.0, text="× 3", lanes=("a", "b")),
        Fault("latency", "f", 9.0, 11.0, text="200ms ± 50ms, 50%", lanes=("b",)),
    ],
    actions=[
        Action("shed", "action-1", 13.0, 16.0, ("b",), "90%"),
        Action("reopen", "action-2", 16.0, 616.0, None, "in steps of 20% every 5s"),
    ],
)


@cache
def five() -> Report:
    """The five policies of article 000 at a tenth of its scale."""
    return report_of(Made([small(policy, 3, 420) for policy in POLICIES]))


def one(length: int = 58) -> Report:
    return report_of(Made([Shape("exponential", plain(storm(length)))]))


REPORTS: dict[str, Callable[[], Report]] = {
    "five": five,
    "one": one,
    "calm": lambda: report_of(Made([Shape("a", plain([9] * 420))])),
    "not recovered": lambda: one(300),
    "relapsing": lambda: report_of(
        Made([Shape("a", plain([20 if 250 <= t < 270 else n for t, n in enumerate(storm(9))]))])
    ),
    "no dip": lambda: report_of(Made([Shape("a", plain([9] * 420))], dips=[])),
    "cut off": lambda: report_of(Made([Shape("a", plain(storm(9)))], ticks=110, end=None)),
    "nothing but a header": lambda: report_of(Made([Shape("a", [])], ticks=0, end=None)),
    "no lanes": lambda: report_of(Made([], ticks=0, end=None)),
    "queue": lambda: report_of(QUEUED),
    "layers": lambda: report_of(LAYERS),
    "faults": lambda: report_of(FAULTS),
    "long names": lambda: report_of(
        Made([Shape("a-lane-named-" + "x" * 60, plain(storm(9)), "retry:attempts=3,base=100ms")])
    ),
    "hostile": lambda: report_of(
        Made(
            [Shape(HOSTILE, plain(storm(9)), describe="</script><img src=x onerror=alert(2)>")],
            scenario={"name": "</script><script>alert(3)</script>", "\u2028": "&amp; <!--"},
            end=End(42.0, "error: <b>\x1b[31mred\x07"),
        )
    ),
}


@pytest.fixture(params=REPORTS)
def report(request: pytest.FixtureRequest) -> Report:
    return REPORTS[request.param]()


def printed(report: Report, width: int = 80, *, color: bool = False) -> str:
    out = io.StringIO()
    render(report, Console(file=out, width=width, force_terminal=color))
    return out.getvalue()


class Page(HTMLParser):
    """What a browser would make of the page: elements, what they load, and their texts."""

    VOID = frozenset({"meta", "br", "img", "link", "input", "hr", "wbr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in {self.open[-1]} if self.open else set():
            self.texts.setdefault(tag, []).append(data)


def test_json_is_what_the_schema_says(report: Report) -> None:
    """`test_schema` looks at the schema itself."""
    schema = json.loads((DOCS / "report.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(to_json(report)))


def test_json_has_the_fields_of_the_contract() -> None:
    found = json.loads(to_json(one()))
    assert found["schema"] == 1
    assert found["valid"] is True
    assert found["trigger"]["start_s"] == 10.0
    assert found["trigger"]["end_s"] == 12.0
    assert found["trigger"]["capacity_per_s"] == 20.0
    policy = found["policies"][0]
    assert policy["name"] == policy["lane"] == "exponential"
    assert (policy["first_fit_s"], policy["settled_s"]) == (5.8, 5.8)
    assert (policy["recovered"], policy["relapses"], policy["times_trigger"]) == (True, 0, 2.9)
    assert (policy["peak_per_s"], policy["storm_attempts"]) == (200, 580)


def test_json_says_null_for_not_recovered() -> None:
    policy = json.loads(to_json(one(300)))["policies"][0]
    assert policy["settled_s"] is None
    assert policy["times_trigger"] is None
    assert policy["recovered"] is False


def test_every_field_of_the_schema_is_in_the_documentation() -> None:
    text = (DOCS / "report.md").read_text()
    schema = json.loads((DOCS / "report.schema.json").read_text())
    policy = schema["properties"]["policies"]["items"]["properties"]
    for name in (*schema["properties"], *(f"policies[].{name}" for name in policy)):
        assert f"`{name}`" in text


def test_the_table_fits_in_80_columns(report: Report) -> None:
    assert max(len(line.rstrip()) for line in printed(report).splitlines()) <= 80


def test_a_pipe_gets_no_colours_and_no_controls(report: Report) -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", printed(report))
    assert "\x1b[31mred" not in printed(report, color=True)


def test_the_sentence_comes_first_and_says_what_happened() -> None:
    text = printed(one())
    assert text.startswith("exponential kept the service overloaded for 5.8 s after a 2.0 s dip:")
    assert "2.9× the" in text.replace("\n", " ")


def test_the_sentence_names_the_slowest_and_the_best() -> None:
    text = printed(five())
    assert text.startswith("exponential kept the service overloaded for ")
    assert "full-jitter-budget recovered best: at once" in text


def test_not_recovered_is_said_in_words() -> None:
    text = printed(one(300))
    assert "exponential had not recovered 30.0 s after a 2.0 s dip was over." in text
    assert "not recovered within 30 s" in text
    assert "> 30 s" in text


def test_a_lane_that_was_watched_too_short_is_not_called_the_slowest() -> None:
    """A storm of 27 s leaves 3 s to watch, of 5; one that never ends is worse news."""
    calm, never = Shape("calm", plain(storm(270))), Shape("never", plain(storm(300)))
    text = printed(report_of(Made([calm])))
    assert text.startswith("calm was under capacity 2")
    assert "not watched long" in text
    both = printed(report_of(Made([calm, never])))
    assert both.startswith("never had not recovered 30.0 s after a 2.0 s dip was over.")
    assert "recovered best" not in both


def test_what_is_not_valid_says_so_first() -> None:
    """Before the sentence that would be quoted, on the page as in the terminal."""
    report = report_of(Made([Shape("a", plain(storm(30)))], end=None))
    assert printed(report).startswith("NOT VALID:")
    page = to_html(report)
    assert page.index("This result is not valid.") < page.index("<h1>")


def test_relapses_are_said() -> None:
    assert "a: relapsed once after it had settled, with 200" in printed(REPORTS["relapsing"]())


def test_the_verdict_is_said_either_way() -> None:
    assert "This result is valid." in printed(five())
    text = printed(REPORTS["cut off"]())
    assert "NOT VALID" in text
    assert "no end line" in text


def test_no_figure_is_cut_short_in_the_table() -> None:
    assert "…" not in printed(five())
    for policy in five().policies:
        assert policy.policy in printed(five())


MILLION = Made(
    [
        Shape(name, plain([total * 10**6 for total in storm(9)], first=9 * 10**6))
        for name in ("immediate", "full-jitter")
    ],
    capacity=lambda tick: 10.0**7,
)


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("made", ["five", "million"])
def test_names_and_figures_are_whole_however_narrow_it_is(width: int, made: str) -> None:
    """Large counts are told in millions, and what has no room stands beneath."""
    report = five() if made == "five" else report_of(MILLION)
    text = printed(report, width)
    assert "…" not in text
    for policy in report.policies:
        name = "budget" if policy.policy.endswith("budget") else policy.policy
        assert re.search(rf"^ .*{name} +\d", text, re.MULTILINE)
    if made == "million":
        assert words.millions(report.policies[0].attempts) in text
    else:
        assert words.count(report.policies[0].attempts) in text


def test_the_page_is_whole_and_loads_nothing(report: Report) -> None:
    """Every element is closed, and no attribute names a thing to fetch."""
    page = Page(to_html(report))
    assert page.open == []
    loads = [a for a in page.attributes if a[1] in {"src", "href", "srcset", "action", "data"}]
    assert loads == []
    assert not any(name.startswith("on") for _, name, _ in page.attributes)
    style = "".join(page.texts["style"])
    assert "url(" not in style
    assert "@import" not in style


def test_the_page_has_a_policy_that_runs_known_scripts_only() -> None:
    html = to_html(one())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1] or "default-src 'none'" in policy[1]
    assert "http" not in policy[1]
    assert "unsafe-eval" not in policy[1]
    script = re.search("script-src ([^;]*(?:&#39;[^;]*)*);", policy[1])
    assert script is not None
    assert "unsafe-inline" not in script[1]
    assert policy[1].count("sha256-") == 2


def test_hostile_names_stay_text() -> None:
    """As many scripts as in a harmless report of one lane, and the name is there to be read."""
    hostile, harmless = Page(to_html(REPORTS["hostile"]())), Page(to_html(one()))
    assert hostile.tags.count("script") == harmless.tags.count("script")
    assert "img" not in hostile.tags
    assert HOSTILE in "".join(hostile.texts["h3"])
    assert "</script><script>alert(3)</script>" in "".join(hostile.texts["pre"])
    for text in (*hostile.texts["style"], *hostile.texts["title"]):
        assert "alert" not in text


def test_json_in_a_script_cannot_end_it() -> None:
    text = json.dumps({"</script>": "<!-- & \u2028"}, ensure_ascii=False)
    assert not re.search("[<>&\u2028]", data_for_script(text))
    assert json.loads(data_for_script(text)) == json.loads(text)


def test_every_chart_is_json_with_one_scale_and_all_layers() -> None:
    figures = figures_of(five())
    assert len(figures) == 5
    assert len({tuple(figure["layout"]["yaxis"]["range"]) for figure in figures}) == 1
    top = figures[0]["layout"]["yaxis"]["range"][1]
    assert top > max(policy.peak_per_s for policy in five().policies)
    names = [trace["name"] for trace in figures[2]["data"]]
    assert names == ["first attempts", "1st retries", "2nd retries", "3rd retries", "capacity"]
    texts = [label["text"] for label in figures[2]["layout"]["annotations"]]
    assert texts[:2] == ["dip", "capacity 100/s"]
    assert texts[2].startswith("settled ")
    assert texts[3].startswith("first fit ")


def test_the_page_says_all_that_the_table_says() -> None:
    text = re.sub(r"<[^>]*>", "", to_html(five()).split("<main>")[1].split("<noscript>")[0])
    for policy in five().policies:
        assert policy.policy in text
        assert f"{policy.attempts:,}" in text
        assert policy.after is not None
        assert f"{policy.after.settled_s:.1f} s" in text


def test_an_invalid_page_says_so_at_the_top() -> None:
    page = to_html(REPORTS["cut off"]())
    assert page.index("This result is not valid") < page.index("Recovery</h2>")
    assert "not valid" not in to_html(five()).split("<h2")[0]


def figures_of(report: Report) -> list[dict[str, Any]]:
    found = re.findall(
        r'<script type="application/json" id="figure-\d">(.*?)</script>', to_html(report)
    )
    return [json.loads(text) for text in found]


def labels_of(figure: dict[str, Any]) -> list[str]:
    return [label["text"] for label in figure["layout"]["annotations"]]


def test_a_lane_that_kept_attempts_waiting_has_its_queue_drawn() -> None:
    queued = figures_of(REPORTS["queue"]())
    assert all(figure["data"][-1]["name"] == "queue" for figure in queued)
    assert len({tuple(figure["layout"]["yaxis2"]["range"]) for figure in queued}) == 1
    calm = figures_of(five())
    assert not any("yaxis2" in figure["layout"] for figure in calm)


def test_what_an_operator_did_is_drawn_where_it_concerned_the_lane() -> None:
    first, *_, operated = figures_of(REPORTS["queue"]())
    assert "block retries" in labels_of(operated)
    assert "block retries" not in labels_of(first)
    assert "let through by the operator" in [trace["name"] for trace in operated["data"]]
    assert operated["layout"]["height"] > first["layout"]["height"]


def test_every_disturbance_of_a_lane_is_a_band_with_its_name() -> None:
    a, b, c = figures_of(REPORTS["faults"]())
    assert "load spike" in labels_of(a)
    assert {"load spike", "added latency", "shed 90%", "reopen"} <= set(labels_of(b))
    assert labels_of(c) == ["reopen", "operator"]
    bands = [(shape["x0"], shape["x1"]) for shape in b["layout"]["shapes"][:2]]
    assert bands == [(-3.0, -1.0), (-2.0, 0.0)]
    bars = [shape for shape in c["layout"]["shapes"] if shape["fillcolor"] == MARKS["bar"]]
    assert [bar["line"]["width"] for bar in bars] == [1.5], "a border, which no load has"


def test_layers_are_told_in_all_three() -> None:
    report = REPORTS["layers"]()
    text, page, document = printed(report), to_html(report), json.loads(to_json(report))
    assert "27×" in text
    assert "gateway 2" in text
    assert "27×" in page
    assert "at gateway 2" in page
    assert "27× by" not in page
    assert document["policies"][0]["layers"]["in_trigger"]["product"] == 27
    assert "27×" not in printed(five())
    assert document["policies"][0]["layers"]["over_run"]["levels"][0]["made_by"] == "client"


def test_a_storm_that_lives_on_abandoned_work_is_told_in_words() -> None:
    """The same dip: a service that drops such work recovers, one that finishes it does not."""
    text = " ".join(printed(REPORTS["queue"]()).split())
    assert "finish: not recovered within 30 s after the dip; from then on 100% of the" in text
    assert (
        "operated: it settled after an operator had intervened (after the dip: block retries"
        in text
    )
    finish, drop, *_ = json.loads(to_json(REPORTS["queue"]()))["policies"]
    assert (finish["recovered"], drop["recovered"]) == (False, True)
    assert (finish["goodput_back_s"], drop["settled_s"]) == (None, drop["first_fit_s"])
    assert finish["work_lost"] == pytest.approx(1.0)


def test_a_service_that_drops_what_was_abandoned_is_not_said_to_have_worked_on_it() -> None:
    """By its own word, where it gave one: a target that ran already is not the scenario's."""
    planned = {"target": {"abandoned": "drop"}}
    assert "had gone" not in printed(report_of(QUEUED.but(scenario=planned)))
    assert "had gone" not in printed(report_of(QUEUED.but(target={"abandoned": "drop"})))
    finishes = QUEUED.but(scenario=planned, target={"abandoned": "finish"})
    assert "had gone" in printed(report_of(finishes))


def starved() -> Report:
    """Load that fits in capacity from the dip's end on, while no request is answered any more."""
    requests = tuple(
        Requests(
            tick / 10,
            "a",
            issued=9,
            succeeded=9 if tick < 100 else 0,
            failed=Counter({"out-of-attempts": 9} if tick >= 100 else {}),
            attempts=9,
        )
        for tick in range(420)
    )
    return report_of(Made([Shape("a", plain([9] * 420), requests=requests)]))


def test_a_load_that_settled_while_nobody_is_served_is_no_recovery() -> None:
    report = starved()
    text = " ".join(printed(report).split())
    assert text.startswith("a had not recovered 30.0 s after a 2.0 s dip was over: its load fitted")
    assert re.search(r" a 0\.0 s 0\.0 s 0\.0× ", text), "settled has its figure"
    assert re.search(r" a > 30 s 0 0 ", text), "and goodput the verdict"
    assert "under capacity from 0.0 s on, in vain" in text
    page = words_of(to_html(report))
    assert '<td class="settled lost">0.0 s</td>' in page, "as its mark in the chart"
    assert '<td class="lost">not back within 30 s</td>' in page
    assert "settled 0.0 s, goodput not back within 30 s" in page, "the chart in words"
    assert "settled 0.0 s, goodput not back" in to_html(report), "its label"
    [policy] = json.loads(to_json(report))["policies"]
    assert (policy["settled_s"], policy["recovered"], policy["goodput_back_s"]) == (
        None,
        False,
        None,
    )
    assert (policy["load_settled_s"], policy["times_trigger"]) == (0, None)


def test_a_ramp_is_told_from_a_step() -> None:
    dips = (
        Fault("dip", "dip-1", 10.0, 12.0, "20%", "ramp"),
        Fault("dip", "dip-2", 13.0, 14.0, "50%"),
    )
    assert [triggers.happening(dip)[1] for dip in dips] == ["20%, ramp", "50%"]
    assert "<td>20%, ramp</td>" in to_html(
        report_of(Made([Shape("a", plain(storm(9)))], dips=dips))
    )


def test_long_names_break_where_their_parts_end() -> None:
    report = report_of(Made([Shape("retry:attempts=3,base=100ms", plain(storm(9)))]))
    lines = printed(report).splitlines()
    assert any(line.startswith(" retry:attempts=3, ") for line in lines)
    assert any(line.startswith(" base=100ms ") for line in lines)


def test_lanes_with_triggers_of_their_own_have_them_in_the_table() -> None:
    report = REPORTS["faults"]()
    text = printed(report)
    assert "undisturbed" in text
    assert '<span class="by">undisturbed</span>' in to_html(report)


def test_a_simulated_run_says_so_and_has_no_date() -> None:
    """On the page and in the terminal: nobody takes it for a measurement, or for one of 1970."""
    live = one()
    run = replace(
        live.run, source="simulated", started_epoch_s=0.0, versions={"engine": "ticks"}, scenario={}
    )
    report = replace(live, run=run)
    page = words_of(to_html(report))
    assert "simulated, engine ticks, seed" in page
    assert "Simulated by the ticks engine in virtual time" in page
    assert "1970" not in page
    assert "Health of the instrument" not in page
    assert "no service was loaded" in " ".join(printed(report).split())
    assert "Health of the instrument" in words_of(to_html(live))
    assert "Simulated" not in words_of(to_html(live)) + printed(live)


def words_of(page: str) -> str:
    """The page without its scripts."""
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
