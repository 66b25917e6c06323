"""The list of runs and a report, in a real browser, from a real Locust."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from reports.rendering.files import write_report
from tests.loadtests.control_room.looking import opened
from tests.loadtests.control_room.room_live import a_room
from tests.loadtests.live import LOCUSTFILE
from tests.reports.synthetic import Made, Shape, plain, storm

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)>"
RUN_ID = "20261130-101500"


def test_a_report_is_drawn_but_cannot_act(tmp_path: Path, browser: Browser) -> None:
    """It is made from the list, as there is none. Its scripts run, in a page without an origin."""
    Made([Shape(HOSTILE, plain(storm(30)))]).write(tmp_path / "runs" / RUN_ID)
    with a_room(tmp_path, "http://127.0.0.1:1", "-f", str(LOCUSTFILE)) as room:
        with opened(browser, f"{room.url}/runs") as page:
            row = page.get_by_role("row").filter(has_text=RUN_ID)
            expect(row).to_contain_text("no report yet")
            expect(row).to_contain_text(HOSTILE)
            with page.expect_download() as saved:
                row.get_by_role("link", name="ticks CSV").click()
            assert saved.value.suggested_filename == f"{RUN_ID}-ticks.csv"
            row.get_by_role("link", name="make the report").click()
            expect(page.get_by_role("heading", name="No report yet")).to_be_visible()
            expect(page.locator(".main-svg").first).to_be_visible()
            expect(page.get_by_text(HOSTILE).first).to_be_visible()
            assert page.evaluate("window.origin") == "null"
            page.goto(f"{room.url}/runs")
            expect(row).to_contain_text("valid")
            row.get_by_role("link", name="report", exact=True).click()
            expect(page.locator(".main-svg").first).to_be_visible()


def test_a_report_may_not_ask_the_target_for_anything(tmp_path: Path, browser: Browser) -> None:
    """Whatever a script in it tried."""
    write_report(Made([Shape("a", plain(storm(30)))]).write(tmp_path / "runs" / RUN_ID))
    with a_room(tmp_path, "http://127.0.0.1:1", "-f", str(LOCUSTFILE)) as room:
        page = browser.new_page()
        page.goto(f"{room.url}/runs/{RUN_ID}/report.html")
        asked = """url => fetch(url, {method: "POST", body: "{}",
            headers: {"Content-Type": "application/json"}}).then(() => "asked", () => "refused")"""
        assert page.evaluate(asked, f"{room.url}/act/reset") == "refused"
        page.close()
        assert not [answer for answer in room.live()["log"] if answer]  # type: ignore[attr-defined]  # JSON
