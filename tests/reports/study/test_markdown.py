"""The Markdown of a study: everything is in it, and nothing in it is more than text."""

from dataclasses import replace

from reports.rendering.study import headlines
from reports.rendering.study.markdown import to_markdown
from reports.several.studying import study_of
from tests.reports.shown import as_html, tables_in
from tests.reports.study.made import NEVER, report, reports
from tests.reports.study.test_rendering import HOSTILE, LOST_3, two_rates


def cells_in(text: str) -> set[str]:
    return {cell for table in tables_in(as_html(text)) for row in table for cell in row}


def test_it_says_what_the_terminal_says() -> None:
    study = study_of(reports(LOST_3))
    text = to_markdown(study)
    assert f"**{headlines.headline(study)}**" in text
    found = cells_in(text)
    assert any(cell.startswith("7 of 10") for cell in found)
    assert any("not recovered in 3 of 10" in cell for cell in found)
    assert {"recovered", "settled", "÷ dip", "amplification", "failed"} <= found
    assert {f"run-{seed}" for seed in range(10)} <= found


def test_conditions_stand_side_by_side_and_each_has_its_tables() -> None:
    text = to_markdown(two_rates())
    assert "## Settled, under each" in text
    assert text.count("### Recovery") == text.count("### Cost") == 2
    assert text.count("<summary>Scenario</summary>") == 2
    assert {"load.rate = 90/s", "load.rate = 95/s"} <= cells_in(text)


def test_runs_that_are_not_valid_are_said_first_and_by_name() -> None:
    each = [report(n, {"load": {"rate": f"{n // 2}/s"}}, "" if n else "it was full", a=10)
            for n in range(4)]  # fmt: skip
    text = to_markdown(study_of(each))
    assert "1 of 4 runs does not count: `run-0` (seed 0): it was full." in text
    assert "NOT VALID" not in text
    assert "no: it was full" in cells_in(text)
    none = study_of([replace(one, invalid_because=("it was full",)) for one in each])
    assert to_markdown(none).split("\n\n")[1].startswith("**NOT VALID.** No run is valid with ")


def test_a_name_stays_a_name() -> None:
    found = report(1, {"x": HOSTILE}, a=10)
    lanes = tuple(replace(one, title=HOSTILE, episodes=()) for one in found.policies)
    text = to_markdown(study_of([replace(found, policies=lanes), report(2, {"x": "y"}, a=NEVER)]))
    shown = as_html(text)
    assert "<script" not in shown
    assert "\x1b" not in text
    assert [len(set(map(len, table))) for table in tables_in(shown)] == [1] * len(tables_in(shown))
