"""The report in Markdown, as a reader of Markdown makes it; and all faces of one result."""

import html
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml
from rich.console import Console
from typer.testing import CliRunner, Result

from aftershock_verbs import app_for
from reports.measuring.catalogue import AMPLIFICATION, MEASURES, SETTLED, of_part
from reports.measuring.measure import Measure, Part
from reports.rendering import cells, words
from reports.rendering.cells import title
from reports.rendering.html import to_html
from reports.rendering.markdown import markdown
from reports.rendering.markdown_tables import whole_run
from reports.rendering.markdown_text import escaped, named, sentence, table
from reports.rendering.terminal import render
from reports.rendering.to_json import to_json
from reports.rendering.words import printable
from reports.summary import Report
from tests.reports.repeated import ten_dips
from tests.reports.shown import Tables, as_html, tables_in
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_rendering import REPORTS, report_of

STORMS = Made([Shape("a", plain(storm(30))), Shape("b", plain(storm(58)))])
NASTY = "|`*_<b>&amp;\\[a](b) @you https://x.example #1\n\x1b[31m~~x~~$y$"
CASES: dict[str, Callable[[], Report]] = {
    **REPORTS,
    "ten dips": lambda: report_of(ten_dips()),
    "nasty": lambda: report_of(
        Made(
            [
                Shape(NASTY, plain(storm(30)), "p|`q", describe=NASTY),
                Shape("other", plain(storm(9)), "p|`q"),
            ],
            scenario={"`````": "```\n```", "name": "</details><script>"},
            cpu={"generator": 0.99},
        )
    ),
}


@pytest.fixture(params=CASES)
def report(request: pytest.FixtureRequest) -> Report:
    return CASES[request.param]()


def read(text: str) -> Tables:
    return tables_in(as_html(text))


def plain_of(markup: str) -> str:
    return html.unescape(re.sub(r"</?(?:p|code|strong)>|<!---->", "", markup)).strip()


CHARS = "|*_<>&\\[]()#+-.!~$@:/=1a \n\t;\"'"
TEXT = st.text(st.sampled_from(f"`{CHARS}"), max_size=14)


@given(TEXT)
@settings(max_examples=300)
def test_any_text_stays_text(text: str) -> None:
    shown = printable(text)
    for made in (escaped(text), named(text)):
        assert plain_of(as_html(f"x{made}")) == f"x{shown}".strip()
        assert read(table(["t"], [[made]]))[0][1] == [shown.strip()]
    if shown.strip():
        assert plain_of(as_html(escaped(text))) == shown.strip()


@given(TEXT)
@example("#_")
def test_nobody_is_mentioned_and_no_issue(text: str) -> None:
    """Which GitHub looks for in what is shown, but not in code."""
    shown = re.sub("<code>.*?</code>", " ", as_html(f"x{escaped(text)} {named(text)}"))
    assert not re.search(r"[@#]\w", html.unescape(shown))


@given(st.text(st.sampled_from(CHARS), max_size=14))
def test_a_sentence_says_the_same(name: str) -> None:
    shown = plain_of(as_html(sentence(f"so `{name}` did")))
    assert shown == f"so {printable(name)} did"


def test_every_cell_is_that_of_the_report(report: Report) -> None:
    if not report.policies:
        return
    found = read(markdown(report))
    by = [] if report.alike or report.distributions else ["disturbed by"]
    for _, measures in whole_run(report):
        titles = [words.column(report), *by, *(title(one, report) for one in measures)]
        [rows] = [rows[1:] for rows in found if rows[0] == titles]
        assert [row[0] for row in rows] == [printable(words.name(one)) for one in report.policies]
        for row, policy in zip(rows, report.policies, strict=True):
            assert row[1 + len(by) :] == [cells.cell(one, policy) for one in measures]


def test_no_element_comes_from_a_name() -> None:
    shown = as_html(markdown(CASES["nasty"]()))
    assert set(re.findall(r"<(\w+)", shown)) <= {
        "h1", "h2", "h3", "p", "strong", "code", "pre", "ul", "li", "br",
        "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
    }  # fmt: skip
    assert shown.count("<details>") == shown.count("</details>") == 1


def test_what_is_not_valid_says_so_before_anything_else() -> None:
    text = markdown(CASES["nasty"]())
    assert text.index("NOT VALID") < text.index("kept the service")
    assert "This result is valid" not in text


