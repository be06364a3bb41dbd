"""Pictures to share: PNG of public things, bounded, without hidden ones."""

import re
import struct
from random import Random

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from pentathlon.bots.models import Bot
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match
from pentathlon.tournaments.models import Tournament
from pentathlon.web.drawing.boards import match_cards, thumbnail
from pentathlon.web.views import pictures
from pentathlon.web.views.pictures import HEIGHT, WIDTH, draw_card, fit, list_card, match_card
from pentathlon_engines import CHANCE, GAMES
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

HOSTILE = "</text><script>alert(1)</script><image href='file:///x'/>&\u0008\u202e"


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def drawn_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list to which the views' cards go, instead of being drawn."""
    drawn: list[str] = []

    def draw(card: str) -> bytes:
        drawn.append(card)
        return b"png"

    monkeypatch.setattr("pentathlon.web.views.pictures.draw_card", draw)
    return drawn


@pytest.fixture(scope="module")
def boards() -> dict[str, str]:
    """Give the first position of every game in which somebody has to act, as spectators see it."""
    drawn = {}
    for key, game in GAMES.items():
        state, luck = game.start(), Random(1)
        while state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(luck))
        drawn[key] = state.svg()
    return drawn


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_drawn_in_a_bounded_size(game: str, boards: dict[str, str]) -> None:
    card = match_card(
        board=boards[game],
        game=GAMES[game].info.title,
        names=[HOSTILE, "ß" * 64, "x", "y", "z"],
        winners=[1],
        place="ply 3 of 9",
        said=HOSTILE,
    )
    draw_card.cache_clear()

    png = draw_card(card)

    assert size(png) == (WIDTH, HEIGHT)
    assert len(png) < 200_000
    assert "<script" not in card
    assert "<image" not in card
    assert draw_card(card) is png


def test_letters_come_with_us_and_are_drawn() -> None:
    empty = list_card(title="", subtitle="", rows=[])
    told = list_card(title="Château", subtitle="Ελλάδα", rows=[("1st", "Жук", "30.1")])

    assert len(draw_card(told)) > len(draw_card(empty)) + 2000


def test_long_and_odd_names_become_one_short_line() -> None:
    assert fit("a" * 100, 10) == "a" * 9 + "…"
    assert fit("a\u0008\n\u202eb", 10) == "a\ufffd\ufffd\ufffdb"


