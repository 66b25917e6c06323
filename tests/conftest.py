"""What holds for all tests, and the real browser of those that look at a page."""

from collections.abc import Iterator

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from tests.real import program

# A deadline is a timing assertion, and fails where the machine is busy.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, for all tests of a module.

    No longer: while it is there, its event loop is taken for a running one, and tests of other
    modules have their own.
    """
    path = program("chromium")
    with sync_playwright() as playwright:
        # Tests may run as root, where Chromium has no sandbox.
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--js-flags=--expose-gc"]
        )
        yield started
        started.close()
