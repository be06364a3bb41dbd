"""What spectators, authors and organisers came for, each done by what a page offers."""

import csv
from pathlib import Path

from playwright.sync_api import Page, expect

from pentathlon.accounts.models import ApiToken
from pentathlon.friendlies.models import Friendly
from pentathlon.webhooks.models import WebhookEndpoint
from pentathlon.webhooks.outbox import spread_events
from pentathlon.webhooks.services import ping_endpoint
from tests.browser.test_pages import sign_in
from tests.factories import make_version
from tests.pentathlon.web.scene import Scene


def test_cell_of_a_crosstable_leads_to_the_results_of_the_pair(page: Page, scene: Scene) -> None:
    page.goto(f"/tournaments/{scene.closed.pk}/")
    row = page.locator(".crosstable tbody tr").first
    name = row.locator("th a").inner_text()

    row.locator("td a").first.click()

    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{name} against ")
    expect(page.get_by_role("main")).to_contain_text(scene.closed.name)
    page.locator("main a[href^='/matches/']").first.click()
    expect(page.locator("[data-board]")).to_be_visible()


def test_leaderboard_shows_the_bots_of_one_author(page: Page, scene: Scene) -> None:
    page.goto("/leaderboards/tuned/")
    page.get_by_label("Author", exact=True).fill("organiser")

    page.get_by_role("button", name="Show").click()

    expect(page.locator("main tbody tr")).to_have_count(1)
    expect(page.locator("main tbody")).to_contain_text("Quiet Axe")
    page.get_by_label("Reference bots").select_option("no")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("main tbody tr")).to_have_count(1)


def test_results_and_standings_are_downloaded(page: Page, scene: Scene, tmp_path: Path) -> None:
    page.goto(f"/tournaments/{scene.closed.pk}/")

    for name, least in (("Export", 6), ("Standings", 3)):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        download.value.save_as(tmp_path / name)
        rows = list(csv.reader((tmp_path / name).read_text("utf-8-sig").splitlines()))
        assert len(rows) > least, rows
        assert {len(row) for row in rows} == {len(rows[0])}


def test_organiser_finds_bots_in_the_list_and_chooses_them_at_once(
    page: Page, scene: Scene
) -> None:
    for number in range(8):
        make_version(name=f"finch-{number}")
    sign_in(page, scene.organiser)
    page.goto("/tournaments/new/?game=tuned")

    page.get_by_label("Find in the list").fill("FINCH")
    page.get_by_role("button", name="Choose all").click()

    expect(page.get_by_role("status").filter(has_text="chosen")).to_contain_text("8 of ")
    page.get_by_label("Find in the list").fill("")
    assert page.locator("input[name=versions]:checked").count() == 8
    page.get_by_role("button", name="None").click()
    assert page.locator("input[name=versions]:checked").count() == 0


def test_card_tells_its_text_to_those_who_have_no_pointer(page: Page, scene: Scene) -> None:
    page.goto("/games/tash_kalar/lesson/")
    card = page.locator(".term").first
    text = card.locator("[role=tooltip]")
    expect(text).not_to_be_visible()

    card.focus()

    expect(text).to_be_visible()
    assert len(text.inner_text()) > len("a name")


def test_replay_is_played_on_from_where_one_looks(page: Page, scene: Scene) -> None:
    sign_in(page, scene.author)
    page.goto(f"/matches/{scene.done.pk}/?ply=3")

    page.get_by_role("link", name="Play on from here").click()
    expect(page.get_by_role("main")).to_contain_text("ply 3")
    page.get_by_role("main").locator("form button.main").click()

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert Friendly.objects.get().ply >= 3


def test_token_is_made_copied_and_revoked(page: Page, scene: Scene) -> None:
    sign_in(page, scene.author)
    page.goto("/account/")
    page.fill("#id_name", "build server")
    page.get_by_role("button", name="Make the token").click()

    secret = page.locator(".note pre").inner_text()
    page.get_by_role("button", name="Copy the token").click()

    assert page.evaluate("navigator.clipboard.readText()") == secret
    answer = page.request.get("/api/v1/me/", headers={"Authorization": f"Bearer {secret}"})
    assert (answer.status, answer.json()["username"]) == (200, "author")
    page.get_by_role("button", name="Revoke build server").click()
    expect(page.get_by_role("main")).to_contain_text("You have no token.")
    assert not ApiToken.objects.filter(user=scene.author).exists()


def test_webhook_is_made_tested_and_disabled(page: Page, scene: Scene) -> None:
    sign_in(page, scene.author)
    page.goto("/account/webhooks/")
    page.get_by_role("link", name="New webhook").click()
    page.fill("#id_url", "https://example.org/hook")
    page.get_by_role("button", name="Make the webhook").click()
    expect(page.locator("main pre").first).to_contain_text("whsec_")

    page.get_by_role("button", name="Send a test event").click()
    expect(page.locator("body")).to_contain_text("A test event is on its way.")
    rows = page.locator("section[aria-labelledby=deliveries] tbody tr")
    expect(rows).to_have_count(0)
    spread_events()

    expect(rows).to_have_count(1, timeout=20_000)  # without a reload
    rows.first.get_by_text("Details").click()
    page.fill("#id_url", "https://example.org/other")
    page.get_by_role("button", name="Send webhook.ping again").focus()
    ping_endpoint(actor=scene.author, endpoint_id=WebhookEndpoint.objects.get().pk)
    spread_events()
    expect(rows).to_have_count(2, timeout=20_000)
    expect(rows.last.get_by_text("Not tried yet.")).to_be_visible()
    expect(rows.last.get_by_role("button")).to_be_focused()
    expect(page.locator("#id_url")).to_have_value("https://example.org/other")
    page.get_by_role("button", name="Disable").click()
    expect(page.get_by_role("button", name="Enable")).to_be_visible()
    assert not WebhookEndpoint.objects.get().is_enabled
