"""Boards that move: what the script makes of the messages of a stream."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now
from playwright.sync_api import Page, Route, expect

from pentathlon.matches.models import MatchState
from pentathlon.tournaments.services import close_finished
from pentathlon.web.drawing.boards import start_board
from tests.browser.access import find_flaws
from tests.factories import make_match
from tests.pentathlon.web.scene import Scene, play_all


def plies(
    match: int,
    *texts: str,
    first: int = 0,
    attempt: int = 1,
    to_move: int | None = None,
    title: str = "Moved",
) -> str:
    """Return an event that says these actions, and shows a board."""
    ply = first + len(texts)
    data: dict[str, Any] = {
        "match": match,
        "attempt": attempt,
        "ply": ply,
        "to_move": ply % 2 if to_move is None else to_move,
        "cpu_ms": [1200, 40],
        "limit_ms": 20_000,
        "first": first,
        "events": [[index % 2, text, 30] for index, text in enumerate(texts, first)],
        "svg": start_board("tuned").replace("<title>", f"<title>{title}, ", 1),
    }
    return f"id: {attempt}-{ply}\nevent: plies\ndata: {json.dumps(data)}\n\n"


def answer(page: Page, address: str, *answers: str) -> None:
    """Answer a stream's requests with these, the last one whenever it is asked for again."""
    left = list(answers)

    def fulfil(route: Route) -> None:
        body = left.pop(0) if len(left) > 1 else left[0]
        # The last answer is final: drawing it again and again would keep the machine busy.
        retry_ms = 200 if left[0] is not body else 600_000
        route.fulfill(body=f"retry: {retry_ms}\n\n{body}", content_type="text/event-stream")

    page.route(address, fulfil)


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_board_of_a_running_match_moves_and_its_list_grows(
    page: Page, scene: Scene, width: int
) -> None:
    match = scene.live.pk
    answer(
        page,
        f"**/live/matches/{match}/",
        plies(match, "add dog b2", "add cat a1"),
        plies(match, "move b2 b3 1", first=2),
    )
    page.set_viewport_size({"width": width, "height": 800})

    page.goto(f"/matches/{match}/")

    rows = page.locator("[data-live-list] li")
    expect(rows).to_have_count(3)
    expect(rows.last).to_contain_text("move b2 b3 1")
    expect(page.locator("[data-live-board] svg.board")).to_be_visible()
    expect(page.locator("[data-place='0'] .used")).to_have_text("1.2 s of 20")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_new_attempt_begins_a_new_list(page: Page, scene: Scene) -> None:
    match = scene.live.pk
    answer(
        page,
        f"**/live/matches/{match}/",
        plies(match, "add dog b2", "add cat a1"),
        plies(match, "add cat c3", attempt=2),
    )

    page.goto(f"/matches/{match}/")

    rows = page.locator("[data-live-list] li")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("add cat c3")


def test_match_that_ends_is_replaced_by_its_replay(page: Page, scene: Scene) -> None:
    match = scene.live.pk
    end = f'event: end\ndata: {{"match": {match}, "state": "done"}}\n\n'
    answer(page, f"**/live/matches/{match}/", plies(match, "add dog b2"), end)

    with page.expect_navigation(url=f"**/matches/{match}/"):
        page.goto(f"/matches/{match}/")
        page.wait_for_event("framenavigated")


def test_cards_on_the_home_page_move(page: Page, scene: Scene) -> None:
    match = scene.live.pk
    answer(page, f"**/live/matches/?match={match}", plies(match, *["add dog b2"] * 17))

    page.goto("/")

    # The best match is on TV, the others are below.
    card = page.locator(f"[data-live-match='{match}']")
    expect(card.locator("[data-live-ply]")).to_have_text("ply 17")
    board = card.locator("svg.board")
    expect(board).to_have_attribute("aria-hidden", "true")
    assert board.get_attribute("viewBox") == board.get_attribute("data-field")
    assert board.locator("title").count() == 0


def test_tv_goes_on_with_the_next_match(page: Page, scene: Scene) -> None:
    match, begun = scene.live.pk, now() - timedelta(minutes=1)
    type(scene.live).objects.filter(pk=match).update(started_at=begun)
    end = f'event: end\ndata: {{"match": {match}, "state": "done"}}\n\n'
    answer(page, f"**/live/matches/{match}/", plies(match, "add dog b2") + end)
    page.goto("/tv/")
    expect(page.locator("[data-live-board] svg.board")).to_be_visible()
    following = make_match(scene.versions[:2], state=MatchState.RUNNING, started_at=begun)
    answer(page, f"**/live/matches/{following.pk}/", plies(following.pk, "add cat c1"))

    type(scene.live).objects.filter(pk=match).update(state=MatchState.VOID)

    link = page.locator("#on-tv a")
    expect(link).to_have_attribute("href", f"/matches/{following.pk}/", timeout=15_000)
    expect(page.locator("[data-live-list] li")).to_contain_text("add cat c1")


