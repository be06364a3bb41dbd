"""The badge of a bot, for pages elsewhere."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from pentathlon.bots.models import Bot, VersionState
from pentathlon.ladders.membership import leave_ladder, pause_ladder
from pentathlon.web.drawing import badges
from tests.factories import make_bot, make_version
from tests.pentathlon.ladders.playing import open_ladder, play_waiting, seat_all, step
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db
_TEXT = "{http://www.w3.org/2000/svg}text"


def badge(bot: Bot, query: str = "") -> str:
    answer = Client().get(f"/bots/{bot.pk}/badge.svg{query}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml; charset=utf-8")
    return answer.content.decode()


def says(bot: Bot, query: str = "") -> list[str]:
    return [text.text or "" for text in ET.fromstring(badge(bot, query)).iter(_TEXT)]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (VersionState.VALIDATING, "being validated"),
        (VersionState.ELIGIBLE, "may play, no rank yet"),
        (VersionState.STOPPED, "stopped: it fails at its start"),
        (VersionState.RETIRED, "no longer scheduled"),
    ],
)
def test_bot_without_a_rating_shows_its_state(state: VersionState, words: str) -> None:
    version = make_version(name="tiger", state=state)

    assert says(version.bot) == ["tiger", words]


def test_bot_without_a_version_has_a_badge() -> None:
    assert says(make_bot("tiger")) == ["tiger", "no version yet"]


def test_badge_says_what_the_page_of_standings_says() -> None:
    open_ladder()
    winner = make_version(name="tiger")
    make_version(name="lamb")
    seat_all()
    step()
    play_waiting(winner=winner.pk)

    name, standing = says(winner.bot)
    season = says(winner.bot, "?ladder=tuned")[1]
    page = page_of(Client().get("/leaderboards/tuned/")).text

    found = re.fullmatch(r"1st of 2 · beats an average bot (≥ \d+ %), provisional", standing)
    assert found
    assert found[1] in page
    assert name == "tiger · Tuned"
    assert season == "1st of 2 in season 1"


def test_choice_of_the_author_is_shown() -> None:
    ladder = open_ladder()
    version = make_version(name="tiger")
    seat_all()

    pause_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)
    paused = says(version.bot, "?ladder=tuned")[1]
    leave_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)

    assert paused == "no rank yet, paused"
    assert says(version.bot, "?ladder=tuned")[1] == "left the ladder"


def test_other_addresses_are_not_there() -> None:
    bot = make_bot()

    assert Client().get(f"/bots/{bot.pk}/badge.svg?ladder=chess").status_code == 404
    assert Client().get(f"/bots/{bot.pk + 1}/badge.svg").status_code == 404


def test_hostile_name_is_text_and_never_markup() -> None:
    bot = make_bot()
    Bot.objects.filter(pk=bot.pk).update(name='"><script>alert(1)</script>&<svg onload="x">')

    drawn = badge(bot)
    tree = ET.fromstring(drawn)

    assert {each.tag.rpartition("}")[2] for each in tree.iter()} == {
        "svg",
        "title",
        "rect",
        "path",
        "g",
        "text",
    }
    assert "<script" not in drawn
    assert tree.attrib["aria-label"] == tree[0].text
    assert "style" not in drawn


@pytest.mark.parametrize("name", ["i", "W" * 64, "棋" * 40, "tiger-3 of the woods", "é" * 30])
def test_text_takes_the_room_that_it_is_given(name: str) -> None:
    bot = make_bot()
    Bot.objects.filter(pk=bot.pk).update(name=name)

    tree = ET.fromstring(badge(bot))

    left, right = tree.iter(_TEXT)
    end = int(left.attrib["x"]) + int(left.attrib["textLength"])
    assert end < int(right.attrib["x"])
    last = int(right.attrib["x"]) + int(right.attrib["textLength"])
    assert last < int(tree.attrib["width"])
    assert left.attrib["lengthAdjust"] == "spacingAndGlyphs"


def test_unchanged_badge_is_not_sent_again() -> None:
    version = make_version()
    address = f"/bots/{version.bot_id}/badge.svg"

    first = Client().get(address)
    again = Client().get(address, headers={"If-None-Match": first["ETag"]})
    make_version(bot=version.bot, state=VersionState.REJECTED)
    changed = Client().get(address, headers={"If-None-Match": first["ETag"]})

    assert first["Cache-Control"] == "public, max-age=120"
    assert (again.status_code, again.content) == (304, b"")
    assert changed.status_code == 200


def test_badge_sets_no_cookie_and_asks_little(
    django_assert_max_num_queries: pytest.FixtureRequest,
) -> None:
    open_ladder()
    version = make_version()
    seat_all()

    with django_assert_max_num_queries(12):  # type: ignore[operator]  # a function
        answer = Client().get(f"/bots/{version.bot_id}/badge.svg?ladder=tuned")

    assert not answer.cookies


def test_page_of_the_bot_has_the_markdown_to_copy() -> None:
    bot = make_version(name="tiger").bot
    address = f"http://testserver/bots/{bot.pk}/"

    page = page_of(Client().get(f"/bots/{bot.pk}/"))

    wanted = f"[![tiger]({address}badge.svg)]({address})"
    assert wanted in page.text
    assert wanted in [each.get("data-copy") for each in page.all("button")]
    assert f"/bots/{bot.pk}/badge.svg" in [each.get("src") for each in page.all("img")]


def test_sign_above_a_letter_takes_no_room() -> None:
    assert badges._width("e\N{COMBINING ACUTE ACCENT}") == badges._width("e")


def test_bot_that_waits_for_its_place_shows_its_state() -> None:
    ladder = open_ladder()
    version = make_version(name="tiger")

    assert says(version.bot, "?ladder=tuned") == [
        f"tiger · {ladder.title}",
        "may play, no rank yet",
    ]
