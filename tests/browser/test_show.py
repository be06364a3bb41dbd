"""The show: TV goes on by itself at a pace for people, on its page and on the home page."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils.timezone import now
from playwright.sync_api import Page, expect

from pentathlon.insight.channel import director, programme
from pentathlon.matches.latest import tell_match
from pentathlon.matches.models import Match, MatchState
from pentathlon.web.replay import on_air
from pentathlon_engines import GAMES
from tests.browser.access import MOST_SHIFT, SHIFTS, find_flaws
from tests.engines.record.random_records import make_record
from tests.factories import make_bot, make_match, make_replay, make_version
from tests.pentathlon.web.scene import Scene

NAMES = ("magpie", "a bot with a very long name of forty let", "strategist", "wren", "owl")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the programme of a match last for seconds."""
    monkeypatch.setattr(programme, "WINDOW_S", 24)
    monkeypatch.setattr(programme, "LEAD_S", 8)
    monkeypatch.setattr(director, "_USUAL_S", 8.0)
    monkeypatch.setattr(director, "_FASTEST_S", 0.06)


@pytest.fixture
def played(transactional_db: None) -> list[Match]:
    """Store a finished match of each game."""
    return [_finished(game) for game in GAMES]


def _finished(game: str) -> Match:
    seats = GAMES[game].info.seats[1]
    record = make_record(GAMES[game], seats=seats)
    ranks = record["outcome"]["ranks"]
    bots = [make_bot(name=f"{name}-{game[:3]}") for name in NAMES[:seats]]
    match = make_match(
        [make_version(bot=bot, games=(game,)) for bot in bots],
        game=game,
        state=MatchState.DONE,
        ranks=ranks,
        ply=len(record["events"]),
        outcome_reason=record["outcome"]["reason"],
        finished_at=now() - timedelta(hours=1),
    )
    for seat, score in enumerate(record["outcome"]["scores"] or []):
        match.seats.filter(seat=seat).update(score=score)
    make_replay(match, record)
    return match


@pytest.mark.parametrize(("width", "height"), [(320, 640), (1280, 800)])
def test_tv_goes_on_by_itself_and_tells_who_won(
    page: Page, played: list[Match], width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.add_init_script(SHIFTS)
    page.goto("/tv/?game=azure")
    said = page.locator("[data-said]")
    first = said.inner_text()

    expect(said).not_to_have_text(first)
    expect(page.locator("[data-board] svg.board")).to_be_visible()
    story = tell_match(Match.objects.with_seats().get(pk=played[0].pk))
    expect(page.locator("[data-result]")).to_contain_text(story)
    expect(page.locator("[data-result]")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.shifts") <= MOST_SHIFT


def test_next_match_follows_and_nothing_jumps(page: Page, played: list[Match]) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.add_init_script(SHIFTS)
    page.goto("/tv/")
    reel = page.locator("[data-tv]").get_attribute("data-tv")

    expect(page.locator("[data-tv]")).not_to_have_attribute("data-tv", reel or "", timeout=60_000)

    expect(page.locator("[data-said]")).not_to_be_empty()
    assert page.evaluate("window.shifts") <= MOST_SHIFT


def test_pause_holds_the_position_by_keyboard(page: Page, played: list[Match]) -> None:
    page.goto("/tv/?game=tash_kalar")
    page.locator("[data-pause]").focus()

    page.keyboard.press("Enter")

    held = page.locator("[data-said]").inner_text()
    expect(page.locator("[data-pause]")).to_have_text("Go on")
    page.wait_for_timeout(1500)
    assert page.locator("[data-said]").inner_text() == held
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).not_to_have_text(held)


@pytest.mark.parametrize("width", [320, 1280])
def test_stranger_sees_on_the_first_screen_what_this_is_and_what_is_on(
    page: Page, played: list[Match], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.add_init_script(SHIFTS)
    page.goto("/")

    expect(page.locator("h1")).to_have_text("Bots play board games")
    board = page.locator("[data-board] svg.board").bounding_box()
    assert board is not None
    assert board["y"] + board["height"] / 2 < 844
    expect(page.locator("nav.tiles svg.board")).to_have_count(5)
    page.wait_for_timeout(3000)
    assert page.evaluate("window.shifts") <= MOST_SHIFT
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert find_flaws(page) == []


def test_empty_site_has_a_programme_at_once(page: Page, transactional_db: None) -> None:
    page.goto("/")
    said = page.locator("[data-said]")
    first = said.inner_text()

    expect(said).not_to_have_text(first)

    expect(page.locator(".tv")).to_contain_text("exhibition")


def test_points_are_drawn_until_the_curve_comes(page: Page, played: list[Match]) -> None:
    page.goto(f"/matches/{played[0].pk}/?ply=9")

    figure = page.locator("[data-chance-of='0']")
    before = figure.inner_text()
    expect(page.locator("[data-chances] svg.curve polyline").first).to_be_attached()
    page.keyboard.press("End")
    expect(figure).not_to_have_text(before)
    assert "%" not in figure.inner_text()


def test_position_is_told_in_words_at_every_ply(page: Page, played: list[Match]) -> None:
    page.goto(f"/matches/{played[0].pk}/")
    page.get_by_text("Position in words").click()
    words = page.locator("[data-position]")
    before = words.inner_text()

    page.keyboard.press("End")

    expect(words).not_to_have_text(before)
    expect(words).to_contain_text("stone of seat")


def test_print_has_board_sentence_and_score_without_buttons(
    page: Page, played: list[Match]
) -> None:
    page.goto(f"/matches/{played[0].pk}/?ply=9")

    page.emulate_media(media="print")

    for shown in ("[data-board] svg.board", "[data-moment]", "[data-chance-of='0']"):
        expect(page.locator(shown)).to_be_visible()
    for left_out in ("[data-do=forward]", "[data-slide]", "header.site"):
        expect(page.locator(left_out)).to_be_hidden()
    background = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(background) == "rgba(0, 0, 0, 0)"


def test_pictures_for_reviewers(
    page: Page, played: list[Match], scene: Scene, pytestconfig: pytest.Config
) -> None:
    folder: Path | None = pytestconfig.getoption("--screenshots")
    if folder is None:
        pytest.skip("No folder for pictures was named.")
    on_air.forget()
    for width, height in ((390, 844), (1280, 800)):
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": height})
            for name, address in (
                ("home", "/"),
                *((f"tv-{game}", f"/tv/?game={game}") for game in GAMES),
                ("match", f"/matches/{played[0].pk}/?ply=9"),
                ("matches", "/matches/"),
                ("cup", f"/tournaments/{scene.closed.pk}/"),
            ):
                page.goto(address)
                page.wait_for_timeout(1200)
                page.screenshot(
                    path=folder / f"{name}-{width}-{theme}.png", full_page=name == "home"
                )
