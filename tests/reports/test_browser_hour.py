"""The page of an hour with ten lanes and ten dips, in a real browser and on paper."""

from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from reports.rendering.html import to_html
from reports.summary import fold
from tests.loadtests.control_room.looking import opened
from tests.reports.big import PEAK, TICK_S, big_record

pytestmark = pytest.mark.browser

MOST_BYTES = 6_000_000
LANES, DIPS = 10, 10
DRAWN = "() => document.querySelectorAll('[data-figure].js-plotly-plot').length"
HIGHEST = """() => Math.max(...[...document.querySelectorAll("[data-figure^=figure]")].map(
    (one) => Math.max(...one.calcdata.filter(([first]) => first.trace.stackgroup).flat().map(
        (point) => point.y))))"""
"""The top of the highest stack that plotly has drawn."""


@cache
def page_of_an_hour() -> str:
    return to_html(fold(big_record(LANES, DIPS)))


def test_it_is_small() -> None:
    """Of which plotly itself is 4.8 MB."""
    assert len(page_of_an_hour().encode()) < MOST_BYTES


@pytest.mark.parametrize("width", [1280, 360])
def test_the_table_is_there_at_once_and_all_charts_soon_after(
    browser: Browser,
    tmp_path: Path,
    width: int,
) -> None:
    """No error is told of, nothing is wider than the screen, and no chart has to be scrolled to."""
    file = tmp_path / "report.html"
    file.write_text(page_of_an_hour(), encoding="utf-8")
    with opened(browser, file.as_uri(), width=width) as page:
        rows = page.locator("section[aria-labelledby=recovery] table").first.locator("tbody tr")
        assert rows.count() == LANES
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        first = page.locator("[data-figure]").first
        first.scroll_into_view_if_needed()
        first.locator(".main-svg").first.wait_for()
        page.wait_for_function(f"() => ({DRAWN})() === {2 * LANES}")
        assert page.evaluate(HIGHEST) == pytest.approx(PEAK / TICK_S)
