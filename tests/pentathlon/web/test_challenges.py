"""Pages on which authors challenge bots and everybody reads how that went."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pentathlon.accounts.models import User
from pentathlon.bots.models import VersionState
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.challenges.services import create_challenge
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.challenges.acting import challenged, drawn, play, waiting, won_by
from tests.pentathlon.web.pages import page_of, part_of

pytestmark = pytest.mark.django_db


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_button_on_a_bots_page_leads_to_a_challenge() -> None:
    author, rival = make_user(), make_version()
    version = make_version(owner=author)
    client = _signed_in(author)
    address = f"/challenges/new/?bot={rival.bot_id}"

    links = page_of(client.get(f"/bots/{rival.bot_id}/")).links()
    form = page_of(client.get(address))
    answer = client.post(address, {"version": version.pk, "game": "tuned", "blocks": 3})

    challenge = Challenge.objects.get()
    assert address in links
    assert re.search(r"Matches of challenges today ?0 ?400", form.text)
    assert answer["Location"] == f"/challenges/{challenge.pk}/"
    assert (challenge.version, challenge.opponent, challenge.blocks) == (version, rival, 3)


def test_larger_table_is_challenged_by_form() -> None:
    author = make_user()
    rival, *more = (make_version(games=("way_of_the_dragon",)) for _ in range(4))
    version = make_version(owner=author, games=("way_of_the_dragon",))
    client, address = _signed_in(author), f"/challenges/new/?bot={rival.bot_id}"
    asked = {"version": version.pk, "game": "way_of_the_dragon", "blocks": 1}

    form = page_of(client.get(address))
    offered = {each["value"] for each in form.all("input") if each.get("name") == "others"}
    crowd = [each.bot_id for each in more]
    client.post(address, {**asked, "others": crowd})

    assert offered == {str(bot_id) for bot_id in crowd}
    assert "Way of the Dragon has up to 5 seats" in form.text
    challenge = Challenge.objects.get()
    assert (challenge.others, challenge.planned) == ([each.pk for each in more], 10)
    page = page_of(client.get(f"/challenges/{challenge.pk}/"))
    assert all(each.bot.name in page.text for each in more)


def test_games_of_two_seats_have_no_more_chairs_to_fill() -> None:
    rival, author = make_version(), make_user()
    make_version(owner=author)

    form = page_of(_signed_in(author).get(f"/challenges/new/?bot={rival.bot_id}"))

    assert "More bots at the table" not in form.text


def test_own_bot_and_one_out_of_play_have_no_button() -> None:
    author = make_user()
    own, retired = make_version(owner=author), make_version(state=VersionState.RETIRED)
    client = _signed_in(author)

    for bot_id in (own.bot_id, retired.bot_id):
        assert "Challenge this bot" not in page_of(client.get(f"/bots/{bot_id}/")).text


def test_version_page_offers_a_test_against_the_one_before_to_its_author() -> None:
    author = make_user()
    old = make_version(owner=author)
    make_version(bot=old.bot, state=VersionState.RETIRED)
    new = make_version(bot=old.bot)
    client = _signed_in(author)

    page = page_of(client.get(f"/versions/{new.pk}/"))
    address = f"/challenges/new/?against={old.pk}&version={new.pk}"
    form = page_of(client.get(address))
    client.post(address, {"version": new.pk, "game": "tuned", "blocks": 10})

    challenge = Challenge.objects.get()
    assert address in page.links()
    assert "Test against version 1" in page.text
    assert form.field("blocks")["value"] == "10"
    assert (challenge.version, challenge.opponent, challenge.is_test) == (new, old, True)
    assert "Test against" not in page_of(Client().get(f"/versions/{new.pk}/")).text


def test_refusal_of_the_service_stands_on_the_form() -> None:
    author, rival = make_user(), make_version()
    version = make_version(owner=author)
    for _ in range(3):
        create_challenge(actor=author, version=version.pk, bot=rival.bot_id, blocks=1)

    answer = _signed_in(author).post(
        f"/challenges/new/?bot={rival.bot_id}",
        {"version": version.pk, "game": "tuned", "blocks": 1},
    )

    assert "the most that one author may have at a time" in page_of(answer).text


def test_result_page_shows_score_interval_seats_and_what_is_sealed() -> None:
    challenge = challenged(blocks=2)
    first, second, *_ = waiting(challenge)
    play([first], won_by(challenge.version))
    play([second], drawn)

    page = page_of(Client().get(f"/challenges/{challenge.pk}/"))

    assert "1.5 of 2" in page.text
    assert "75 %" in page.text
    assert "the test needs 20 blocks" in page.text
    assert str(first.seed) in page.text
    assert str(waiting(challenge)[0].seed) not in page.text
    assert page.text.count("sealed") == 2
    assert {f"/matches/{match.pk}/" for match in challenge.matches} <= set(page.links())


def test_open_page_renews_itself_until_the_challenge_is_done() -> None:
    challenge = challenged(blocks=1)
    address, asked = f"/challenges/{challenge.pk}/", {"X-Part": "true"}

    running = part_of(Client().get(address, headers=asked))
    play(waiting(challenge), drawn)
    done = part_of(Client().get(address, headers=asked))

    assert [each["data-renew"] for each in running.all("div") if "data-renew" in each] == [address]
    assert not [each for each in done.all("div") if "data-renew" in each]
    assert "No block is complete yet" in running.text


def test_button_that_cancels_goes_once_there_is_nothing_to_cancel() -> None:
    challenge = challenged(blocks=1)
    client = _signed_in(challenge.author)
    address, asked = f"/challenges/{challenge.pk}/", {"X-Part": "true"}

    running = part_of(client.get(address, headers=asked))
    play(waiting(challenge), drawn)
    done = part_of(client.get(address, headers=asked))

    assert "Cancel the challenge" in running.text
    assert "Cancel the challenge" not in done.text


def test_only_its_author_has_the_button_that_cancels() -> None:
    challenge = challenged(blocks=1)
    address = f"/challenges/{challenge.pk}/"

    own = page_of(_signed_in(challenge.author).get(address))
    other = page_of(_signed_in(make_user()).get(address))
    refused = _signed_in(make_user()).post(f"{address}cancel/")
    _signed_in(challenge.author).post(f"{address}cancel/")

    challenge.refresh_from_db()
    assert "Cancel the challenge" in own.text
    assert "Cancel the challenge" not in other.text
    assert (refused.status_code, challenge.state) == (403, "cancelled")


def test_match_page_leads_back_to_its_challenge() -> None:
    challenge = challenged(blocks=1)
    match = waiting(challenge)[0]

    page = page_of(Client().get(f"/matches/{match.pk}/"))

    assert f"/challenges/{challenge.pk}/" in page.links()


def test_account_lists_ones_challenges_with_the_quota() -> None:
    challenge = challenged(blocks=2)
    play(waiting(challenge)[:2], won_by(challenge.version))
    other = challenged()

    page = page_of(_signed_in(challenge.author).get("/account/"))

    assert f"/challenges/{challenge.pk}/" in page.links()
    assert f"/challenges/{other.pk}/" not in page.links()
    assert re.search(r"Matches of challenges today ?4 ?400", page.text)


@pytest.mark.parametrize("address", ["/challenges/", "/account/", "/challenges/{last}/"])
def test_pages_ask_as_often_for_many_challenges_as_for_one(address: str) -> None:
    author = make_user()
    counts = []
    for blocks in (1, 4):
        last = challenged(author=author, blocks=blocks)
        play(waiting(last), drawn)
        client = _signed_in(author)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address.format(last=last.pk)).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_without_an_opponent_one_is_sent_to_the_bots() -> None:
    answer = _signed_in(make_user()).get("/challenges/new/")

    assert answer["Location"] == "/bots/"


def test_own_bot_is_tested_and_not_challenged() -> None:
    version = make_version()
    author = Client()
    author.force_login(version.bot.owner)

    assert author.get("/challenges/new/", {"bot": version.bot_id}).status_code == 404
    assert author.get("/challenges/new/", {"against": version.pk}).status_code == 200
