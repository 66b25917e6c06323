"""What the browser tests share: a page that complains of nothing, and looks at what it shows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

LIMIT_MS = 30_000
"""How long a page may take for anything; machines are slow."""

expect.set_options(timeout=LIMIT_MS)

_LOADED_AGAIN = ("ERR_NETWORK_CHANGED", "ERR_ABORTED")
"""Chromium drops what it loads when an interface comes or goes, say one of Docker's.

The page then loads itself again.
"""

_NOT_OURS = ("Failed to load resource",)
"""What a browser says by itself of a server that does not answer."""


@contextmanager
def opened(
    browser: Browser,
    url: str,
    *,
    width: int = 1280,
    height: int = 860,
    scheme: Literal["light", "dark"] = "light",
) -> Iterator[Page]:
    """The page behind `url`. At the end its policy has refused nothing, and it told of no error."""
    complaints: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(_NOT_OURS):
            complaints.append(message.text)

    def failed(request: Request) -> None:
        again = any(reason in str(request.failure) for reason in _LOADED_AGAIN)
        if "/assets/" in request.url and not again:
            complaints.append(f"{request.url}: {request.failure}")

    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.set_default_timeout(LIMIT_MS)
    page.on("console", heard)
    page.on("requestfailed", failed)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        page.goto(url)
        yield page
    except AssertionError as error:
        raise AssertionError(f"{error}\nthe page told: {complaints}") from error
    else:
        assert not complaints, complaints
    finally:
        page.close()


def card(page: Page, lane: str) -> str:
    """A selector of the lane's card. The name is JSON text, which CSS reads alike."""
    quoted = lane.replace("\\", "\\\\").replace('"', '\\"')
    return f'article[data-key="{quoted}"]'


def drawn_layers(page: Page, lane: str) -> int:
    """How many layers of offered load have a height in the lane's chart."""
    found = page.evaluate(
        """(selector) => {
            const chart = document.querySelector(`${selector} .chart`);
            return (chart?.data ?? []).filter(
                (trace) => trace.stackgroup && trace.y.some((value) => value > 0)).length;
        }""",
        card(page, lane),
    )
    return int(found)


def until(page: Page, holds: Callable[[], bool], what: str) -> None:
    """Wait for what no locator can wait for."""
    for _ in range(LIMIT_MS // 100):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{what} did not come within {LIMIT_MS / 1000:.0f} s")


def sideways(page: Page) -> int:
    """How many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))
