"""One standing on every screen: the table begins in the first screen and hides nothing."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.access import find_flaws
from tests.pentathlon.web.scene import Scene

_PHONE: ViewportSize = {"width": 390, "height": 844}


def test_table_begins_in_the_first_screen_of_a_phone(
    page: Page, scene: Scene, pytestconfig: pytest.Config
) -> None:
    folder: Path | None = pytestconfig.getoption("--screenshots")
    page.set_viewport_size(_PHONE)

    page.goto("/leaderboards/tuned/")
    row = page.locator("main tbody tr").first

    expect(row).to_be_in_viewport(ratio=1)
    expect(row).to_contain_text("≥")
    expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.9)
    assert page.evaluate("document.documentElement.scrollWidth") <= _PHONE["width"]
    assert find_flaws(page) == []
    for cup in (scene.closed, scene.running):
        page.goto(f"/tournaments/{cup.pk}/")
        expect(page.locator("main tbody tr").first).to_be_in_viewport(ratio=1)
    for name, size in (("390", _PHONE), ("1280", {"width": 1280, "height": 800})):
        page.set_viewport_size({"width": size["width"], "height": size["height"]})
        for address in (
            "leaderboards/tuned",
            "ranking",
            "ladders",
            f"tournaments/{scene.closed.pk}",
        ):
            page.goto(f"/{address}/")
            if folder is not None:
                page.screenshot(path=folder / f"standing-{address.split('/')[0]}-{name}.png")


def test_standings_lead_from_one_to_the_next_and_to_all_figures(page: Page, scene: Scene) -> None:
    page.goto("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Standings").click()
    tabs = page.get_by_role("navigation", name="Standings")

    tabs.get_by_role("link", name="Overall").click()
    expect(page.get_by_role("heading", name="Overall standings")).to_be_visible()
    tabs.get_by_role("link", name="Seasons").click()
    expect(page.get_by_role("heading", name="Seasons", exact=True)).to_be_visible()
    tabs.get_by_role("link", name="Tuned").click()
    page.get_by_role("link", name="All figures").click()

    expect(page.get_by_role("columnheader", name="Strength")).to_be_visible()
