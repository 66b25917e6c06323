"""The control room of the real stack, in a real browser: a storm is caused there, and ended."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.compose.stack import SERVICES, Stack, a_stack
from tests.loadtests.control_room.looking import card, drawn_layers, opened
from tests.loadtests.live import of_kind

pytestmark = [pytest.mark.compose, pytest.mark.timeout(900)]

LANE = "full-jitter"
SETTLED = re.compile(r"^settled after (\d+\.\d) s")
LONG_MS = 90_000
"""For what takes a while by itself: a queue that drains, five seconds of calm, a report."""


@pytest.fixture(scope="module")
def stack(an_engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A service of 20/s that queues and works on for who has gone, at 14/s; no dip is planned.

    A dip to nothing of 10 s fills its queue with more than its clients wait for. So each gives up
    and sends again, and that goes on until somebody ends it. There is no profile.
    """
    with a_stack(
        tmp_path_factory.mktemp("compose") / "runs",
        AFTERSHOCK_CAPACITY="",
        AFTERSHOCK_WORKERS="2",
        AFTERSHOCK_SERVICE_TIME="100ms",
        AFTERSHOCK_QUEUE="200",
        AFTERSHOCK_POLICIES=LANE,
        AFTERSHOCK_RATE_PER_USER="14/s",
        AFTERSHOCK_DIPS="",
        LOCUST_USERS="1",
    ) as stack:
        yield stack


def test_nothing_else_is_brought_up(stack: Stack) -> None:
    """Only what is asked for by a profile is there besides, and nothing has run yet."""
    assert {found["Service"] for found in stack.containers()} == {"prepare", *SERVICES}
    assert "No run has ended yet" in stack.page("/aftershock/runs")


def test_a_storm_is_caused_and_ended_from_the_page(
    stack: Stack,
    browser: Browser,
    tmp_path: Path,
) -> None:
    """From the form's Start to the report, with nothing but a browser."""
    with opened(browser, stack.web) as page:
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        page.get_by_role("link", name="Control room", exact=True).click()
        state = page.locator(card(page, LANE))
        expect(state).to_have_attribute("data-state", "steady")

        _press(page, "Dip to 0 for 10 s", r"^Dip to 0% for 10 s")
        expect(state).to_have_attribute("data-state", "dipped")
        expect(state).to_have_attribute("data-state", "storm")
        expect(state.locator(".word")).to_have_text(re.compile(r"^storm for [5-9]\.\d s"))
        assert drawn_layers(page, LANE) >= 3

        _press(page, "Shed 90% for 10 s", "^Shedding 90% for 10 s")
        _press(page, "Block retries for 30 s", "^Blocking retries for 30 s")
        expect(state).to_have_attribute("data-state", "settled", timeout=LONG_MS)
        word = state.locator(".word")
        expect(word).to_have_text(SETTLED)

        stack.page("/stop", {})
        report = page.get_by_role("link", name="Report of this run")
        expect(report).to_be_visible(timeout=LONG_MS)
        saved = _download(page, "JSON", tmp_path)
        found = SETTLED.match(word.inner_text())
        assert found
        report.click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    [policy] = saved["policies"]
    assert policy["settled_s"] == pytest.approx(float(found[1]), abs=0.06)
    lines = stack.lines()
    assert [line["type"] for line in of_kind(lines, "fault")] == ["dip"]
    assert [line["type"] for line in of_kind(lines, "action")] == ["shed", "block-retries"]
    assert lines[-1]["kind"] == "end"


def _press(page: Page, button: str, said: str) -> None:
    page.get_by_role("button", name=button).click()
    expect(page.locator("#said")).to_have_text(re.compile(said))


def _download(page: Page, name: str, folder: Path) -> Any:
    """What a link of the newest run leads to, as a browser saves it."""
    link = page.locator("#run-rows tr").first.get_by_role("link", name=name)
    link.evaluate("link => link.download = 'report.json'")
    with page.expect_download() as downloading:
        link.click()
    downloading.value.save_as(folder / "report.json")
    return json.loads((folder / "report.json").read_text())
