"""Pages in a real browser: no width too small, live parts alive, everything by keyboard."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from pentathlon.accounts.models import User
from pentathlon.matches.models import SeatLog
from pentathlon.tournaments.services import close_finished
from tests.factories import PASSWORD, make_upload, make_user
from tests.pentathlon.web.scene import Scene, play_all

_SHORT_NAMES = ("home", "games", "matches", "bots", "tournaments", "docs", "status", "sign_up")


def addresses(scene: Scene) -> list[str]:
    return [
        *map(reverse, _SHORT_NAMES),
        "/games/tuned/",
        "/games/tuned/rules/",
        "/leaderboards/tuned/",
        "/docs/protocol/",
        f"/bots/{scene.versions[0].bot_id}/",
        f"/versions/{scene.rejected.pk}/",
        f"/matches/{scene.faulty.pk}/",
        f"/matches/{scene.live.pk}/",
        f"/tournaments/{scene.open.pk}/",
        *(
            f"/tournaments/{scene.closed.pk}/{part}"
            for part in ("", "matches/", "schedule/", "faults/", "document/")
        ),
    ]


def sign_in(page: Page, user: User) -> None:
    page.goto("/sign-in/")
    page.fill("#id_username", user.username)
    page.fill("#id_password", PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("header .menu").last).to_contain_text(user.username)


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_no_page_is_wider_than_the_screen(page: Page, scene: Scene, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    wide = {}

    for address in addresses(scene):
        page.goto(address)
        wide[address] = page.evaluate("document.documentElement.scrollWidth")

    assert {address: found for address, found in wide.items() if found > width} == {}


@pytest.mark.parametrize("name", ["umpire-of-1", "somebody-whose-name-is-quite-long"])
def test_name_of_a_person_widens_no_page(page: Page, scene: Scene, name: str) -> None:
    page.set_viewport_size({"width": 320, "height": 800})

    sign_in(page, make_user(name))

    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_first_tab_leads_past_the_navigation(page: Page, scene: Scene) -> None:
    page.goto("/")

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "main"


def test_theme_is_chosen_by_keyboard_and_stays(page: Page, scene: Scene) -> None:
    page.goto("/games/")
    page.locator("header .menu.icon summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Dark", exact=True).focus()
    page.keyboard.press("Enter")

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    background = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(background) == "rgb(21, 23, 26)"


@pytest.mark.ci
def test_escape_closes_a_menu_and_returns_the_focus(page: Page, scene: Scene) -> None:
    page.goto("/")
    page.click("header .menu.icon summary")

    page.keyboard.press("Escape")

    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    expect(page.locator("header .menu.icon")).not_to_have_attribute("open", "")


def test_open_tournament_page_follows_new_results(page: Page, scene: Scene) -> None:
    page.goto(f"/tournaments/{scene.running.pk}/")
    done = page.locator(".facts dd").first
    expect(done).to_contain_text("2 of 6")

    play_all(scene.running, limit=1)

    expect(done).to_contain_text("3 of 6", timeout=10_000)


def test_without_a_stream_a_toast_offers_the_new_results(page: Page, scene: Scene) -> None:
    page.route("**/live/**", lambda route: route.fulfill(status=204))
    page.goto(f"/tournaments/{scene.running.pk}/")

    play_all(scene.running, limit=1)

    toast = page.locator(".toast")
    expect(toast).to_contain_text("Table changed: 1 new result", timeout=20_000)
    toast.get_by_role("link", name="Show").click()
    expect(toast).to_have_count(0)


def test_tournament_page_is_right_the_moment_the_tournament_ends(page: Page, scene: Scene) -> None:
    sign_in(page, scene.organiser)
    page.goto(f"/tournaments/{scene.running.pk}/")
    expect(page.locator(".head .badge").first).to_have_text("running")
    expect(page.locator(".head .actions")).to_contain_text("Pause")

    play_all(scene.running)
    close_finished()

    expect(page.locator(".head .badge").first).to_have_text("finished", timeout=30_000)
    expect(page.locator(".head .actions")).not_to_contain_text("Pause")
    expect(page.locator("dl.facts").first).to_contain_text("Finished")
    expect(page.locator("dl.facts").first).to_contain_text("6 of 6")
    expect(page.locator("[data-renew*=progress]")).to_have_count(0)
    shown = page.locator("table td, table th").all_inner_texts()
    page.reload()
    assert page.locator("table td, table th").all_inner_texts() == shown


def test_upload_is_kept_up_to_date_until_it_is_checked(
    page: Page, scene: Scene, tmp_path_factory: pytest.TempPathFactory
) -> None:
    archive = tmp_path_factory.mktemp("upload") / "bot.zip"
    archive.write_bytes(make_upload("Copper Heron"))
    sign_in(page, scene.organiser)
    page.goto("/bots/new/")

    page.set_input_files("#id_archive", archive)
    page.get_by_role("button", name="Upload and check").click()

    expect(page.locator("#version-checks")).to_contain_text("waits: No worker is alive.")


def test_organiser_cancels_only_with_the_name(page: Page, scene: Scene) -> None:
    sign_in(page, scene.organiser)
    page.goto(f"/tournaments/{scene.running.pk}/")
    page.get_by_role("link", name="Cancel…").click()

    page.fill("#id_name", "Summer")
    page.keyboard.press("Enter")
    expect(page.locator(".field .error")).to_have_text("Type Winter League to cancel it.")
    page.fill("#id_name", "Winter League")
    page.keyboard.press("Enter")

    expect(page.locator(".head .badge").first).to_have_text("cancelled")


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_author_reads_why_a_bot_lost(page: Page, scene: Scene, width: int) -> None:
    loser = scene.faulty.seats.exclude(fault_kind="").get()
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, loser.version.bot.owner)
    page.goto(f"/matches/{scene.faulty.pk}/")

    page.click("text=why")
    page.locator(f"section[aria-labelledby=why-{loser.seat}] summary").last.focus()
    page.keyboard.press("Enter")

    card = page.locator(f"section[aria-labelledby=why-{loser.seat}]")
    expect(card).to_contain_text("used 1.2 s of CPU time")
    expect(card.locator("details table").last).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_last_lines_are_scrolled_to_their_end(page: Page, scene: Scene) -> None:
    loser = scene.faulty.seats.exclude(fault_kind="").get()
    SeatLog.objects.filter(seat=loser).update(text="\n".join(map(str, range(500))))
    sign_in(page, loser.version.bot.owner)

    page.goto(f"/matches/{scene.faulty.pk}/")

    log = page.get_by_label("End of standard error").first.bounding_box()
    end = page.evaluate(
        """() => {
            const text = document.querySelector('[aria-label="End of standard error"] span');
            return text.getBoundingClientRect().bottom;
        }"""
    )
    assert log is not None
    assert end <= log["y"] + log["height"]


def test_forms_have_labels_above_fields(page: Page, scene: Scene) -> None:
    sign_in(page, scene.organiser)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/tournaments/new/?game=tuned")

    label = page.locator("label[for=id_name]").bounding_box()
    field = page.locator("#id_name").bounding_box()

    assert label is not None
    assert field is not None
    assert label["y"] + label["height"] <= field["y"]
    assert label["x"] == field["x"]
