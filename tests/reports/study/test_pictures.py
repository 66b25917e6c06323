"""The pictures of a study: what stands in them, that it can be read, and where it comes from."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from matplotlib.patches import Polygon

from reports.rendering.pictures.framing import Picture, draw, saved
from reports.rendering.pictures.lettering import drawable
from reports.rendering.pictures.paper import Paper, defaults
from reports.rendering.study.markdown import to_markdown
from reports.rendering.study.pictures import ROWS_A_SHEET, pictures_of
from reports.several.reading import sampled_run
from reports.several.study import Study
from reports.several.studying import studied, study_of
from tests.reports.pictures.test_pictures import assert_apart, said_in
from tests.reports.shown import as_html, numbers_in, tables_in
from tests.reports.study.made import NEVER, report, reports
from tests.reports.study.test_rendering import HOSTILE, LOST_3, two_rates


def many_lanes() -> Study:
    """A long name each, on more than one sheet."""
    lanes = {f"lane {n} {'with a long name ' * (n % 5)}": n for n in range(3 * ROWS_A_SHEET + 1)}
    return study_of(report(seed, None, "", **{HOSTILE: NEVER}, **lanes) for seed in range(2))


def many_conditions() -> Study:
    """Of five, the last stands beneath the others."""
    return study_of(report(n, {"load": {"rate": f"{90 + n}/s"}}, a=10 * n, b=3) for n in range(5))


def simulated() -> Study:
    """Of which no record is kept, and so no load is drawn."""
    return studied([sampled_run(str(n), one) for n, one in enumerate(reports(LOST_3))])


CASES: dict[str, Callable[[], Study]] = {
    "one lane": lambda: study_of(reports(LOST_3)),
    "two rates": two_rates,
    "many lanes": many_lanes,
    "many conditions": many_conditions,
    "simulated": simulated,
    "not valid": lambda: study_of(
        [report(1, {"x": 1}, a=10), *(report(n, {"x": 2}, "it was full", a=10) for n in (2, 3))]
    ),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def drawn_of(case: str) -> list[tuple[Picture, Paper]]:
    with defaults():
        return [(one, draw(one)) for one in pictures_of(CASES[case]())]


def test_nothing_lies_over_anything_else(case: str) -> None:
    for picture, paper in drawn_of(case):
        assert_apart(paper, picture.name)


def test_every_number_in_a_picture_is_in_a_table(case: str) -> None:
    tables = tables_in(as_html(to_markdown(CASES[case]())))
    told = numbers_in(" ".join(cell for table in tables for row in table for cell in row))
    for picture, paper in drawn_of(case):
        assert numbers_in(" ".join(said_in(paper))) - told == set(), picture.name


def test_each_caption_stands_whole_in_its_picture_and_is_of_some_length(case: str) -> None:
    for picture, paper in drawn_of(case):
        in_picture = "".join("".join(said_in(paper)).split())
        assert in_picture.endswith("".join(drawable(picture.caption).split()))
        assert len(picture.caption) < 2_000


def test_the_sheets_come_first_and_have_all_lanes() -> None:
    names = [one.name for one, _ in drawn_of("two rates")]
    assert names == ["sheet-load", "sheet-settled", "a", "b"]
    assert [one.name for one, _ in drawn_of("simulated")] == ["sheet-settled", "a"]
    names = [one.name for one, _ in drawn_of("many lanes") if one.sheet]
    assert names == ["sheet-load-1", "sheet-load-2", "sheet-settled-1", "sheet-settled-2"]


def test_all_charts_of_a_sheet_have_one_scale_and_hide_no_peak(case: str) -> None:
    for picture, paper in drawn_of(case):
        if not picture.sheet:
            continue
        charts = paper.figure.axes
        assert len({(chart.get_xlim(), chart.get_ylim()) for chart in charts}) == 1
        if picture.name.startswith("sheet-load"):
            highest = [
                max(np.asarray(patch.get_xy())[:, 1].max() for patch in chart.patches
                    if isinstance(patch, Polygon))
                for chart in charts
            ]  # fmt: skip
            assert highest == [200.0] * len(charts)


def test_a_curve_ends_at_the_share_that_recovered() -> None:
    [_, (picture, paper), _] = drawn_of("one lane")
    assert picture.name == "sheet-settled"
    [chart] = paper.figure.axes
    assert float(np.asarray(chart.lines[-1].get_ydata())[-1]) == pytest.approx(70.0)
    assert "not recovered in 3 of 10" in " ".join(said_in(paper))


def test_what_is_not_valid_says_so_in_every_picture() -> None:
    for picture, paper in drawn_of("not valid"):
        assert said_in(paper)[0] == "NOT VALID: No run is valid with “x = 2”.", picture.name


def test_runs_that_nothing_disturbed_have_no_pictures() -> None:
    assert pictures_of(study_of([report(1)])) == []


def test_the_same_runs_give_the_same_bytes() -> None:
    first, again = (dict(saved(pictures_of(two_rates())[0], ("svg", "png"))) for _ in range(2))
    assert first == again
