"""Pages on which organisers make blocks and rounds void, or have them played again."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.models import Tournament
from tests.databases import made_once
from tests.factories import make_user
from tests.pentathlon.tournaments.acting import matches_of, settle, started
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


made_cup = made_once(lambda: started(bots=4))


@pytest.fixture
def running(made_cup: Tournament, db: None) -> Tournament:
    return Tournament.objects.get(pk=made_cup.pk)


def _as(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def _link(tournament: Tournament, kind: str, query: str) -> str:
    return f"{reverse(f'tournament_{kind}', args=[tournament.pk])}?{query}"


def test_organiser_makes_a_block_void_after_saying_why(running: Tournament) -> None:
    client, link = _as(running.owner), _link(running, "void", "block=1")
    schedule = reverse("tournament_schedule", args=[running.pk])
    assert link in page_of(client.get(schedule)).links()
    assert "1 block with 2 matches; 0 of them are done." in page_of(client.get(link)).text

    refused = client.post(link, {"reason": ""})
    done = client.post(link, {"reason": "A broken host."}, follow=True)

    assert page_of(refused).field("reason")["aria-invalid"] == "true"
    assert "Ordered: 1 block to be made void." in page_of(done).text
    void = Match.objects.filter(state=MatchState.VOID)
    assert [match.place.block for match in void] == [1, 1]
    assert running.blocks.get(number=1).reason == "A broken host."


def test_void_block_is_played_again(running: Tournament) -> None:
    client = _as(running.owner)
    client.post(_link(running, "void", "block=1"), {"reason": "A broken host."})

    client.post(_link(running, "rerun", "block=1"), {"reason": "It is mended."})
    again = client.post(_link(running, "rerun", "block=1"), {"reason": "Twice."}, follow=True)

    assert not Match.objects.filter(state=MatchState.VOID).exists()
    assert "Nothing changes" in page_of(again).text


def test_round_is_ordered_as_a_whole(running: Tournament) -> None:
    client, link = _as(running.owner), _link(running, "void", "round=2")

    done = client.post(link, {"reason": "A power cut."}, follow=True)

    assert "Ordered: 2 blocks to be made void." in page_of(done).text
    assert set(running.blocks.exclude(order="").values_list("round", flat=True)) == {2}


@pytest.mark.parametrize("kind", ["void", "rerun"])
def test_strangers_are_led_to_no_orders(kind: str, running: Tournament) -> None:
    client, link = _as(make_user()), _link(running, kind, "block=1")

    assert client.get(link).status_code == 403
    assert client.post(link, {"reason": "No."}).status_code == 403
    schedule = reverse("tournament_schedule", args=[running.pk])
    assert link not in page_of(client.get(schedule)).links()


@pytest.mark.parametrize("query", ["", "block=x", "block=99", "round=9999", "block=1&round=1"])
def test_what_was_not_made_is_not_found(query: str, running: Tournament) -> None:
    assert _as(running.owner).get(_link(running, "void", query)).status_code == 404


def test_organiser_has_one_finished_match_played_again(running: Tournament) -> None:
    settle(matches_of(running)[:2])
    done = matches_of(running)[0]
    client, link = _as(running.owner), reverse("match_rerun", args=[done.pk])
    schedule = reverse("tournament_schedule", args=[running.pk])
    assert link in page_of(client.get(schedule)).links()

    refused = client.post(link, {"reason": ""})
    again = client.post(link, {"reason": "A broken host."}, follow=True)

    assert page_of(refused).field("reason")["aria-invalid"] == "true"
    place = running.tournament_matches.get(index=1)
    assert (place.match.state, place.match.seed) == (MatchState.PENDING, done.seed)
    assert f"Match {place.match_id} waits to be played in its place." in page_of(again).text
    assert running.blocks.get(number=1).reason == "A broken host."
    done.refresh_from_db()
    assert done.is_revoked


def test_organiser_makes_one_match_void_after_saying_why(running: Tournament) -> None:
    settle(matches_of(running)[:2])
    done = matches_of(running)[0]
    client, link = _as(running.owner), reverse("match_void", args=[done.pk])
    schedule = reverse("tournament_schedule", args=[running.pk])
    assert link in page_of(client.get(schedule)).links()
    assert "replayed with the same seed in block 1" in page_of(client.get(link)).text

    refused = client.post(link, {"reason": ""})
    void = client.post(link, {"reason": "A broken host."}, follow=True)

    assert page_of(refused).field("reason")["aria-invalid"] == "true"
    place = running.tournament_matches.get(index=1)
    sentence = f"Match {done.pk} is void; match {place.match_id} waits to be played in its place."
    assert sentence in page_of(void).text
    assert running.blocks.get(number=1).reason == "A broken host."


def test_strangers_make_no_match_void(running: Tournament) -> None:
    link = reverse("match_void", args=[matches_of(running)[0].pk])

    assert _as(make_user()).get(link).status_code == 403
    assert _as(make_user()).post(link, {"reason": "No."}).status_code == 403


def test_strangers_have_no_match_played_again(running: Tournament) -> None:
    settle(matches_of(running)[:2])
    done = matches_of(running)[0]
    client, link = _as(make_user()), reverse("match_rerun", args=[done.pk])

    assert client.get(link).status_code == 403
    assert client.post(link, {"reason": "No."}).status_code == 403
    schedule = reverse("tournament_schedule", args=[running.pk])
    assert link not in page_of(client.get(schedule)).links()
