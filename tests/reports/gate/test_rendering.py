"""One verdict in a terminal, as JUnit XML, on GitHub, in Markdown and as JSON."""

import json
import os
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import junitparser
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from reports.judging.gate.verdict import Verdict, judge
from reports.measuring.sampling import Sampled
from reports.rendering.gate import terminal
from reports.rendering.gate.github import (
    MAX_SUMMARY_BYTES,
    annotations,
    append_summary,
    harmless,
)
from reports.rendering.gate.junit import to_junit, write_junit
from reports.rendering.gate.markdown import to_markdown
from reports.rendering.gate.to_json import to_json
from reports.rendering.markdown_text import escaped
from tests.reports.gate.made import FIGURES, lane, rule, run_of, settled

RULES = (rule("settled", "3x"), rule("failed", "5%"))
HOSTILE = "a|b`c<script>]]>&\"'\n::error::x%0A,:##[error]\x00\x1b[31m\ud800\uffff*_[x](y)\\|"


def verdict(*lanes: Sampled, invalid: tuple[str, ...] = (), name: str = "runs/1") -> Verdict:
    return judge(RULES, [run_of(*lanes, name=name, invalid=invalid)])


BOTH = verdict(lane(settled(4.9)), lane(settled(7.1), name="b"))
BAD = verdict(lane(settled(4.9)), invalid=("a | second, is missing", "50% <late>"))


def hostile(name: str, invalid: tuple[str, ...] = ()) -> Verdict:
    return verdict(lane(settled(7.1), name=name), invalid=invalid, name=name)


