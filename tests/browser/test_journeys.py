"""Spectators, authors and organisers go from page to page by what the pages offer."""

import pytest
from playwright.sync_api import Page, expect

from pentathlon.insight.explorer import services as explorer
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.models import Tournament, TournamentState
from tests.browser.test_pages import sign_in
from tests.pentathlon.tournaments.challenges.acting import play, waiting, won_by
from tests.pentathlon.web.scene import Scene

_FONTS = """() => {
    const board = document.querySelector('[data-board] > svg, figure svg.board');
    const scale = board.getBoundingClientRect().width / board.viewBox.baseVal.width;
    return Math.min(...[...board.querySelectorAll('text')].map(
        text => parseFloat(getComputedStyle(text).fontSize) * scale));
}"""


@pytest.mark.ci
def test_search_leads_to_a_bot_and_to_its_author(page: Page, scene: Scene) -> None:
    page.goto("/")

    page.keyboard.press("/")
    expect(page).to_have_url("/search/?q=")
    page.wait_for_load_state()  # else nobody listens to the key yet
    page.keyboard.press("/")
    expect(page.get_by_role("main").get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("quiet")
    page.keyboard.press("Enter")
    page.get_by_role("main").get_by_role("link", name="Quiet Axe").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Quiet Axe")
    page.goto("/search/?q=author")
    page.get_by_role("main").get_by_role("link", name="author", exact=True).first.click()
    expect(page).to_have_url("/people/author/")


def test_bot_leads_to_its_rivals_and_a_match_of_two(page: Page, scene: Scene) -> None:
    bot = scene.versions[0].bot
    page.goto(f"/bots/{bot.pk}/")

    page.goto(page.locator("main a[href$='/opponents/']").first.get_attribute("href") or "")
    page.locator("main td a[href*='/against/'], main th a[href*='/against/']").first.click()

    expect(page.get_by_role("heading", level=1)).to_contain_text(bot.name)
    expect(page.get_by_role("main")).to_contain_text("95 %")
    page.locator("main a[href^='/matches/']").first.click()
    expect(page.locator("[data-board]")).to_be_visible()


def test_explorer_is_walked_by_keys(
    page: Page, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer, "_SETTLED_S", -60)
    explorer.count_positions(for_s=60)
    page.goto("/games/tuned/explorer/")
    expect(page.locator("[data-keys]")).to_be_visible()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("figcaption")).to_contain_text("Ply 1.")
    page.keyboard.press("Backspace")

    expect(page.locator("figcaption")).to_contain_text("Ply 0.")


def test_person_leads_to_bots_and_back(page: Page, scene: Scene) -> None:
    page.goto("/people/author/")

    page.locator("section[aria-labelledby=bots] a.name").first.click()

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator("main a[href='/people/author/']").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("author")


def test_feeds_are_found_where_readers_look(page: Page, scene: Scene) -> None:
    tournament, bot = scene.closed.pk, scene.versions[0].bot_id
    addresses = ("/games/tuned/", f"/tournaments/{tournament}/", f"/bots/{bot}/")

    for address in addresses:
        page.goto(address)
        feed = page.locator("link[type='application/atom+xml']").get_attribute("href")
        assert feed is not None, address
        answer = page.request.get(feed)
        assert answer.headers["content-type"].startswith("application/atom+xml")
        assert "<feed" in answer.text()


def test_draft_is_rehearsed_opened_and_deleted(page: Page, scene: Scene) -> None:
    sign_in(page, scene.organiser)
    page.goto("/tournaments/new/?game=tuned")
    page.fill("#id_name", "Plan B")
    for box in page.locator("input[name=versions]").all()[:3]:
        box.check()

    page.get_by_role("button", name="Dry run").click()
    expect(page.locator("#dry-run")).to_be_visible()
    page.get_by_role("button", name="Save as a draft").click()

    expect(page.locator(".head .badge").first).to_have_text("draft")
    draft = Tournament.objects.get(name="Plan B")
    page.get_by_role("button", name="Open for entries").click()
    expect(page.locator(".head .badge").first).to_have_text("open for entries")
    draft.refresh_from_db()
    assert draft.state == TournamentState.OPEN


def test_challenge_is_asked_for_and_its_score_read(page: Page, scene: Scene) -> None:
    sign_in(page, scene.author)
    page.goto(f"/bots/{scene.versions[2].bot_id}/")

    page.get_by_role("link", name="Challenge").first.click()
    page.fill("#id_blocks", "1")
    page.get_by_role("main").locator("button.main").click()

    expect(page.get_by_role("main")).to_contain_text("0 of 2 matches played")
    challenge = Challenge.objects.get()
    play(waiting(challenge), won_by(challenge.version))
    expect(page.get_by_role("main")).to_contain_text("2 of 2 matches played", timeout=30_000)
    expect(page.get_by_role("link", name="Challenge again")).to_be_visible()


@pytest.mark.parametrize(
    "game", ["azure", "maatatahay", "tash_kalar", "tuned", "way_of_the_dragon"]
)
def test_text_on_boards_can_be_read_on_a_phone(page: Page, scene: Scene, game: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/games/{game}/")

    assert page.evaluate(_FONTS) >= 9
