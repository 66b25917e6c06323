"""A comparison as people and programs read it."""

import io
import json
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from reports.judging.differences.comparison import Comparison, compare_sides
from reports.judging.differences.least import least_of
from reports.judging.differences.measures import COMPARED, measures_of
from reports.judging.differences.sides import side_of
from reports.rendering.differences import cells, sentences
from reports.rendering.differences.markdown import to_markdown
from reports.rendering.differences.terminal import render
from reports.rendering.differences.to_json import to_json
from reports.statistics.value import Value
from tests.reports.differences.made import compared, figures, lane, run, settled

EVIL = "<script>|`x`\x1b[31m\n[a](http://b)"


def printed(found: Comparison, width: int = 80) -> str:
    into = io.StringIO()
    render(found, Console(file=into, width=width))
    return into.getvalue()


def flat(text: str) -> str:
    return " ".join(text.split())


def found(*words: str) -> Comparison:
    base = [figures(5.05 + n / 10, failed=100 + n, ampl=1.1 + n / 100) for n in range(10)]
    new = [figures(9.07 + n / 10, failed=102 + n, ampl=1.1) for n in range(7)]
    return compared(
        {"full-jitter": base}, {"full-jitter": [*new, *settled(None, None, None)]}, *words
    )


def test_each_row_has_both_medians_the_difference_and_what_to_think_of_it() -> None:
    said = printed(found())
    lines = {line.split()[0]: flat(line) for line in said.split("\n") if line.strip()}
    assert lines["settled"] == "settled 5.5 s 9.5 s +4.0 s <0.0001 worse"
    assert lines["failed"].startswith("failed (share) 2.6% 2.6% −0.03 points 0.")
    assert lines["ampl."].startswith("ampl. 1.15× 1.10×")
    assert "NEW is worse: settled of full-jitter." in said
    assert "full-jitter, settled: not recovered in 0 of 10 of BASE and in 3 of 10 of NEW." in flat(
        said
    )
    assert "corrected by Holm for all 3 rows together" in flat(said)


def test_a_median_that_did_not_come_about_is_no_number() -> None:
    base, late = settled(*[4.0 + n / 10 for n in range(8)]), settled(*[None] * 8)
    said = printed(compared({"a": base}, {"a": late}, "settled"))
    assert "> 30 s" in said
    assert "not recovered in 0 of 8 of BASE and in 8 of 8 of NEW" in flat(said)


def test_what_was_not_shown_says_how_many_runs_would() -> None:
    result = compared({"a": settled(4, 5, 6, 7)}, {"a": settled(5, 6, 7, 8)}, "settled")
    row = result.lanes[0].rows[0]
    assert row.needed
    said = flat(printed(result))
    assert f"{row.needed} each not shown +{row.needed - 4}" in said
    assert "neither better nor worse than BASE, as far as 4 against 4 runs can show" in said


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.00005, 0.0082, "−0.01 to +0.82"),
        (0.0, 0.031, "0 to +3.1"),
        (-0.0000025, 0.0000025, "−0.00025 to +0.00025"),
        (0.004, 0.004, "+0.40"),
        (0.0, 0.0, "0"),
        (None, 0.012, "+1.2 or less"),
        (0.012, None, "+1.2 or more"),
        (None, None, ""),
    ],
)
def test_both_ends_of_an_interval_have_as_many_digits(
    low: float | None, high: float | None, said: str
) -> None:
    row = found("failed").lanes[0].rows[0]
    assert row.difference
    ends = tuple(None if one is None else Value(one) for one in (low, high))
    difference = replace(row.difference, interval=(ends[0], ends[1]))
    assert cells.interval(replace(row, difference=difference)) == said


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((-0.0103, -0.00885), "−0.9 points"),
        ((-0.0099, -0.00885), "−0.89 points"),
        ((-0.02, 0.04), "−0.9 points"),
        (None, "−0.89 points"),
    ],
)
def test_a_difference_lies_between_the_ends_that_are_told(
    ends: tuple[float, float] | None, said: str
) -> None:
    row = found("failed").lanes[0].rows[0]
    assert row.difference
    between = (Value(ends[0]), Value(ends[1])) if ends else None
    difference = replace(row.difference, interval=between, shift=Value(-0.0089))
    assert cells.shift(replace(row, difference=difference)) == said


