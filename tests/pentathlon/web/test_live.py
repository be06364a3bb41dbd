"""What open pages ask for, and the headers that every page carries."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool, live_key
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.services import close_finished
from tests.factories import make_user
from tests.pentathlon.web.pages import page_of, part_of
from tests.pentathlon.web.scene import Scene, play_all

pytestmark = pytest.mark.django_db


def polled(address: str) -> list[str]:
    """Return what the page at this address asks for again and again."""
    page = page_of(Client().get(address))
    return [a["data-renew"] for _, a in page.elements if "data-renew" in a]


def test_home_asks_for_matches_and_tournaments(scene: Scene) -> None:
    asked = set(polled("/"))

    assert {"/now/matches/", "/now/tournaments/"} <= {each.partition("?")[0] for each in asked}


def test_card_tells_no_ply_beside_the_board_of_the_start(scene: Scene) -> None:
    Match.objects.filter(pk=scene.live.pk).update(ply=9)

    part = part_of(Client().get("/now/matches/"))

    assert any("data-live-ply" in each for each in part.all("span"))
    assert "ply 9" not in part.text
    assert "live" in part.text


@pytest.mark.parametrize("address", ["/now/matches/", "/now/tournaments/"])
def test_parts_of_home_go_on_asking(scene: Scene, address: str) -> None:
    part = part_of(Client().get(address))

    assert [a["data-renew"] for a in part.all("section")] == [address]


def test_running_tournament_asks_and_a_closed_one_does_not(scene: Scene) -> None:
    running = polled(reverse("tournament", args=[scene.running.pk]))

    assert len(running) == 2
    assert polled(reverse("tournament", args=[scene.closed.pk])) == []


def test_new_results_are_announced_once(scene: Scene) -> None:
    address = polled(reverse("tournament", args=[scene.running.pk]))[1]
    before = Client().get(address)

    play_all(scene.running, limit=1)
    after = Client().get(address)

    assert before.status_code == 204
    assert after.status_code == 200
    assert "Table changed: 1 new result" in part_of(after).text


def test_new_ratings_are_announced_on_the_leaderboard(scene: Scene) -> None:
    (address,) = polled("/leaderboards/tuned/")

    before = Pool.objects.get(key=live_key("tuned")).applied_seq

    play_all(scene.running)

    # Results between two bots of one author do not count there.
    new = Pool.objects.get(key=live_key("tuned")).applied_seq - before
    assert new > 1
    assert f"Table changed: {new} new results" in part_of(Client().get(address)).text


def test_checks_of_an_upload_ask_until_they_are_settled(scene: Scene) -> None:
    address = reverse("version", args=[scene.validating.pk])
    waiting = polled(address)

    BotVersion.objects.filter(pk=scene.validating.pk).update(state=VersionState.ELIGIBLE)
    part = part_of(Client(headers={"X-Part": "true"}).get(address))

    assert waiting == [address]
    assert not [a for a in part.all("section") if "data-renew" in a]
    assert "May play" in part.text


def test_page_forbids_inline_code(scene: Scene) -> None:
    policy = Client().get("/")["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_chosen_theme_is_written_into_the_page(theme: str) -> None:
    client = Client()

    response = client.post(reverse("theme"), {"theme": theme, "next": "/games/"}, follow=True)

    assert response.redirect_chain == [("/games/", 302)]
    assert page_of(response).all("html")[0]["data-theme"] == theme


def test_theme_of_the_device_is_the_usual_one() -> None:
    client = Client()
    client.post(reverse("theme"), {"theme": "dark"})
    client.post(reverse("theme"), {"theme": "auto"})

    assert "data-theme" not in page_of(client.get("/")).all("html")[0]


def test_odd_theme_cookie_does_not_reach_the_page() -> None:
    client = Client()
    client.cookies["theme"] = '"><b>'

    assert "data-theme" not in page_of(client.get("/")).all("html")[0]


def test_organiser_sees_controls_and_others_do_not(scene: Scene) -> None:
    address = reverse("tournament", args=[scene.running.pk])
    organiser, other = Client(), Client()
    organiser.force_login(scene.organiser)
    other.force_login(make_user(organiser=True))

    assert "Pause" in page_of(organiser.get(address)).text
    assert "Pause" not in page_of(other.get(address)).text


def test_status_tells_when_nobody_hands_out_matches() -> None:
    assert "Matches are not being handed out." in page_of(Client().get("/status/")).text


def test_page_of_a_tournament_is_loaded_anew_when_it_ends(scene: Scene) -> None:
    progress = next(a for a in polled(f"/tournaments/{scene.running.pk}/") if "progress" in a)
    assert "X-Reload" not in Client().get(progress).headers

    play_all(scene.running)
    close_finished()

    assert Client().get(progress).headers["X-Reload"] == "true"
    page = page_of(Client().get(f"/tournaments/{scene.running.pk}/"))
    assert "Pause" not in page.text
    assert not any("data-renew" in a for _, a in page.elements)


def test_page_says_that_the_schedule_is_being_made(scene: Scene) -> None:
    running = Tournament.objects.filter(pk=scene.running.pk)
    running.update(planned=1000, is_fully_scheduled=False)

    page = page_of(Client().get(f"/tournaments/{scene.running.pk}/"))

    assert "6 matches made so far, of 1,000." in page.text


def test_page_of_a_running_match_has_a_place_for_its_board_and_a_link(scene: Scene) -> None:
    page = page_of(Client().get(f"/matches/{scene.live.pk}/"))

    viewers = [a["data-live-viewer"] for a in page.all("div") if "data-live-viewer" in a]
    assert viewers == [f"/live/matches/{scene.live.pk}/"]
    assert "Refresh to see how far it is." in page.text


def test_cards_of_running_matches_name_them_and_others_do_not(scene: Scene) -> None:
    part = part_of(Client().get("/now/matches/"))

    named = [a["data-live-match"] for a in part.all("li") if "data-live-match" in a]
    assert named == [str(scene.live.pk)]


def test_tournament_page_follows_it_until_it_has_ended(scene: Scene) -> None:
    def followed(pk: int) -> list[str]:
        page = page_of(Client().get(reverse("tournament", args=[pk])))
        return [a["data-live-page"] for a in page.all("div") if "data-live-page" in a]

    assert f"/live/tournaments/{scene.running.pk}/?since=" in followed(scene.running.pk)[0]
    assert not followed(scene.closed.pk)[0]
