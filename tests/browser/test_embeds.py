"""An embedded replay under the hands of a reader."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_viewer import at
from tests.pentathlon.web.scene import Scene


@pytest.fixture
def embed(page: Page, scene: Scene) -> Page:
    """Open an embedded replay at ply 3."""
    page.goto(f"/embed/matches/{scene.done.pk}/?ply=3")
    expect(page.locator("[data-slider]")).to_be_visible()
    return page


def test_keys_and_buttons_step_in_place(embed: Page, scene: Scene) -> None:
    reached = []
    for key in ("ArrowRight", "ArrowLeft", "Home", "End"):
        embed.keyboard.press(key)
        reached.append(at(embed))
    for button in ("back", "first", "forward", "last"):
        embed.click(f"[data-do={button}]")
        reached.append(at(embed))

    last = scene.done.ply
    assert reached == [4, 3, 0, last, last - 1, 0, 1, last]
    expect(embed.locator("[data-board] > svg > title")).to_have_text(f"Tuned, ply {last}")
    expect(embed.locator("[data-at-end]").first).to_be_visible()


def test_playing_goes_on_until_it_is_paused(embed: Page) -> None:
    embed.keyboard.press(" ")
    expect(embed.locator("[data-count]")).to_have_text(re.compile("^4 /"))
    embed.keyboard.press(" ")

    expect(embed.locator("[data-do=play]")).to_have_attribute("aria-label", "Play")


def test_step_is_told_without_the_words_on_hover(embed: Page) -> None:
    def moment_with_a_tip(route: Route) -> None:
        tip = '<span class="term">cat<span class="tip" role="tooltip">Of rank 3.</span></span>'
        body = f"<div data-moment><p>Amber places a {tip}.</p></div>"
        route.fulfill(body=body, content_type="text/html")

    embed.route("**/moment/?ply=0", moment_with_a_tip)
    embed.keyboard.press("Home")

    expect(embed.locator("[data-said-here]")).to_have_text("ply 0: Amber places a cat.")


def test_ply_that_does_not_come_is_said_and_asked_for_again(embed: Page) -> None:
    embed.evaluate(
        "void (usual = fetch, fetch = async () => new Response('busy', { status: 503 }))"
    )

    embed.keyboard.press("Home")

    moment = embed.locator("[data-moment]")
    expect(moment).to_have_text("Ply 0 could not be loaded. Go to it again in a moment.")
    expect(embed.locator("[data-board] > svg > title")).to_have_text("Tuned, ply 3")
    embed.evaluate("void (fetch = usual)")
    embed.keyboard.press("Home")
    expect(moment).to_have_text("The match begins.")
    expect(embed.locator("[data-board] > svg > title")).to_have_text("Tuned, ply 0")
