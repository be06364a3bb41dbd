"""The replay viewer under the hands of a reader."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.pentathlon.insight.analyses.curves import analyse
from tests.pentathlon.web.scene import Scene
from tests.pentathlon.web.test_weight import store_long_match


@pytest.fixture
def replay(page: Page, scene: Scene) -> Page:
    """Open a replay at ply 3."""
    page.goto(f"/matches/{scene.done.pk}/?ply=3")
    expect(page.locator("[data-slider]")).to_be_visible()
    return page


def at(page: Page) -> int:
    return int(page.locator("[data-count]").inner_text().split("/")[0])


@pytest.mark.parametrize(
    ("key", "ply"),
    [("ArrowRight", 4), ("j", 4), ("ArrowLeft", 2), ("k", 2), ("Home", 0), ("ArrowDown", 4)],
)
def test_key_steps_and_the_board_follows(replay: Page, key: str, ply: int) -> None:
    replay.keyboard.press(key)

    assert at(replay) == ply
    assert replay.url.endswith(f"?ply={ply}")
    title = replay.locator("[data-board] > svg > title")
    expect(title).to_have_text(f"Tuned, ply {ply}")


def test_end_key_goes_to_the_end(replay: Page, scene: Scene) -> None:
    replay.keyboard.press("End")

    assert at(replay) == scene.done.ply


def test_stepping_is_told_to_those_who_listen(replay: Page) -> None:
    replay.keyboard.press("ArrowRight")

    expect(replay.locator("[data-said-here]")).to_have_text(re.compile("^ply 4, seat 1: Amber "))


def test_words_points_and_ranks_follow_the_board(replay: Page, scene: Scene) -> None:
    results = replay.locator("[data-at-end]")
    hidden = [each.is_visible() for each in results.all()]
    replay.keyboard.press("End")

    expect(replay.locator("[data-moment] b")).to_have_text(re.compile("wins"))
    expect(results.first).to_be_visible()
    replay.keyboard.press("Home")
    expect(replay.locator("[data-moment] p").first).to_have_text("The match begins.")
    expect(results.first).to_be_hidden()
    assert hidden == [False, False]


def test_list_is_one_stop_of_the_tab_key(replay: Page) -> None:
    replay.focus("[data-row='3']")

    replay.keyboard.press("ArrowRight")

    expect(replay.locator("[data-row='4']")).to_be_focused()
    expect(replay.locator("[data-list] a[tabindex='0']")).to_have_count(1)


@pytest.mark.ci
def test_buttons_and_rows_step_in_place(replay: Page) -> None:
    replay.evaluate("window.stays = true")

    replay.click("[data-do=back]")
    back = at(replay)
    replay.click("[data-row='1']")

    assert (back, at(replay)) == (2, 1)
    assert replay.evaluate("window.stays")
    expect(replay.locator("[data-row='1']")).to_have_attribute("aria-current", "true")


def test_playing_stops_at_the_end(replay: Page, scene: Scene) -> None:
    replay.locator("[data-slider]").fill(str(scene.done.ply - 2))
    play = replay.locator("[data-do=play]")

    play.click()
    playing = play.get_attribute("aria-label")

    expect(replay.locator("[data-count]")).to_have_text(f"{scene.done.ply} / {scene.done.ply}")
    expect(play).to_have_attribute("aria-label", "Play")
    assert playing == "Pause"


def test_playing_can_be_paused_by_key(replay: Page) -> None:
    replay.keyboard.press(" ")
    replay.keyboard.press(" ")

    expect(replay.locator("[data-do=play]")).to_have_attribute("aria-label", "Play")
    assert at(replay) == 3


def test_help_opens_and_closes_by_key(replay: Page) -> None:
    replay.keyboard.press("?")
    expect(replay.locator("[data-help]")).to_be_visible()

    replay.keyboard.press("Escape")

    expect(replay.locator("[data-help]")).to_be_hidden()


def test_keys_can_be_switched_off(replay: Page) -> None:
    replay.keyboard.press("?")
    replay.uncheck("[data-keys-on]")
    replay.keyboard.press("Escape")

    replay.keyboard.press("ArrowRight")

    assert at(replay) == 3


def test_go_to_takes_a_ply(replay: Page) -> None:
    replay.keyboard.press("g")
    replay.fill("#goto-ply", "1")
    replay.keyboard.press("Enter")

    replay.wait_for_url("**/?ply=1")
    assert at(replay) == 1


def test_link_to_the_ply_is_copied(replay: Page) -> None:
    replay.keyboard.press("c")

    expect(replay.locator(".toast")).to_have_text("Link to ply 3 copied.")
    assert replay.evaluate("navigator.clipboard.readText()") == replay.url


def test_slider_moves_the_board(replay: Page) -> None:
    replay.locator("[data-slider]").fill("2")

    assert at(replay) == 2


def test_seat_to_move_follows(replay: Page) -> None:
    replay.keyboard.press("ArrowRight")

    expect(replay.locator("[data-place='0']")).to_have_class("seat-row to-move")


@pytest.fixture
def analysed(page: Page, scene: Scene) -> Page:
    """Open a replay with a win-chance curve on a phone."""
    analyse(scene.done)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/matches/{scene.done.pk}/")
    expect(page.locator("[data-slider]")).to_be_visible()
    return page


def test_keys_jump_between_turns_and_the_curve_tells_no_more(analysed: Page) -> None:
    told = analysed.locator("[data-mark-words]:visible")
    drawn = analysed.locator(".curve [data-mark]:visible")
    expect(told).to_have_count(0)
    expect(drawn).to_have_count(0)

    analysed.keyboard.press("n")
    assert at(analysed) == 2
    expect(told).to_have_text([re.compile("blunder of Amber")])
    expect(drawn).to_have_count(1)
    expect(analysed.locator("[data-chance-of='0']")).to_have_text("70 % ± 9")
    analysed.keyboard.press("n")
    assert at(analysed) == 4
    analysed.keyboard.press("p")
    assert at(analysed) == 2
    assert analysed.evaluate("document.documentElement.scrollWidth") <= 390


def test_whole_curve_is_shown_on_request_and_after_the_end(analysed: Page) -> None:
    curtain = analysed.locator("[data-curtain]")
    accuracy = analysed.locator("[data-told]").filter(has_text="92 (83 to 100)")
    expect(accuracy).to_be_hidden()

    analysed.click("[data-do=whole]")

    expect(curtain).to_have_attribute("display", "none")
    expect(accuracy).to_be_visible()
    analysed.reload()
    expect(accuracy).to_be_hidden()
    analysed.keyboard.press("End")
    analysed.keyboard.press("Home")
    expect(accuracy).to_be_visible()


def test_curve_stands_over_the_slider(analysed: Page) -> None:
    curve = analysed.locator("svg.curve").bounding_box()
    slider = analysed.locator("[data-slider]").bounding_box()

    assert curve is not None
    assert slider is not None
    assert curve["x"] - slider["x"] == pytest.approx(8, abs=2)
    assert slider["x"] + slider["width"] - curve["x"] - curve["width"] == pytest.approx(8, abs=2)


def test_long_match_of_five_seats_lists_several_events_at_a_time(page: Page, scene: Scene) -> None:
    match = store_long_match()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"/matches/{match.pk}/?ply=800")

    listed = page.locator("[data-list]").bounding_box()

    assert listed is not None
    assert listed["height"] > 130


def test_time_used_follows_the_ply(replay: Page) -> None:
    used = replay.locator("[data-used-of]")

    replay.keyboard.press("Home")
    expect(used).to_have_text(["0.00", "0.00"])

    replay.keyboard.press("End")

    totals = [text.get_attribute("data-total") for text in used.all()]
    expect(used).to_have_text([str(total) for total in totals])
