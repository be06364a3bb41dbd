"""A real browser on a real server. Run with `python3 manage.py test browser`.

Needs the package `playwright` and a Chromium: its path is taken from PENTATHLON_BROWSER, else
from the search path. Without them the tests fail; they are no part of the usual run.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.bounds import bounded
from tests.pentathlon.web.scene import Scene, make_scene

PATIENCE_MS = 120_000
"""On a busy machine a page takes longer than the 30 s that Playwright allows."""
expect.set_options(timeout=PATIENCE_MS)

LONGEST_S = 600
"""How long the set-up, the run or the tear-down of a test may take, whatever it waits for."""
_BROWSER = pytest.StashKey[Browser]()
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer to keep pictures of every page, and to look at each in every way."""
    parser.addoption(
        "--screenshots", type=Path, help="A folder for a picture of every page in every look."
    )
    parser.addoption(
        "--every-look",
        action="store_true",
        help="Look at every page in both themes at all four widths, not in two looks each.",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Give up a setting up that hangs."""
    with bounded(LONGEST_S, item.config.stash.get(_BROWSER, None)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Give up a test that hangs; a module may allow more than others."""
    longest_s = getattr(getattr(item, "module", None), "LONGEST_S", LONGEST_S)
    with bounded(longest_s, item.config.stash.get(_BROWSER, None)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Give up a tearing down that hangs."""
    with bounded(LONGEST_S, item.config.stash.get(_BROWSER, None)):
        return (yield)


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Iterator[Browser]:
    """Start the browser once; every test gets a context of its own."""
    # Playwright runs an event loop in this thread; the database is still used from it alone.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_executable(), args=["--no-sandbox"], headless=True
        )
        pytestconfig.stash[_BROWSER] = browser
        yield browser
        browser.close()


@pytest.fixture
def scene(transactional_db: None) -> Scene:
    """Store one of everything, where the server's threads can see it."""
    return make_scene()


@pytest.fixture
def page(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    """Open an empty page that fails the test when a script does or the policy is broken."""
    context = browser.new_context(
        base_url=live_server.url, permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.extend([message.text] * _is_bad(message.type)))
    yield page
    # While a faked answer is under way, closing sometimes waits for ever.
    page.unroute_all(behavior="ignoreErrors")
    page.goto("about:blank")
    context.close()
    assert complaints == []


def _is_bad(kind: str) -> bool:
    return kind in {"error", "warning"}


def _executable() -> str:
    wanted = os.environ.get("PENTATHLON_BROWSER")
    found = wanted or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.fail("No Chromium is installed. Set PENTATHLON_BROWSER to the path of one.")
    return found
