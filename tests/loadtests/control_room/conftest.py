"""A real browser for the tests of the page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.real import program


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, once for all tests of a process."""
    path = program("chromium")
    with sync_playwright() as playwright:
        # Tests may run as root, where Chromium has no sandbox.
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--js-flags=--expose-gc"]
        )
        yield started
        started.close()
