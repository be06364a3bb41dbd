"""Hands on the board: what is asked, what was chosen, what is refused; and boards on a phone."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from pentathlon.friendlies.models import Friendly
from pentathlon.friendlies.services import create_friendly
from tests.browser.access import MOST_SHIFT, SHIFTS
from tests.browser.test_pages import sign_in
from tests.factories import make_user, make_version
from tests.pentathlon.friendlies.acting import answer, play_to_end

pytestmark = pytest.mark.django_db(transaction=True)
_PHONE: ViewportSize = {"width": 390, "height": 844}


def _open(page: Page, game: str, *, seat: int = 0, seats: int = 2) -> Friendly:
    bots = [make_version(games=(game,)).bot_id for _ in range(seats - 1)]
    friendly = create_friendly(actor=make_user(), game=game, bots=bots, seat=seat)
    if friendly.state == "bot":
        friendly = answer(friendly)
    page.add_init_script(SHIFTS)
    sign_in(page, friendly.person)
    page.goto(f"/play/{friendly.pk}/")
    return friendly


def _keep(page: Page, folder: Path | None, name: str) -> None:
    if folder is not None:
        page.screenshot(path=folder / f"{name}.png")


@pytest.fixture
def folder(pytestconfig: pytest.Config) -> Path | None:
    """Return where pictures are kept, if they are."""
    found: Path | None = pytestconfig.getoption("--screenshots")
    return found


def test_own_move_renews_in_place_after_a_second_tap(page: Page, folder: Path | None) -> None:
    page.set_viewport_size(_PHONE)
    friendly = _open(page, "tuned")
    page.evaluate("window.isSame = true")
    said = page.locator("[data-said]")
    expect(said).to_contain_text("Add an animal of your hand")
    page.locator("[data-mark=dog]").click()
    expect(said).to_contain_text("point on")
    page.locator("[data-cell=b2]").click()
    expect(said).to_contain_text("Put a dog on b2")
    _keep(page, folder, "hands-chosen-390")
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Take back").click()
    expect(said).to_contain_text("Add an animal of your hand")
    page.locator("[data-cell=b2]").click()
    page.locator("[data-mark=cat]").click()
    expect(said).to_contain_text("Put a cat on b2")
    friendly.refresh_from_db()
    assert friendly.ply == 0
    before = page.evaluate("scrollY")

    page.locator("[data-mark=cat]").click()

    expect(page.locator("#turn")).to_contain_text("The bot")
    expect(page.locator("[data-cell=b2] title")).to_have_text("b2: cat")
    assert page.evaluate("window.isSame")
    assert page.evaluate("scrollY") == before


def test_refused_cell_says_why(page: Page) -> None:
    _open(page, "azure")
    refusals = json.loads(page.locator("[data-choose]").get_attribute("data-refusals") or "")
    cell = next(name for name, why in refusals.items() if "mountain" in why)

    page.locator(f"[data-cell={cell}]").click()

    expect(page.locator("[data-said]")).to_have_text(
        f"{cell} is a mountain: only the Tortoise brings a stone there."
    )


def test_own_seat_is_at_the_bottom_and_called_you(page: Page, folder: Path | None) -> None:
    _open(page, "tuned", seat=1)

    expect(page.locator(".viewer .bot")).to_contain_text("you")
    expect(page.locator(".told")).not_to_contain_text("Amber")
    own, other = (page.locator(f"[data-seat='{seat}']").bounding_box() for seat in (1, 0))
    assert own is not None
    assert other is not None
    assert own["y"] > other["y"]
    _keep(page, folder, "hands-1280")


@pytest.mark.parametrize("game", ["azure", "tash_kalar"])
def test_board_comes_first_on_a_phone_and_the_dock_stays(
    page: Page, folder: Path | None, game: str
) -> None:
    page.set_viewport_size(_PHONE)
    friendly = _open(page, game)
    dock, board = page.locator(".dock"), page.locator("[data-board]")
    expect(dock).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.querySelector('[data-board]').getBoundingClientRect().y") < 420
    _keep(page, folder, f"play-{game}-390")
    if game == "tash_kalar":
        page.get_by_text("Cards and tasks").click()
        expect(page.locator("[data-card]").last).to_be_visible()
        _keep(page, folder, f"play-{game}-drawer-390")
    page.goto("about:blank")  # the open game would load itself anew at its end
    friendly = play_to_end(friendly)

    page.goto(f"/play/{friendly.pk}/?ply=9")
    expect(dock).to_be_in_viewport(ratio=1)
    board.scroll_into_view_if_needed()
    _keep(page, folder, f"replay-{game}-390")
    for _ in range(4):
        page.locator("[data-do=forward]").click()
    page.locator("[data-do=play]").click()
    expect(page.locator("[data-count]")).to_contain_text("15 /")

    assert page.evaluate("window.shifts") <= MOST_SHIFT
    expect(dock).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1280, "height": 800})
    _keep(page, folder, f"replay-{game}-1280")


def test_after_the_game_the_moments_lead_to_another_try(page: Page, folder: Path | None) -> None:
    page.set_viewport_size(_PHONE)
    friendly = play_to_end(_open(page, "azure"))

    page.goto(f"/play/{friendly.pk}/")

    review = page.get_by_role("region", name="Looking back")
    expect(review).to_be_visible()
    _keep(page, folder, "review-390")
    review.get_by_role("link", name="Try again from here").first.click()
    expect(page.get_by_role("heading", name="Play Azure")).to_be_visible()