def test_repeated_dips_have_their_distribution_and_each_its_row() -> None:
    report = CASES["ten dips"]()
    text = markdown(report)
    assert text.index("repetitions") < text.index("## Over the whole run\n")
    assert not re.search(r"^## (Recovery|Cost)$", text, re.MULTILINE), "after which dip?"
    slow = next(one for one in report.distributions if one.lane == "slow")
    assert f"not recovered in {slow.lost} of {len(slow.samples)}" in text
    [recovered] = [rows for rows in read(text) if rows[0][1] == "recovered"]
    assert recovered[-1][1] == f"{slow.recovered} of {len(slow.samples)}"
    [dips] = [rows for rows in read(text) if "number" in rows[0]]
    assert len(dips) == 1 + sum(len(policy.episodes) for policy in report.policies)
    early = [row for row in dips if row[-1].startswith("began before")]
    assert len(early) == sum(e.began_unsettled for p in report.policies for e in p.episodes)


def terminal_rows(report: Report) -> dict[str, list[str]]:
    """The words of each lane's row in the first table."""
    out = io.StringIO()
    render(report, Console(file=out, width=400))
    rows = {}
    for line in out.getvalue().splitlines():
        for policy in report.policies:
            if line.startswith(f" {policy.lane} ") and policy.lane not in rows:
                rows[policy.lane] = line.removeprefix(f" {policy.lane} ").split()
    return rows


@pytest.mark.parametrize("case", ["five", "one", "not recovered", "relapsing", "queue", "cut off"])
def test_all_faces_show_one_result(case: str) -> None:
    """Table, page, Markdown and JSON: the same figure of every measure of every lane."""
    report = CASES[case]()
    page, text = tables_in(to_html(report)), read(markdown(report))
    stored = {one["lane"]: one for one in json.loads(to_json(report))["policies"]}
    terminal = terminal_rows(report)
    for part in Part:
        measures = of_part(part)
        titles = [title(one, report) for one in measures]
        on_page, in_text = (
            {row[0]: row[1:] for rows in found if rows[0][1:] == titles for row in rows[1:]}
            for found in (page, text)
        )
        assert on_page == in_text
        for policy in report.policies:
            row = on_page.get(words.name(policy))
            if row is None:
                assert part is Part.SERVICE
                continue
            for measure, cell in zip(measures, row, strict=True):
                number = stored[policy.lane][measure.name]
                assert told_alike(measure, cell, number), (measure.name, cell, number)
                if measure.brief and part is not Part.SERVICE and re.fullmatch(r"[\d,.]+.*", cell):
                    figure = re.split(r"[ ×/]", cell)[0]
                    assert any(word.startswith(figure) for word in terminal[policy.lane]), cell


def told_alike(measure: Measure, cell: str, number: float | None) -> bool:
    """Whether what people read is what programs read, to the digits that are shown."""
    figure = re.fullmatch(r"([\d,]+(?:\.\d+)?)(?: s|/s|×|%)?", cell)
    if number is None or figure is None:
        return number is None and figure is None
    shown = float(figure[1].replace(",", "")) / (100 if cell.endswith("%") else 1)
    decimals = len(figure[1].partition(".")[2]) + (2 if cell.endswith("%") else 0)
    return bool(abs(shown - number) <= 0.5 * 10.0**-decimals + 1e-9)


def test_no_measure_is_forgotten() -> None:
    report = CASES["queue"]()
    titles = {cell for rows in read(markdown(report)) for cell in rows[0]}
    assert titles >= {title(measure, report) for measure in MEASURES}


def invoked(*arguments: str | Path) -> Result:
    texts = [str(argument) for argument in arguments]
    return CliRunner().invoke(app_for(texts), texts)


def test_the_gate_has_the_same_figures_in_junit(tmp_path: Path) -> None:
    """Every limit is broken, so that every case tells what was measured."""
    folder = STORMS.write(tmp_path / "run")
    report = report_of(STORMS)
    limits = ("--max-settled", "0.1s", "--max-failed", "0", "--max-amplification", "1")
    found = invoked("check", folder, *limits, "--junit", tmp_path / "junit.xml")
    assert found.exit_code == 1
    cases = JUnitXml.fromfile(str(tmp_path / "junit.xml"))
    told = {
        (case.classname, measure.name): case.result[0].message
        for suite in cases
        for case in suite
        for measure in (SETTLED, AMPLIFICATION)
        if measure.title in case.name
    }
    assert len(told) == 2 * len(report.policies)
    for policy in report.policies:
        for measure in (SETTLED, AMPLIFICATION):
            assert cells.cell(measure, policy) in told[policy.lane, measure.name]


def test_the_verb_prints_markdown_and_nothing_else(tmp_path: Path) -> None:
    folder = STORMS.write(tmp_path / "run")
    found = invoked("report", folder, "--markdown")
    assert (found.exit_code, found.output) == (0, markdown(report_of(STORMS)))
    assert (folder / "report.html").exists()
    both = invoked("report", folder, "--markdown", "--json")
    assert both.exit_code == 2
    assert "one of them can be printed" in both.output
