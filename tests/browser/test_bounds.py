"""A browser test that hangs fails, and the next one works."""

import threading

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.bounds import TookTooLong, bounded


def test_call_without_a_bound_of_its_own_is_given_up(browser: Browser, page: Page) -> None:
    with pytest.raises(TookTooLong, match=r"after 0\.5 s"), bounded(0.5, browser):
        page.evaluate("new Promise(() => {})")

    assert page.evaluate("1 + 1") == 2


def test_wait_for_something_else_is_given_up(browser: Browser) -> None:
    with pytest.raises(TookTooLong), bounded(0.5, browser):
        threading.Event().wait(60)
