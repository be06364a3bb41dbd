"""The pages of ladders in a real browser: on narrow screens, in the dark, by keyboard."""

import pytest
from django.db.models.functions import Now
from playwright.sync_api import Page, expect

from pentathlon.matches.models import Match
from tests.factories import make_user, make_version
from tests.pentathlon.ladders.playing import (
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

ADDRESSES = ("/ladders/", "/ladders/tuned/", "/ladders/way_of_the_dragon-5/")
LONG = "x" * 40
UNREACHABLE = """() => [...document.querySelectorAll('main a, main button')]
    .filter(each => each.offsetParent && each.tabIndex < 0).map(each => each.outerHTML)"""
TAB_STOPS = """() => [...document.querySelectorAll('main a, main button')]
    .filter(each => each.offsetParent).length"""
NAMELESS = """() => [...document.querySelectorAll('main a, main button, main section, main nav')]
    .filter(each => !each.innerText.trim() && !each.getAttribute('aria-label')
        && !each.getAttribute('aria-labelledby')).map(each => each.outerHTML)"""


@pytest.fixture
def played(transactional_db: None) -> None:
    """Play some blocks between bots with long names, one of which has left."""
    open_ladder(slots=4, all_others=True)
    for number in range(4):
        make_version(name=f"{LONG}{number}", owner=make_user(f"{LONG}-{number}"))
    make_reference()
    seat_all()
    for _ in range(4):
        step()
        play_waiting()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_ladders_fit_the_screen(page: Page, played: None, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 800})

    for address in ADDRESSES:
        page.goto(address)

        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert page.evaluate(NAMELESS) == []


def test_ladder_is_read_by_keyboard_in_the_order_of_the_page(page: Page, played: None) -> None:
    page.goto("/ladders/tuned/")
    assert page.evaluate(UNREACHABLE) == []
    tops = []

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # past the navigation
    for _ in range(page.evaluate(TAB_STOPS)):
        page.keyboard.press("Tab")
        tops.append(page.evaluate("document.activeElement.href || document.activeElement.type"))

    links = page.locator("main a:visible, main button:visible, main .scroll")
    wanted = links.evaluate_all("all => all.map(each => each.href || each.type)")
    assert [each for each in tops if each] == [each for each in wanted if each][: len(tops)]


def test_open_ladder_follows_new_results(page: Page, played: None) -> None:
    page.goto("/ladders/tuned/")
    facts = page.locator("section[aria-label=Season] dd")
    before = int(facts.nth(1).inner_text())

    step()
    new = play_waiting()
    Match.objects.filter(pk__in=new).update(finished_at=Now())

    ladder = Match.objects.filter(pk__in=new, game="tuned", place__isnull=False).count()
    assert ladder > 0
    expect(facts.nth(1)).not_to_have_text(f"{before}")