def printed(found: Verdict) -> str:
    console = Console(width=80, record=True, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    terminal.render(found, console)
    return console.export_text()


def test_a_terminal_has_a_line_for_each_rule_and_lane() -> None:
    assert printed(BOTH).splitlines() == [
        "pass  a  settled 4.9 s ≤ 6.0 s (3x the dip)",
        "pass  a  failed 150 ≤ 200 (5% of the requests)",
        "FAIL  b  settled 7.1 s > 6.0 s (3x the dip)",
        "pass  b  failed 150 ≤ 200 (5% of the requests)",
        "1 of 4 rules broken by runs/1.",
    ]


def test_lines_stand_one_below_the_other_and_long_names_are_cut_in_the_middle() -> None:
    name = "first" + "x" * 10_000 + "last"
    long, short, _ = printed(
        verdict(lane(settled(1.0), name=name), lane(settled(1.0), name="b"))
    ).splitlines()[1:4]
    assert long.startswith("pass  firstxxx")
    assert "xlast  failed 150" in long
    assert long.index("failed") == short.index("settled") == len("pass  ") + 80 + len("  ")


def test_of_what_is_not_valid_no_rule_is_told() -> None:
    assert printed(BAD).splitlines() == [
        "NOT VALID  runs/1: a | second, is missing; 50% <late>",
        "The result is not valid: no rule was judged.",
    ]


def test_whatever_names_there_are_a_line_stays_a_line() -> None:
    lines = printed(hostile(HOSTILE)).splitlines()
    assert len(lines) == 3
    assert "\x1b" not in "".join(lines)
    assert "##[" in lines[0]
    assert "##[" not in harmless(lines[0])


def test_junit_has_a_suite_of_a_case_for_each() -> None:
    """As `junitparser` reads it back."""
    [suite] = junitparser.JUnitXml.fromstring(to_junit(BOTH).encode())
    assert (suite.name, suite.tests, suite.failures, suite.errors) == ("runs/1", 4, 1, 0)
    cases = [(case.classname, case.name, case.is_passed) for case in suite]
    assert cases == [
        ("a", "settled ≤ 3x the dip", True),
        ("a", "failed ≤ 5% of the requests", True),
        ("b", "settled ≤ 3x the dip", False),
        ("b", "failed ≤ 5% of the requests", True),
    ]
    [failure] = next(case for case in suite if case.is_failure).result
    assert failure.message == "settled 7.1 s > 6.0 s (3x the dip)"
    assert [case.system_out for case in suite][:3] == [
        "settled 4.9 s ≤ 6.0 s (3x the dip)",
        "failed 150 ≤ 200 (5% of the requests)",
        None,
    ]


def test_in_junit_every_case_of_what_is_not_valid_is_an_error() -> None:
    [suite] = junitparser.JUnitXml.fromstring(to_junit(BAD).encode())
    assert (suite.tests, suite.failures, suite.errors) == (2, 0, 2)
    assert {case.result[0].message for case in suite} == {
        "runs/1 is not valid: a | second, is missing; 50% <late>"
    }


@given(st.text(max_size=30) | st.just(HOSTILE))
def test_junit_is_xml_whatever_names_there_are(name: str) -> None:
    for found in (hostile(name), hostile(name, (name,))):
        text = to_junit(found)
        root = ElementTree.fromstring(text)  # noqa: S314 - ours
        shown = "".join(c if c.isprintable() else "�" for c in name)
        assert [case.get("classname") for case in root.iter("testcase")] == [shown, shown]
        [suite] = junitparser.JUnitXml.fromstring(text.encode())
        assert suite.name == shown


def test_a_folder_is_made_for_junit(tmp_path: Path) -> None:
    path = tmp_path / "some" / "folder" / "junit.xml"
    write_junit(BOTH, path)
    assert path.read_text() == to_junit(BOTH)


def command(line: str) -> tuple[dict[str, str], str]:
    """Properties and message, as GitHub's runner reads them (ActionCommand.cs)."""
    assert line.startswith("::error ")
    head, _, data = line.removeprefix("::error ").partition("::")
    properties = dict(part.split("=", 1) for part in head.split(","))
    for escape, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        properties = {key: value.replace(escape, char) for key, value in properties.items()}
        if char in "\r\n%":
            data = data.replace(escape, char)
    return properties, data


def test_github_annotates_each_breach() -> None:
    assert [command(line) for line in annotations(BOTH)] == [
        ({"title": "aftershock: b"}, "settled 7.1 s > 6.0 s (3x the dip)")
    ]
    assert annotations(verdict(lane(settled(1.0)))) == []


def test_github_annotates_each_run_that_is_not_valid() -> None:
    assert [command(line) for line in annotations(BAD)] == [
        ({"title": "aftershock: runs/1 is not valid"}, "a | second, is missing; 50% <late>")
    ]


def test_percent_colon_and_comma_are_escaped_as_documented() -> None:
    """https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions"""
    [line] = annotations(hostile("a:b,c%", ("1,5: 50%",)))
    assert line == "::error title=aftershock%3A a%3Ab%2Cc%25 is not valid::1,5: 50%25"


@given(st.text(max_size=30) | st.just(HOSTILE))
def test_an_annotation_is_one_command_whatever_names_there_are(name: str) -> None:
    [line] = annotations(hostile(name))
    shown = "".join(c if c.isprintable() else "�" for c in name)
    assert len(line.splitlines()) == 1
    assert command(line)[0] == {"title": f"aftershock: {shown}"}


def test_no_more_annotations_than_github_shows() -> None:
    many = verdict(*(lane(settled(7.1), name=f"lane {n}") for n in range(30)))
    lines = annotations(many)
    assert len(lines) == 10
    assert "and 21 more" in lines[-1]


def table(text: str) -> list[list[str]]:
    """The cells of the only table, as a Markdown parser shows them."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    assert sum(token.type == "table_open" for token in tokens) == 1
    rows: list[list[str]] = []
    for token, inner in pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        if token.type in {"td_open", "th_open"}:
            shown = [child for child in inner.children or [] if child.content != "<!---->"]
            kinds = {child.type for child in shown}
            assert kinds <= {"text", "text_special"}, kinds
            rows[-1].append("".join(child.content for child in shown))
    return rows


def test_the_summary_is_a_table_of_breaches_first() -> None:
    text = to_markdown(BOTH, 10_000)
    assert text.startswith("### ❌ Recovery is not within its limits\n\n1 of 4 rules broken")
    assert table(text) == [
        ["verdict", "lane", "measured"],
        ["❌ FAIL", "b", "settled 7.1 s > 6.0 s (3x the dip)"],
        ["✅ pass", "a", "settled 4.9 s ≤ 6.0 s (3x the dip)"],
        ["✅ pass", "a", "failed 150 ≤ 200 (5% of the requests)"],
        ["✅ pass", "b", "failed 150 ≤ 200 (5% of the requests)"],
    ]


def test_the_summary_says_why_a_result_is_not_valid() -> None:
    text = MarkdownIt("commonmark", {"html": True}).render(to_markdown(BAD, 10_000))
    assert "<li>not valid: runs/1: a | second, is missing; 50% &lt;late&gt;</li>" in text
    assert "was not judged" in text


@given(st.text(max_size=30) | st.just(HOSTILE))
def test_a_name_is_shown_in_a_table_as_it_is(name: str) -> None:
    rows = table(to_markdown(hostile(name), 100_000))
    shown = "".join(c if c.isprintable() else "�" for c in name)
    assert [row[1] for row in rows[1:]] == [shown.strip()] * 2


@pytest.mark.parametrize("max_bytes", [0, 10, 300, 1000, 2000, 10_000])
def test_a_summary_has_as_many_rows_as_there_is_room_for(max_bytes: int) -> None:
    many = verdict(*(lane(settled(7.1), name=f"läne {n}") for n in range(30)))
    text = to_markdown(many, max_bytes)
    assert len(text.encode()) <= max_bytes
    if text:
        left = 60 - (len(table(text)) - 1)
        assert (f"and {left} more rules" in text) is (left > 0)


def test_a_summary_is_added_to_what_the_step_has(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    append_summary(BOTH, path)
    once = path.read_text()
    append_summary(BOTH, path)
    assert path.read_text() == f"{once}\n{once}"


def test_nobody_waits_for_the_reader_of_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="No such device"):
        append_summary(BOTH, path)


@pytest.mark.parametrize("free", [0, 1, 100, 600])
def test_a_summary_never_is_larger_than_github_takes(tmp_path: Path, free: int) -> None:
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * (MAX_SUMMARY_BYTES - free))
    append_summary(BOTH, path)
    assert path.stat().st_size <= MAX_SUMMARY_BYTES


def test_json_has_every_finding_with_its_figures() -> None:
    found = json.loads(to_json(BOTH, 1))
    assert (found["verdict"], found["exit_code"]) == ("breach", 1)
    assert found["runs"] == [{"run": "runs/1", "valid": True, "invalid_because": []}]
    broken = found["rules"][2]
    assert broken["limit"] == {"text": "3x", "amount": 3.0, "in": "times the trigger"}
    assert broken["worst"] == {"run": "runs/1", "number": 1, "value": 7.1, "beyond": None}
    assert (broken["lane"], broken["measure"], broken["most"]) == ("b", "settled_s", 6.0)
    assert (broken["kept"], broken["n"], broken["within"]) == (False, 1, 0)


def test_json_has_no_number_for_what_did_not_come_about() -> None:
    [late, _] = json.loads(to_json(verdict(lane(settled(None), FIGURES)), 1))["rules"]
    assert late["worst"] == {"run": "runs/1", "number": 1, "value": None, "beyond": 28.0}


def test_every_form_says_the_same() -> None:
    """Terminal, JUnit, annotation, Markdown and JSON: one sentence for one breach."""
    line = "settled 7.1 s > 6.0 s (3x the dip)"
    assert f"FAIL  b  {line}" in printed(BOTH)
    assert line.replace(">", "&gt;") in to_junit(BOTH)
    assert annotations(BOTH)[0].endswith(f"::{line}")
    assert escaped(line) in to_markdown(BOTH, 10_000)
    assert json.loads(to_json(BOTH, 1))["rules"][2]["message"] == line
