"""Pictures: what stands in them, that it can be read, and that they are the same each time."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from io import BytesIO
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.patches import Polygon
from matplotlib.text import Text
from PIL import Image

from reports.measuring.repeated import in_run_time
from reports.reading.read import parse_record
from reports.record import End, Fault, Requests
from reports.rendering import captions
from reports.rendering.html import to_html
from reports.rendering.legend import ON_PAGES
from reports.rendering.markdown import markdown
from reports.rendering.marks import Panels
from reports.rendering.palette import MARKS
from reports.rendering.pictures.framing import Picture, draw, saved
from reports.rendering.pictures.lettering import drawable
from reports.rendering.pictures.moments import marked
from reports.rendering.pictures.pages import LANES_A_SHEET, pictures_of, sheets
from reports.rendering.pictures.paper import Paper, defaults
from reports.rendering.repeated import marks as repeated_marks
from reports.summary import Report, fold
from tests.reports.repeated import ten_dips
from tests.reports.shown import as_html, numbers_in, tables_in
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_rendering import REPORTS

SVG = "{http://www.w3.org/2000/svg}"
MANY = 2 * LANES_A_SHEET + 1
"""Lanes on three sheets; a sheet that is full, and one with a single chart, are among them."""
HOSTILE = "<b>&\"' $x^2$ \\alpha `b` |p| -- 負荷\n\x1b[31m"


def report_of(made: Made) -> Report:
    return fold(parse_record(made.encoded()))


def lanes(count: int, **changes: object) -> Report:
    """So many lanes, each with a longer storm and a longer name than the one before."""
    shapes = [
        Shape(f"lane {n} {'with a long name ' * (n % 5)}", plain(storm(6 * n)), describe=f"in {n}")
        for n in range(count)
    ]
    return report_of(Made(shapes).but(**changes))


@cache
def repeated() -> Report:
    return report_of(ten_dips())


CASES: dict[str, Callable[[], Report]] = {
    **REPORTS,
    "ten dips": repeated,
    "hostile name": lambda: report_of(
        Made([Shape(HOSTILE, plain(storm(30)), describe=HOSTILE)], cpu={"target": 0.99})
    ),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def drawn_of(case: str) -> list[tuple[Picture, Paper]]:
    return list(drawn(CASES[case]()))


def drawn(report: Report) -> Iterator[tuple[Picture, Paper]]:
    for picture in pictures_of(report):
        with defaults():
            paper = draw(picture)
        yield picture, paper


@cache
def drawn_sheets(count: int) -> list[tuple[Picture, Paper]]:
    """Those of so many lanes."""
    with defaults():
        return [(picture, draw(picture)) for picture in sheets(lanes(count))]


def texts_of(paper: Paper) -> list[Text]:
    """All texts that are seen: what is written, and the numbers on the axes."""
    axes = [
        label
        for chart in paper.figure.axes
        for label in (*chart.get_xticklabels(), *chart.get_yticklabels())
    ]
    return [text for text in (*paper.figure.texts, *axes) if text.get_text()]


def said_in(paper: Paper) -> list[str]:
    """All texts but the numbers on the axes."""
    return [text.get_text() for text in paper.figure.texts]


def test_every_number_in_a_picture_is_in_a_table(case: str) -> None:
    tables = tables_in(as_html(markdown(CASES[case]())))
    told = numbers_in(" ".join(cell for table in tables for row in table for cell in row))
    for picture, paper in drawn_of(case):
        found = numbers_in(" ".join(said_in(paper)))
        assert found - told == set(), picture.name


def test_each_caption_stands_whole_in_its_picture(case: str) -> None:
    for picture, paper in drawn_of(case):
        in_picture = "".join("".join(said_in(paper)).split())
        assert in_picture.endswith("".join(drawable(picture.caption).split()))


def test_a_caption_tells_all_that_one_must_know() -> None:
    """What, when, the policy, what disturbed it, what came of it, whether to trust it."""
    [policy] = REPORTS["one"]().policies
    said = captions.of_lane(policy, REPORTS["one"]())
    assert said == (
        "Offered load of exponential against a capacity of 100/s. After a 2.0 s dip to 20/s: first "
        "fit 5.8 s, settled 5.8 s, 2.9× the dip, peak load 200/s, storm 580, attempts 4,638, "
        "amplification 1.23×. Run 20261130-101500 of the scenario "
        "one-dip, 2026-11-30 10:15:00 UTC, seed 7. Valid. Aftershock 0.1.0."
    )


def test_a_caption_of_a_simulation_says_so() -> None:
    made = Made([Shape("a", plain(storm(9)))], source="simulated")
    said = captions.of_sheet(report_of(made))
    assert "Simulated in virtual time, with seed 7: no service was loaded." in said
    assert "UTC" not in said


def test_a_caption_of_repeated_dips_has_their_distribution() -> None:
    quick, slow = repeated().policies
    assert "settled 0.5 s" in captions.of_lane(quick, repeated())
    assert "; recovered each time." in captions.of_lane(quick, repeated())
    said = captions.of_lane(slow, repeated())
    assert "times a 2.0 s dip to 20/s, median and its 95% interval (of this run alone)" in said
    assert "not recovered in " in said
    [found] = [one for one in repeated().distributions if one.lane == "slow"]
    assert f"not recovered in {found.lost} of {len(found.samples)}" in said


@cache
def troubled() -> Report:
    """Three dips: after the first a relapse, after the second nobody is served."""
    begins = (10, 40, 70)
    loads = [(at, at + 4) for at in begins] + [(24, 28)]
    load = [20 if any(low <= tick / 10 < high for low, high in loads) else 9 for tick in range(900)]
    bins = (
        Requests(
            tick / 10,
            "a",
            issued=9,
            succeeded=0 if 400 <= tick < 700 else 9,
            failed=Counter({"out-of-attempts": 9} if 400 <= tick < 700 else {}),
        )
        for tick in range(900)
    )
    made = Made(
        [Shape("a", plain(load), requests=tuple(bins))],
        ticks=900,
        capacity=lambda tick: 2.0 if any(at <= tick / 10 < at + 2 for at in begins) else 10.0,
        dips=[Fault("dip", f"dip-{at}", at, at + 2, "20/s") for at in begins],
        planned_end_s=90.0,
        end=End(90.0),
    )
    return report_of(made)


def test_a_picture_of_several_dips_marks_what_the_page_marks() -> None:
    report = troubled()
    [lane] = report.policies
    in_run = replace(lane, drawn=in_run_time(lane))
    marks = marked(in_run, report)
    shapes: list[Any] = list(repeated_marks.shapes(in_run, Panels.of(in_run)))
    kinds = {MARKS["fault"]: "fault", MARKS["relapse"]: "relapse"}
    bands = {
        (kinds[one["fillcolor"]], one["x0"], one["x1"]) for one in shapes if "fillcolor" in one
    }
    lines = [(one["x0"], one["line"]["color"]) for one in shapes if one["type"] == "line"]
    assert {(one.kind, one.start_s, one.end_s) for one in marks.bands} == bands
    assert [(one.at_s, one.color) for one in marks.moments if one.line] == lines
    assert [kind for kind, *_ in bands].count("relapse") == 1
    assert lines[1] == (42 + 2.0, MARKS["lost"]), "when load settled, of one that is starved"
    for _, paper in drawn(report):
        assert paper.figure.axes[0].get_xlim() == pytest.approx((0.0, 90.0))


def test_a_picture_has_the_legend_of_the_page() -> None:
    report = troubled()
    listed = re.findall(r'<span class="swatch (\w+)"></span>(.*?)</li>', to_html(report))
    assert ("relapse", "relapse, with the windows that see it") in listed
    assert ("lost", "not recovered") in listed
    for picture, paper in drawn(report):
        said = said_in(paper)
        missing = [name for kind, name in listed if name not in said and kind not in ON_PAGES]
        assert missing == [], picture.name


def test_what_is_not_valid_says_so_in_every_picture() -> None:
    report = lanes(2, cpu={"generator": 0.99})
    for picture, paper in drawn(report):
        first = next(text for text in said_in(paper) if "VALID" in text)
        assert first.startswith("NOT VALID: the generator had no CPU to spare"), picture.name


@pytest.mark.parametrize("count", [1, 5, MANY])
def test_nothing_lies_over_anything_else(count: int) -> None:
    """No text over another, and none that leaves the paper, on sheets of any number of lanes."""
    for picture, paper in drawn_sheets(count):
        assert_apart(paper, picture.name)


def test_nothing_lies_over_anything_else_in_other_runs(case: str) -> None:
    for picture, paper in drawn_of(case):
        assert_apart(paper, picture.name)


def assert_apart(paper: Paper, name: str) -> None:
    found = texts_of(paper)
    with defaults():
        canvas = FigureCanvasAgg(paper.figure)
        renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
        boxes = np.array([text.get_window_extent(renderer).extents for text in found])
    assert boxes[:, 0].min() >= 0, name
    assert boxes[:, 2].max() <= paper.width, name
    assert boxes[:, 1].min() >= 0, name
    assert boxes[:, 3].max() <= paper.height, name
    low, high = boxes[:, :2], boxes[:, 2:]
    beside = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    # What hangs below one line and what towers in the next may share a point and a half.
    over = np.argwhere(np.triu((beside > 1.6).all(axis=2), 1))
    assert [(found[a].get_text(), found[b].get_text()) for a, b in over] == []


def test_all_lanes_are_on_the_sheets_and_on_one_scale() -> None:
    report = lanes(MANY)
    found = drawn_sheets(MANY)
    assert [one.name for one, _ in found] == ["sheet-1", "sheet-2", "sheet-3"]
    said = [text for _, paper in found for text in said_in(paper)]
    assert [text for text in said if text.startswith("lane ")] == [
        drawable(policy.title) for policy in report.policies
    ]
    charts = [chart for _, paper in found for chart in paper.figure.axes]
    assert len({chart.get_ylim() for chart in charts}) == 1
    assert len({chart.get_xlim() for chart in charts}) == 1
    assert charts[0].get_ylim()[1] >= max(policy.peak_per_s for policy in report.policies)


def test_a_peak_of_one_tick_is_drawn_in_a_quarter_of_an_hour_of_calm() -> None:
    load = [9] * 9_000
    load[6_543] = 77
    made = Made([Shape("a", plain(load))], ticks=9_000, planned_end_s=900.0, end=None)
    [_, (_, paper)] = drawn(report_of(made))
    highest = max(
        patch.get_xy()[:, 1].max()
        for patch in paper.figure.axes[0].patches
        if isinstance(patch, Polygon)
    )
    assert highest == 770.0
    assert not paper.figure.findobj(FillBetweenPolyCollection)


def test_the_same_run_gives_the_same_bytes_whatever_somebody_has_set() -> None:
    [picture] = list(sheets(lanes(1)))
    first = dict(saved(picture, ("svg", "png")))
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "svg.hashsalt": "x"}):
        again = dict(saved(picture, ("svg", "png")))
    assert first == again


def test_svg_is_xml_with_a_title_and_nothing_to_load() -> None:
    """Letters are drawn, so that it looks the same without the font; what it says is in `desc`."""
    report = CASES["hostile name"]()
    for picture in pictures_of(report):
        [(_, data)] = saved(picture, ("svg",))
        root = ET.fromstring(data)  # noqa: S314 - it is ours
        assert (root.tag, root.get("role")) == (f"{SVG}svg", "img")
        described = [root.find(f"{SVG}title"), root.find(f"{SVG}desc")]
        assert [one.text for one in described if one is not None] == [
            picture.title.replace("\n", "�").replace("\x1b", "�"),
            picture.caption.replace("\n", "�").replace("\x1b", "�"),
        ]
        ids = " ".join(one.get("id", "") for one in described if one is not None)
        assert root.get("aria-labelledby") == ids
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert not tags & {"script", "text", "image", "foreignObject", "a"}
        links = [
            value
            for element in root.iter()
            for name, value in element.attrib.items()
            if name.endswith("href")
        ]
        assert links
        assert all(link.startswith("#") for link in links)
        assert b"<!DOCTYPE" not in data
        assert b"2026-11-30T" not in data


def test_png_is_opaque_and_two_pixels_to_the_point() -> None:
    """So that it can be put on a dark slide."""
    [picture] = list(sheets(lanes(1)))
    [(_, data)] = saved(picture, ("png",))
    with defaults():
        paper = draw(picture)
    image = Image.open(BytesIO(data)).convert("RGBA")
    assert image.getpixel((0, 0)) == (255, 255, 255, 255)
    assert image.getchannel("A").getextrema() == (255, 255)
    assert image.width == round(2 * paper.width)


def test_neither_a_window_nor_the_drawing_library_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, reports.verbs.export, reports.rendering.exports.exporting\n"
        "assert 'matplotlib' not in sys.modules\n"
        "import reports.rendering.pictures.pages\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_that_nobody_reads_to_its_end_makes_no_picture_high() -> None:
    """Of names of 10,000 letters both ends are there; policies of one make differ at the end."""
    text = "begin" + "x" * 10_000 + "end"
    shapes = [
        Shape(f"{name}{end}", plain(storm(30)), describe=text)
        for name, end in ((text, 1), (text, 2))
    ]
    found = report_of(Made(shapes, scenario={"name": text}, cpu={"target": 0.99}))
    assert len({lane.title for lane in found.policies}) == 2
    for picture, paper in drawn(found):
        assert paper.height < 1_000, picture.name
        assert len(picture.caption) < 3_000
        assert "begin" in picture.caption