@pytest.mark.ci
def test_cells_are_filled_in_place_and_focus_stays(page: Page, scene: Scene) -> None:
    page.goto(f"/tournaments/{scene.running.pk}/")
    link = page.locator("table.crosstable a.name").first
    link.focus()
    total = page.locator("table.crosstable td.total").all_inner_texts()

    play_all(scene.running, limit=1)

    expect(page.locator(".facts dd").first).to_contain_text("3 of 6", timeout=15_000)
    expect(page.locator("table.crosstable td.total")).not_to_have_text(total, timeout=15_000)
    assert page.locator(".toast").count() == 0
    expect(page.locator("[data-copy]").first).to_be_visible()


def test_buttons_and_badge_are_right_when_it_ends_without_a_reload(
    page: Page, scene: Scene
) -> None:
    page.goto(f"/tournaments/{scene.running.pk}/")
    page.evaluate("window.isSame = true")

    play_all(scene.running)
    close_finished()

    expect(page.locator(".head .badge").first).to_have_text("finished", timeout=15_000)
    shown = page.locator("table td, table th").all_inner_texts()
    page.reload()
    assert page.locator("table td, table th").all_inner_texts() == shown


@pytest.fixture
def streamed(page: Page, scene: Scene) -> Page:
    """Open a running match of which three positions have come, and no more will."""
    match = scene.live.pk
    answer(
        page,
        f"**/live/matches/{match}/",
        plies(match, "add dog b2", "add cat a1", to_move=0, title="Second")
        + plies(match, "move b2 b3 1", first=2, to_move=1, title="Third")
        + plies(match, "add cat c1", "add dog c2", first=3, to_move=1, title="Fifth"),
    )
    page.goto(f"/matches/{match}/")
    expect(page.locator("[data-live-list] li")).to_have_count(5)
    return page


def board_title(page: Page) -> str:
    return page.locator("[data-live-board] svg > title").first.text_content() or ""


def test_reader_steps_back_and_returns(streamed: Page) -> None:
    page, count = streamed, streamed.locator("[data-live-count]")
    back_to_live = page.get_by_role("button", name="Back to live")
    expect(count).to_have_text("ply 5")
    expect(back_to_live).to_be_hidden()

    page.get_by_role("button", name="Back", exact=True).click()

    expect(count).to_have_text("ply 3 of 5")
    assert board_title(page).startswith("Third")
    expect(page.locator("[data-live-list] [aria-current]")).to_contain_text("move b2 b3 1")
    expect(page.locator("[data-live-said]")).to_have_text("ply 3: move b2 b3 1")

    page.keyboard.press("ArrowLeft")
    expect(count).to_have_text("ply 2 of 5")
    page.keyboard.press("ArrowLeft")
    expect(count).to_have_text("ply 2 of 5")
    page.keyboard.press("j")
    expect(count).to_have_text("ply 3 of 5")
    page.keyboard.press("l")
    expect(count).to_have_text("ply 5")
    assert board_title(page).startswith("Fifth")
    page.keyboard.press("Home")
    expect(count).to_have_text("ply 2 of 5")
    back_to_live.click()
    expect(count).to_have_text("ply 5")
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_focused()


def test_row_of_a_position_that_came_shows_it(streamed: Page) -> None:
    rows = streamed.locator("[data-live-list] li button")
    expect(rows).to_have_count(3)

    rows.first.click()

    expect(streamed.locator("[data-live-count]")).to_have_text("ply 2 of 5")
    assert board_title(streamed).startswith("Second")


def test_board_stays_where_the_reader_is_while_the_match_goes_on(page: Page, scene: Scene) -> None:
    match = scene.live.pk
    end = f'event: end\ndata: {{"match": {match}, "state": "done"}}\n\n'
    answer(
        page,
        f"**/live/matches/{match}/",
        plies(match, "add dog b2", title="First") + plies(match, "add cat a1", first=1),
        plies(match, "move b2 b3 1", first=2),
        end,
    )
    page.goto(f"/matches/{match}/")
    expect(page.locator("[data-live-list] li").first).to_be_visible()
    page.keyboard.press("Home")

    go_on = page.get_by_role("button", name="Match over: see the replay")
    expect(go_on).to_be_visible()
    expect(page.locator("[data-live-count]")).to_have_text("ply 1 of 3")
    assert board_title(page).startswith("First")
    with page.expect_navigation():
        go_on.click()


def test_live_board_is_for_everybody_while_one_looks_back(streamed: Page) -> None:
    streamed.keyboard.press("ArrowLeft")

    assert find_flaws(streamed) == []
