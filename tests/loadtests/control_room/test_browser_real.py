"""A storm caused and ended from the page, in a real browser: a real Locust, a real target."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from loadtests.processes import free_port
from tests.loadtests.control_room.looking import card, drawn_layers, opened, until
from tests.loadtests.control_room.room_live import LiveRoom, a_room
from tests.target_service.live import live_target

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

LIMIT_MS = 90_000
HOSTILE = "<script>alert(1)</script>"
STUBBORN = "stubborn"
OWN = f"""
from locust import task
from loadtests.users import OpenLoopUser, preset

class Stubborn(OpenLoopUser):
    # Forty attempts of each request, 0.1 s apart: a storm of several seconds.
    retry_policy = preset("immediate", attempts=40)
    lane = {STUBBORN!r}
    rate_per_s = 30

    @task
    def work(self):
        self.client.get("/work")

class Hostile(Stubborn):
    retry_policy = preset("no-retry")
    lane = {HOSTILE!r}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a locustfile of two lanes."""
    (tmp_path / "mine.py").write_text(OWN)
    return tmp_path


@pytest.fixture
def room(folder: Path) -> Iterator[LiveRoom]:
    """In front of a target of 40 attempts a second."""
    with live_target("--capacity", "40/s") as target:
        with a_room(folder, target.url, "-f", "mine.py") as room:
            yield room


def state(page: Page, lane: str, word: str) -> None:
    """Wait for this state of the lane."""
    found = page.locator(card(page, lane))
    expect(found).to_have_attribute("data-state", re.compile(word), timeout=LIMIT_MS)


def test_a_storm_is_caused_seen_and_ended_from_the_page(browser: Browser, room: LiveRoom) -> None:
    """From the swarm to the report; the lane's hostile name is text all the way."""
    with opened(browser, f"{room.url}/") as page:
        expect(page.locator("#no-lanes")).to_be_visible()
        room.form("/swarm", user_count="2", spawn_rate="2", host=room.target)
        expect(page.locator("#run-text")).to_have_text(re.compile("running .* 2 users"))
        expect(page.locator(card(page, HOSTILE)).locator("h3")).to_have_text(HOSTILE)
        state(page, STUBBORN, "^steady$")
        assert drawn_layers(page, STUBBORN) <= 2

        page.get_by_role("button", name="Dip to 20% for 2 s").dblclick()
        expect(page.locator("#said")).to_have_text(re.compile("^Dip to 20% for 2 s"))
        state(page, STUBBORN, "^dipped$")
        expect(page.locator("#in-force li")).to_have_count(1)
        state(page, STUBBORN, "^storm$")
        expect(page.locator("#summary")).to_contain_text("in a storm")
        until(page, lambda: drawn_layers(page, STUBBORN) >= 4, "the retries in the chart")
        expect(page.locator("#log li")).to_have_count(1)

        # For longer than it takes to settle, however slow the machine is: it is ended by hand.
        page.locator("#forms summary", has_text="Block retries").press("Enter")
        page.locator("#block-retries-for").fill("10m")
        page.get_by_role("button", name="Block retries", exact=True).press("Enter")
        expect(page.locator("#in-force li")).to_contain_text("block retries")
        state(page, STUBBORN, "^settled$")
        words = page.locator(card(page, STUBBORN)).locator(".word")
        expect(words).to_have_text(re.compile(r"settled after \d"))
        page.get_by_role("button", name=re.compile("^End action")).press("Enter")
        expect(page.locator("#in-force li")).to_have_count(0)

        with page.expect_response(re.compile("runs.json")):
            room.form("/stop")
        link = page.get_by_role("link", name="Report of this run")
        expect(link).to_be_visible(timeout=LIMIT_MS)
        files = page.locator("#run-rows tr").first.get_by_role("link")
        expect(files.first).to_have_text("report", timeout=LIMIT_MS)
        link.click()
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator("body")).to_contain_text(HOSTILE)
        assert "report.html" in page.url


def test_a_target_that_dies_is_told_of_and_its_return_is_seen(
    browser: Browser, folder: Path
) -> None:
    """The page recovers by itself when another target answers at the same port."""
    port = str(free_port())
    with live_target("--port", port) as target:
        with a_room(folder, target.url, "-f", "mine.py") as room:
            with opened(browser, f"{room.url}/") as page:
                expect(page.locator("#target-text")).to_contain_text("100/s")
                target.process.terminate()
                target.process.wait()
                banner = page.locator("#target-down")
                expect(banner).to_have_text(re.compile("^The target cannot be reached: "))
                page.get_by_role("button", name="Dip to 0 for 10 s").click()
                expect(page.locator("#said")).to_have_text(re.compile("^Dip failed: "))
                with live_target("--port", port):
                    expect(banner).to_be_hidden(timeout=LIMIT_MS)
