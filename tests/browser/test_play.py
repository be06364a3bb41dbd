"""People play against bots: by pointing at the board, by the keyboard, and without a script."""

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from pentathlon.friendlies.models import Friendly
from pentathlon.friendlies.services import create_friendly
from pentathlon_engines import GAMES
from tests.browser.access import find_flaws
from tests.browser.test_pages import sign_in
from tests.factories import PASSWORD, make_user, make_version
from tests.pentathlon.friendlies.acting import answer

pytestmark = pytest.mark.django_db(transaction=True)
_PHONE: ViewportSize = {"width": 390, "height": 844}
_MOVES = 5
_STREAM = """
window.EventSource = class extends EventTarget {
  static OPEN = 1;
  readyState = 1;
  constructor() {
    super();
    window.tell = () => this.dispatchEvent(new MessageEvent("changed", { data: "{}" }));
  }
  close() {}
};
"""
_CLOSED_STREAM = """
window.EventSource = class extends EventTarget {
  static OPEN = 1;
  readyState = 2;
  close() {}
};
"""


def _begin(game: str, *, seats: int = 2) -> Friendly:
    bots = [make_version(games=(game,)).bot_id for _ in range(seats - 1)]
    return create_friendly(actor=make_user(), game=game, bots=bots, seat=0)


def _point(page: Page) -> None:
    """Choose an action by the board as far as that goes, and by the list for the rest."""
    ply = page.locator("[name=ply]").input_value()
    while page.locator(".can").count():
        page.locator(".can").first.click()
        page.wait_for_timeout(50)
        if not page.locator(f"[name=ply][value='{ply}']").count():
            return
        if page.locator("label.choice input:checked").count():
            break
    if not page.locator("label.choice input:checked").count():
        page.locator("label.choice:visible input").first.check()
    page.click("[data-choose] button.main")
    expect(page.locator(f"[name=ply][value='{ply}']")).to_have_count(0)


def _play(page: Page, friendly: Friendly, *, moves: int) -> Friendly:
    """Play some moves; the bots answer at once."""
    for _ in range(moves):
        friendly.refresh_from_db()
        if friendly.state == "bot":
            friendly = answer(friendly)
        if not friendly.is_under_way:
            break
        expect(page.locator("[data-choose]")).to_be_visible()
        expect(page.locator("[name=ply]")).to_have_value(str(friendly.ply))
        _point(page)
    friendly.refresh_from_db()
    return friendly


def test_whole_game_is_played_by_pointing(page: Page) -> None:
    friendly = _begin("tuned")
    page.set_viewport_size(_PHONE)
    sign_in(page, friendly.person)
    page.goto(f"/play/{friendly.pk}/")

    friendly = _play(page, friendly, moves=200)

    assert friendly.state == "done"
    page.goto(f"/play/{friendly.pk}/")
    expect(page.locator(".badge", has_text="with a person")).to_be_visible()


@pytest.mark.parametrize(
    ("game", "seats"), [*((key, 2) for key in sorted(GAMES)), ("way_of_the_dragon", 5)]
)
def test_every_game_is_played_on_a_phone(page: Page, game: str, seats: int) -> None:
    friendly = _begin(game, seats=seats)
    page.set_viewport_size(_PHONE)
    sign_in(page, friendly.person)
    page.goto(f"/play/{friendly.pk}/")

    before = friendly.ply
    friendly = _play(page, friendly, moves=_MOVES)

    assert friendly.ply > before
    assert page.evaluate("document.documentElement.scrollWidth") <= _PHONE["width"]


@pytest.mark.ci
def test_keyboard_moves_over_the_board_and_takes_back(page: Page) -> None:
    friendly = _begin("tuned")
    sign_in(page, friendly.person)
    page.goto(f"/play/{friendly.pk}/")
    left = page.locator("label.choice:visible")

    page.locator("[data-cell=a1]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    expect(left).to_have_count(3)
    page.keyboard.press("Escape")
    expect(left).to_have_count(27)
    page.locator("[data-cell=b2]").focus()
    page.keyboard.press("Enter")
    page.locator("label.choice:visible input").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator("#turn")).to_contain_text("The bot")
    friendly.refresh_from_db()
    assert friendly.events[0][1] == "add donkey b2"


