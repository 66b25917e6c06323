"""The page of a run with ten dips in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from reports.rendering.html import to_html
from tests.reports.repeated import ten_dips
from tests.reports.test_rendering import report_of

pytestmark = pytest.mark.browser

HIDDEN = """() => [...document.querySelectorAll(".scroll")]
    .filter((one) => one.scrollWidth > one.clientWidth)
    .map((one) => one.getAttribute("aria-labelledby") ?? one.ariaLabel)"""


def test_no_column_is_out_of_sight_on_a_laptop(browser: Browser, tmp_path: Path) -> None:
    """Medians, intervals and ranges of all measures stand beside each other."""
    file = tmp_path / "report.html"
    names = {"quick": "full-jitter", "slow": "full-jitter-budget"}
    file.write_text(to_html(report_of(ten_dips(names))), encoding="utf-8")
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        assert page.evaluate(HIDDEN) == []