def test_a_difference_that_goes_both_ways_says_why() -> None:
    base, new = settled(*[1] * 11, *[100] * 9), settled(*[0] * 9, *[2] * 11)
    result = compared({"a": base}, {"a": new}, "settled")
    assert sentences.outcome(result) == "NEW differs both ways: settled of `a`."
    assert not result.worse
    for said in (flat(printed(result)), flat(to_markdown(result))):
        assert "both ways" in said
        assert "NEW tends to be lower, sample by sample, and the median of BASE is lower" in said
    assert '"verdict": "both ways"' in to_json(result)


def test_too_few_runs_are_told_first() -> None:
    result = compared({"a": settled(4, 5)}, {"a": settled(8, 9)}, "settled")
    assert sentences.outcome(result) == (
        "With 2 against 2 runs nothing can be shown, whatever was measured: it takes at least "
        "4 each."
    )


def test_what_is_the_same_in_all_is_said_so() -> None:
    result = compared({"a": settled(4, 4)}, {"a": settled(4, 4)})
    assert sentences.outcome(result) == "NEW and BASE are the same in all that was measured."
    assert sentences.method(result) == ""


def test_small_differences_say_which_are_small() -> None:
    base, new = settled(10, 10.1, 10.2, 10.3, 10.4), settled(10.6, 10.7, 10.8, 10.9, 11)
    result = compared({"a": base}, {"a": new}, "settled", least=least_of(["10%", "1s"]))
    said = flat(printed(result))
    assert "+0.6 s 0.0079 too small to matter" in said
    assert "differ by less than 10% or 1s are too close to matter" in said


def test_runs_left_out_policies_and_scenarios_that_differ_are_told() -> None:
    base = side_of(
        "BASE", "b", [run(1, lane(*settled(1.0))), run(2, invalid=("the `x` was busy",))]
    )
    new = side_of(
        "NEW",
        "n",
        [
            run(
                3,
                lane(*settled(1.0), policy="q"),
                lane(name="z"),
                scenario={"load": {"rate": "9/s"}},
            )
        ],
    )
    said = flat(printed(compare_sides(base, new, measures_of([]))))
    assert "BASE: b, 1 run, 1 of 2 left out" in said
    assert "- run-2: not valid: the x was busy" in said
    assert "not made alike: they differ in load.rate." in said
    assert "a is p (what p does) in BASE, and q (what q does) in NEW." in said
    assert "Only in NEW, and not compared: z." in said


@pytest.mark.parametrize("width", [80, 60, 200])
def test_it_fits_in_80_columns(width: int) -> None:
    words = [measure.word for measure in COMPARED]
    lines = printed(found(*words), width).split("\n")
    assert max(map(len, lines)) <= min(width, 80)
    heads = [line for line in lines if "BASE" in line and "difference" in line]
    assert width < 80 or len(heads) == 1
    assert not any("…" in line for line in lines)


def test_json_has_all_of_it_and_p_is_not_rounded_away() -> None:
    result = found()
    told = json.loads(to_json(result))
    assert (told["worse"], told["tested"], told["base"]["name"]) == (True, 3, "runs/base")
    row = told["lanes"][0]["measures"]["settled_s"]
    assert row["verdict"] == "worse"
    assert 0 < row["p_uncorrected"] < row["p"] < 0.001
    assert row["new"]["late"] == 3
    assert row["difference"] == 4.02
    assert told["lanes"][0]["measures"]["failed_share"]["unit"] == "share"


def test_markdown_is_a_table_to_paste() -> None:
    lines = to_markdown(found()).split("\n")
    assert lines[0] == "**NEW is worse: settled of `full-jitter`\\.**"
    row = next(line for line in lines if line.startswith("| `full-jitter` | settled"))
    assert row.count("|") == 10
    assert "**worse** | 5.5 s | 9.5 s |" in row


def test_names_are_never_obeyed() -> None:
    base = side_of(EVIL, EVIL, [run(1, lane(*settled(1.0), name=EVIL)), run(2, invalid=(EVIL,))])
    new = side_of(
        "NEW", EVIL, [run(1, lane(*settled(2.0), name=EVIL, policy=EVIL), scenario={EVIL: "1"})]
    )
    result = compare_sides(base, new, measures_of([]))
    assert "\x1b" not in printed(result)
    told = to_markdown(result)
    assert "\x1b" not in told
    page = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(told)
    assert not re.findall(r"<(?!/?(?:p|ul|li|table|thead|tbody|tr|t[hd]|code|strong)\b)", page)
    assert {line.count("<td") for line in page.split("</tr>")[1:-1]} == {9}
    json.loads(to_json(result))