def test_second_tab_is_told_that_it_is_late(page: Page) -> None:
    friendly = _begin("tuned")
    sign_in(page, friendly.person)
    page.goto(f"/play/{friendly.pk}/")
    other = page.context.new_page()
    other.route("**/live/friendlies/**", lambda route: route.abort())
    other.goto(f"/play/{friendly.pk}/")
    _point(page)

    other.locator("label.choice:visible input").last.check()
    other.click("[data-choose] button.main")

    expect(other.locator(".toast")).to_contain_text("look at the board again")


def test_other_tab_follows_by_itself(page: Page) -> None:
    friendly = _begin("tuned")
    sign_in(page, friendly.person)
    page.goto(f"/play/{friendly.pk}/")
    other = page.context.new_page()
    other.goto(f"/play/{friendly.pk}/")

    _point(page)

    expect(other.locator("#turn")).to_contain_text("The bot", timeout=15_000)
    assert other.locator("[data-choose]").count() == 0


def test_stream_brings_the_answer_and_nothing_asks_beside_it(page: Page) -> None:
    friendly = _begin("tuned")
    sign_in(page, friendly.person)
    # The server of the tests ends every stream at once; this one stays open until the bot moved.
    page.add_init_script(_STREAM)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"/play/{friendly.pk}/")
    _point(page)
    expect(page.locator("#turn")).to_contain_text("The bot")
    friendly.refresh_from_db()
    answer(friendly)
    asked.clear()

    page.wait_for_timeout(2500)
    assert [url for url in asked if "since=" in url] == []
    page.evaluate("window.tell()")

    expect(page.locator("#turn")).to_have_text("Your turn")
    expect(page.locator("#turn")).to_be_focused()


def test_without_a_stream_the_page_asks(page: Page) -> None:
    friendly = _begin("tuned")
    sign_in(page, friendly.person)
    page.add_init_script(_CLOSED_STREAM)
    page.goto(f"/play/{friendly.pk}/")
    _point(page)
    expect(page.locator("#turn")).to_contain_text("The bot")
    friendly.refresh_from_db()

    answer(friendly)

    expect(page.locator("#turn")).to_have_text("Your turn", timeout=15_000)


def test_reload_in_the_middle_of_a_choice_loses_nothing(page: Page) -> None:
    friendly = _begin("tuned")
    sign_in(page, friendly.person)
    page.goto(f"/play/{friendly.pk}/")
    page.locator("[data-cell=b2]").click()

    page.reload()

    expect(page.locator("label.choice:visible")).to_have_count(27)
    _point(page)
    page.reload()
    expect(page.locator("#turn")).to_contain_text("The bot")
    friendly.refresh_from_db()
    assert friendly.ply == 1


@pytest.mark.parametrize("game", sorted(GAMES))
def test_board_to_play_on_is_for_everybody(page: Page, game: str) -> None:
    friendly = _begin(game)
    sign_in(page, friendly.person)
    if friendly.state == "bot":
        answer(friendly)
    page.goto(f"/play/{friendly.pk}/")
    expect(page.locator("[data-choose]")).to_be_visible()

    assert find_flaws(page) == []


def test_game_with_options_is_begun_by_the_form(page: Page) -> None:
    bot, person = make_version(games=("tash_kalar",)).bot, make_user()
    sign_in(page, person)
    page.goto(f"/play/new/?game=tash_kalar&bot={bot.pk}")
    page.get_by_text("Options of the game").click()
    assert find_flaws(page) == []
    page.get_by_label("Mode").select_option("deathmatch_duel")

    page.get_by_role("button", name="Begin").click()

    expect(page.locator("#turn")).to_be_visible()
    assert Friendly.objects.get().options["mode"] == "deathmatch_duel"


def test_game_is_played_without_a_script(browser: Browser, live_server: LiveServer) -> None:
    friendly = _begin("tuned")
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/sign-in/")
    page.fill("#id_username", friendly.person.username)
    page.fill("#id_password", PASSWORD)
    page.click("main button.main")

    while friendly.is_under_way:
        page.goto(f"/play/{friendly.pk}/")
        page.locator("label.choice input").first.check()
        page.click("main form button.main")
        friendly.refresh_from_db()
        if friendly.is_under_way:
            expect(page.locator("#turn")).to_contain_text("The bot")
            friendly = answer(friendly)
            page.click("text=Refresh")

    expect(page.locator(".badge", has_text="with a person")).to_be_visible()
    assert friendly.ply > 1
    context.close()
