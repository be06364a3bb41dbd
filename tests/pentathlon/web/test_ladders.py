"""The pages of ladders."""

import pytest
from django.test import Client

from pentathlon.ladders.models import LadderMember
from tests.factories import make_user, make_version
from tests.pentathlon.ladders.playing import (
    division_of,
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

pytestmark = pytest.mark.django_db


def _page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_list_and_table_show_the_field(client: Client) -> None:
    ladder = open_ladder(all_others=True)
    mark, version = make_reference(), make_version()
    seat_all()
    step()
    play_waiting(winner=version.pk)

    assert "Tash-Kalar: Deathmatch Duel" in _page(client, "/ladders/")
    page = _page(client, "/ladders/tuned/")

    assert version.bot.name in page
    assert mark.bot.name in page
    assert ">reference<" in page
    assert f"/tournaments/{division_of(ladder).tournament_id}/" in page
    assert "/ladders/tuned/" in _page(client, "/leaderboards/tuned/")
    assert "plays within seconds" in _page(client, "/")
    assert "plays within seconds" in _page(client, "/games/tuned/")


def test_ladder_that_cannot_fill_a_table_says_so(client: Client) -> None:
    open_ladder("way_of_the_dragon-5", all_others=True)
    for _ in range(3):
        make_reference(games=["way_of_the_dragon"])
    seat_all()

    assert "waits for 2 more bots" in _page(client, "/ladders/")
    page = _page(client, "/ladders/way_of_the_dragon-5/")
    assert "A table\nhas 5 seats: 2 more bots must join." in page

    for _ in range(2):
        make_reference(games=["way_of_the_dragon"])
    seat_all()
    assert "waits for company" in page
    assert "must join" not in _page(client, "/ladders/way_of_the_dragon-5/")


def test_division_has_the_pages_of_a_tournament(client: Client) -> None:
    ladder = open_ladder()
    make_version()
    make_version()
    seat_all()
    step()

    for part in ("", "matches/", "schedule/", "faults/", "document/"):
        _page(client, f"/tournaments/{division_of(ladder).tournament_id}/{part}")


def test_version_page_says_when_the_first_match_is(client: Client) -> None:
    open_ladder()
    version = make_version()
    seat_all()
    assert "waits for opponents" in _page(client, f"/versions/{version.pk}/")
    make_reference()
    seat_all()
    step()

    page = _page(client, f"/versions/{version.pk}/")

    assert "first\nmatch" in page
    play_waiting()
    assert "1st of 1" in _page(client, f"/versions/{version.pk}/")


def test_author_pauses_and_leaves_on_the_page_of_the_bot(client: Client) -> None:
    open_ladder()
    version = make_version()
    seat_all()
    client.force_login(version.bot.owner)
    assert 'value="pause"' in _page(client, f"/bots/{version.bot_id}/")

    for choice, stored in (("pause", "paused"), ("join", "in"), ("leave", "out")):
        client.post(f"/bots/{version.bot_id}/ladders/tuned/", {"choice": choice})
        assert LadderMember.objects.get(bot=version.bot, ladder__key="tuned").choice == stored


def test_others_see_no_buttons_and_cannot_choose(client: Client) -> None:
    open_ladder()
    version = make_version()
    seat_all()
    client.force_login(make_user())

    assert 'value="pause"' not in _page(client, f"/bots/{version.bot_id}/")
    answer = client.post(f"/bots/{version.bot_id}/ladders/tuned/", {"choice": "leave"})
    assert answer.status_code == 404


def test_ladder_season_or_division_that_is_not_there(client: Client) -> None:
    open_ladder()
    make_version()
    seat_all()
    statuses = {
        "/ladders/king/": 404,
        "/ladders/tuned/seasons/2/": 404,
        "/ladders/tuned/?division=2": 404,
        "/ladders/tuned/?division=x": 200,
        "/ladders/tuned/seasons/1/standings.csv?division=9": 404,
    }

    assert {address: client.get(address).status_code for address in statuses} == statuses


def test_choice_that_nobody_has_is_refused(client: Client) -> None:
    ladder = open_ladder()
    version = make_version()
    client.force_login(version.bot.owner)

    answer = client.post(f"/bots/{version.bot_id}/ladders/{ladder.key}/", {"choice": "win"})

    assert answer.status_code == 404
    assert not LadderMember.objects.filter(bot=version.bot).exists()
