"""The page of a study in a real browser, on a telephone and on paper."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from reports.rendering.study.html import to_html
from tests.reports.study.test_rendering import two_rates

pytestmark = pytest.mark.browser

MEASURED = """() => ({
    overflow: document.documentElement.scrollWidth - innerWidth,
    charts: document.querySelectorAll("[data-figure]").length,
    drawn: document.querySelectorAll("[data-figure] .main-svg").length > 0
        ? document.querySelectorAll("[data-figure].js-plotly-plot").length : 0,
    lines: document.querySelectorAll(".tracecapacity .js-line").length,
    marks: document.querySelectorAll("table.grid .shapelayer path").length,
    wide: Math.max(0, ...[...document.querySelectorAll("[data-figure]")].map(
        (one) => one.getBoundingClientRect().width)),
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_charts_are_drawn_and_nothing_is_wider_than_a_telephone(
    browser: Browser,
    tmp_path: Path,
    scheme: str,
) -> None:
    """And the page has nothing to complain of, not even of its own policy."""
    file = tmp_path / "distribution.html"
    file.write_text(to_html(two_rates()), encoding="utf-8")
    errors: list[str] = []
    with browser.new_context(
        viewport={"width": 360, "height": 780},
        color_scheme="dark" if scheme == "dark" else "light",
    ) as context:
        context.add_init_script("globalThis.requestIdleCallback = () => 0")
        page = context.new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(file.as_uri())
        page.locator("table.grid .main-svg").first.wait_for()
        # Paper shows those too that were never in view, and does not wait for an idle moment.
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        page.wait_for_function(
            "() => document.querySelectorAll('[data-figure].js-plotly-plot').length === 8"
        )
        found = page.evaluate(MEASURED)
    assert errors == []
    assert found["overflow"] <= 0
    assert (found["charts"], found["drawn"], found["lines"]) == (8, 8, 4)
    # A band and a line in each small chart.
    assert found["marks"] == 8
    assert found["wide"] <= 360