@pytest.mark.django_db
def test_pictures_are_kept_by_their_content(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = drawn_by(monkeypatch)
    address = reverse("match_picture", args=[scene.done.pk])
    first = Client().get(address)

    again = Client().get(address, headers={"if-none-match": first["ETag"]})
    other = Client().get(address, {"ply": "99999"})

    assert first["Content-Type"] == "image/png"
    assert first["Cache-Control"].startswith("public")
    assert again.status_code == 304
    assert other["ETag"] != first["ETag"]
    assert len(drawn) == 2
    assert " won" not in drawn[0], "who shares a link gives the end away"
    assert " won" in drawn[1]


@pytest.mark.django_db
def test_pictures_of_bots_and_leaderboards_are_drawn(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    Bot.objects.filter(pk=scene.versions[1].bot_id).update(name=HOSTILE)
    drawn = drawn_by(monkeypatch)

    Client().get(reverse("bot_picture", args=[scene.versions[1].bot_id]))
    Client().get(reverse("leaderboard_picture", args=["tuned"]))

    assert len(drawn) == 2
    assert "&lt;/text&gt;" in drawn[0]
    assert all("<script" not in card and "<image" not in card for card in drawn)
    monkeypatch.undo()
    assert size(pictures.draw_card(drawn[0])) == (WIDTH, HEIGHT)
    assert Client().get(reverse("leaderboard_picture", args=["chess"])).status_code == 404


@pytest.mark.django_db
def test_pictures_of_the_site_and_of_games_show_boards(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    Bot.objects.filter(pk=scene.versions[1].bot_id).update(name=HOSTILE)
    drawn = drawn_by(monkeypatch)

    Client().get(reverse("home_picture"))
    Client().get(reverse("game_picture", args=["tuned"]))

    site, game = drawn
    assert site.count("<svg ") == 1 + len(GAMES)
    assert all(each.info.title in site for each in GAMES.values())
    assert game.count("<svg ") == 2
    assert "&lt;/text&gt;" in game
    assert "<script" not in game
    assert "<image" not in game
    monkeypatch.undo()
    for card in drawn:
        assert size(draw_card(card)) == (WIDTH, HEIGHT)
        assert len(draw_card(card)) < 300_000
    assert Client().get(reverse("game_picture", args=["chess"])).status_code == 404


@pytest.mark.django_db
def test_picture_of_a_tournament_shows_how_it_stands(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    Tournament.objects.filter(pk=scene.closed.pk).update(name=HOSTILE)
    drawn = drawn_by(monkeypatch)

    for each in (scene.closed, scene.running, scene.open):
        Client().get(reverse("tournament_picture", args=[each.pk]))

    closed, running, still_open = drawn
    assert "&lt;/text&gt;" in closed
    assert "<script" not in closed
    assert all(version.bot.name[:20] in closed for version in scene.versions)
    assert "1st" in running
    assert "open for entries, 1 bot" in still_open
    assert "1st" not in still_open
    monkeypatch.undo()
    assert size(draw_card(closed)) == (WIDTH, HEIGHT)


@pytest.mark.django_db
def test_picture_of_a_tournament_tells_nothing_that_is_hidden(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    HiddenLane.objects.create(lane=scene.running.pk, organiser=scene.organiser)
    Tournament.objects.filter(pk=scene.open.pk).update(state="draft")
    drawn = drawn_by(monkeypatch)
    client = Client()
    client.force_login(scene.organiser)

    client.get(reverse("tournament_picture", args=[scene.running.pk]))
    draft = client.get(reverse("tournament_picture", args=[scene.open.pk]))
    page = page_of(client.get(reverse("tournament", args=[scene.open.pk])))

    (card,) = drawn
    assert "1st" not in card
    assert not any(version.bot.name[:20] in card for version in scene.versions)
    assert draft.status_code == 404
    assert not [each for each in page.all("meta") if each.get("property") == "og:image"]


@pytest.mark.django_db
def test_what_is_hidden_or_not_over_has_no_picture(scene: Scene) -> None:
    HiddenLane.objects.create(lane=scene.done.lane, organiser=scene.organiser)
    client = Client()
    client.force_login(scene.organiser)

    for match in (scene.done, scene.live, scene.void):
        assert client.get(reverse("match_picture", args=[match.pk])).status_code == 404
    page = page_of(client.get(reverse("match", args=[scene.done.pk])))
    assert not [each for each in page.all("meta") if each.get("property") == "og:image"]


@pytest.mark.django_db
def test_pages_name_their_picture_and_describe_themselves(scene: Scene) -> None:
    match = Match.objects.public().recent()[0]
    pages = {
        reverse("match", args=[match.pk]): reverse("match_picture", args=[match.pk]),
        reverse("match", args=[match.pk]) + "?ply=2": reverse("match_picture", args=[match.pk])
        + "?ply=2",
        reverse("bot", args=[scene.versions[0].bot_id]): reverse(
            "bot_picture", args=[scene.versions[0].bot_id]
        ),
        reverse("leaderboard", args=["tuned"]): reverse("leaderboard_picture", args=["tuned"]),
    }

    pages |= {
        address: f"{address}share.png"
        for address in (
            "/",
            *(reverse("game", args=[key]) for key in GAMES),
            *(reverse("tournament", args=[each.pk]) for each in (scene.open, scene.closed)),
        )
    }

    for address, picture in pages.items():
        metas = page_of(Client().get(address)).all("meta")
        told = {each.get("property") or each.get("name"): each.get("content") for each in metas}
        assert told["og:image"] == f"http://testserver{picture}"
        assert told["og:url"] == f"http://testserver{address}"
        assert told["og:title"]
        assert told["og:description"] == told["description"]
        assert told["twitter:card"] == "summary_large_image"
        assert told["og:image:alt"] == told["og:title"]
        assert (told["og:image:width"], told["og:image:height"]) == (str(WIDTH), str(HEIGHT))


@pytest.mark.django_db
def test_somebody_who_asks_for_too_many_pictures_waits(scene: Scene, settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "pictures": "1/min"}
    address = reverse("bot_picture", args=[scene.versions[0].bot_id])

    statuses = [Client().get(address).status_code for _ in range(2)]

    assert statuses == [200, 429]


def test_thumbnail_leaves_out_what_lies_beside_the_playing_area(boards: dict[str, str]) -> None:
    for game, board in boards.items():
        small = thumbnail(board)
        cells = re.findall('data-cell="[^"]*"', board)

        assert re.findall('data-cell="[^"]*"', small) == cells, game
        assert "data-seat" in board
        assert "data-seat" not in small
        assert "data-card" not in small
        assert small.count("<g") == small.count("</g>")
        assert len(small) < len(board)


@pytest.mark.django_db
def test_board_on_a_card_has_no_letters_too_small_to_read(scene: Scene) -> None:
    (card,) = match_cards([scene.done])

    assert "data-cell" in card.picture
    assert "<text" not in card.picture
