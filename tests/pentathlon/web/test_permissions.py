"""Who may do what on the pages."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.tournaments.models import Tournament, TournamentState
from tests.factories import make_token, make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, started
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene, open_tournament

pytestmark = pytest.mark.django_db

_ACTIONS = ("start", "pause", "resume", "cancel")


def as_person(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def open_house(*, bots: int = 2) -> Tournament:
    owner = make_user(organiser=True)
    return open_tournament(owner, "Open House", [make_version() for _ in range(bots)])


@pytest.mark.parametrize("name", ["upload", "account", "tournament_new"])
def test_page_for_people_sends_strangers_to_sign_in(name: str) -> None:
    response = Client().get(reverse(name))

    assert response.status_code == 302
    assert response["Location"] == f"/sign-in/?next={reverse(name)}"


@pytest.mark.parametrize("action", _ACTIONS)
def test_foreign_tournament_cannot_be_run(action: str) -> None:
    tournament = open_house()
    client = as_person(make_user(organiser=True))

    response = client.post(reverse(f"tournament_{action}", args=[tournament.pk]))

    page_of(response)
    assert response.status_code == 403
    tournament.refresh_from_db()
    assert tournament.state == TournamentState.OPEN


@pytest.mark.parametrize("action", _ACTIONS[:3])
def test_looking_at_an_action_does_nothing(action: str) -> None:
    tournament = open_house()
    client = as_person(tournament.owner)

    assert client.get(reverse(f"tournament_{action}", args=[tournament.pk])).status_code == 405


def test_owner_runs_a_tournament_through_its_states() -> None:
    tournament = open_house()
    client = as_person(tournament.owner)
    states = []

    for action in ("start", "pause", "resume"):
        client.post(reverse(f"tournament_{action}", args=[tournament.pk]))
        tournament.refresh_from_db()
        states.append(tournament.state)

    assert states == ["running", "paused", "running"]


def test_start_with_too_few_bots_says_what_is_missing() -> None:
    tournament = open_house(bots=1)
    client = as_person(tournament.owner)

    response = client.post(reverse("tournament_start", args=[tournament.pk]), follow=True)

    assert "It takes at least 2 bots to start" in page_of(response).text


def test_cancelling_takes_the_name() -> None:
    tournament = open_house()
    client = as_person(tournament.owner)
    address = reverse("tournament_cancel", args=[tournament.pk])

    wrong = page_of(client.post(address, {"name": "Open"}))
    tournament.refresh_from_db()
    still = tournament.state
    client.post(address, {"name": "Open House"})
    tournament.refresh_from_db()

    assert "Type Open House to cancel it." in wrong.text
    assert (still, tournament.state) == (TournamentState.OPEN, TournamentState.CANCELLED)


def test_author_enters_and_withdraws_only_own_bots() -> None:
    tournament = open_house()
    author = make_user()
    own, foreign = make_version(owner=author), make_version()
    client = as_person(author)

    for version in (own, foreign):
        client.post(reverse("tournament_enter", args=[tournament.pk]), {"version": version.pk})
    entered = set(tournament.entries.values_list("version", flat=True))
    client.post(reverse("tournament_withdraw", args=[tournament.pk]), {"version": own.pk})

    assert own.pk in entered
    assert foreign.pk not in entered
    assert not tournament.entries.filter(version=own).exists()


def test_foreign_entry_cannot_be_withdrawn() -> None:
    tournament = open_house()
    entry = tournament.entries.get(number=0)
    client = as_person(make_user())

    address = reverse("tournament_withdraw", args=[tournament.pk])
    response = client.post(address, {"version": entry.version_id})

    assert response.status_code == 403
    assert tournament.entries.filter(pk=entry.pk).exists()


@pytest.mark.parametrize("name", ["version_archive", "version_retire"])
def test_foreign_version_stays_closed(name: str) -> None:
    version = make_version()

    response = as_person(make_user()).get(reverse(name, args=[version.pk]))

    assert response.status_code == 404


def test_owner_gets_the_archive_as_stored() -> None:
    version = make_version()

    response = as_person(version.bot.owner).get(reverse("version_archive", args=[version.pk]))

    assert response.content == bytes(version.archive.data)
    assert response["Content-Type"] == "application/zip"


def test_owner_retires_a_version_after_a_question() -> None:
    version = make_version()
    client = as_person(version.bot.owner)
    address = reverse("version_retire", args=[version.pk])

    asked = page_of(client.get(address))
    client.post(address)

    assert "cannot be undone" in asked.text
    assert BotVersion.objects.get(pk=version.pk).state == VersionState.RETIRED


def test_owner_has_a_version_checked_again(scene: Scene) -> None:
    version = scene.unchecked
    client = as_person(version.bot.owner)
    page = client.get(reverse("version", args=[version.pk]))

    after = client.post(reverse("version_validate", args=[version.pk]), follow=True)

    assert "Check it again" in page_of(page).text
    assert "no fault of the bot: Host away." in page_of(page).text
    assert "is being checked again" in page_of(after).text
    assert "Check it again" not in page_of(after).text
    assert BotVersion.objects.get(pk=version.pk).state == VersionState.VALIDATING


def test_others_see_that_the_host_failed_but_cannot_ask_again(scene: Scene) -> None:
    version = scene.unchecked
    client = as_person(make_user())

    page = page_of(client.get(reverse("version", args=[version.pk])))
    answer = client.post(reverse("version_validate", args=[version.pk]))

    assert "our machines failed" in page.text
    assert "Check it again" not in page.text
    assert answer.status_code == 404


def test_checking_a_sound_version_again_says_why_not() -> None:
    version = make_version()
    client = as_person(version.bot.owner)

    answer = client.post(reverse("version_validate", args=[version.pk]), follow=True)

    assert "valid already" in page_of(answer).text


def test_logs_are_for_the_author_alone(scene: Scene) -> None:
    address = reverse("match", args=[scene.done.pk])
    owners = {seat.version.bot.owner for seat in scene.done.seats.all()}

    seen = {
        user: "I think, therefore" in as_person(user).get(address).content.decode()
        for user in [*owners, make_user()]
    }

    first = scene.done.seats.get(seat=0).version.bot.owner
    assert [user for user, saw in seen.items() if saw] == [first]


def test_validation_log_is_for_the_author_alone(scene: Scene) -> None:
    address = reverse("version", args=[scene.rejected.pk])

    own = page_of(as_person(scene.author).get(address)).text
    other = page_of(as_person(scene.organiser).get(address)).text

    assert "no weights" in own
    assert "no weights" not in other
    assert "startup at ply 0" in other


def test_repairs_of_an_upload_are_for_the_author_alone(scene: Scene) -> None:
    repairs = [{"code": "junk", "detail": "Left out what desktops add: Thumbs.db."}]
    BotVersion.objects.filter(pk=scene.rejected.pk).update(repairs=repairs)
    address = reverse("version", args=[scene.rejected.pk])

    own = page_of(as_person(scene.author).get(address)).text
    other = page_of(as_person(scene.organiser).get(address)).text

    assert "Put right" in own
    assert "Thumbs.db" in own
    assert "Thumbs.db" not in other


def test_validation_match_is_hidden_from_others(scene: Scene) -> None:
    match = scene.validating.seats.all()[0].match
    address = reverse("match", args=[match.pk])

    assert as_person(scene.author).get(address).status_code == 200
    assert as_person(scene.organiser).get(address).status_code == 404
    assert Client().get(address).status_code == 404


def test_foreign_token_cannot_be_revoked() -> None:
    owner = make_user()
    token, _ = make_token(owner)

    response = as_person(make_user()).post(reverse("token_revoke", args=[token.public_id]))

    assert response.status_code == 404
    assert owner.auth_token_set.count() == 1


def test_sign_out_needs_a_form() -> None:
    client = as_person(make_user())

    assert client.get(reverse("sign_out")).status_code == 405
    assert client.post(reverse("sign_out")).status_code == 302
    assert client.get(reverse("account")).status_code == 302


def test_forged_form_gets_a_page_in_words() -> None:
    client = Client(enforce_csrf_checks=True)

    response = client.post(reverse("sign_in"), {"username": "a", "password": "b"})

    assert response.status_code == 403
    assert "Nothing was changed." in page_of(response).text


def _void_match() -> Match:
    tournament = started(bots=2)
    match = matches_of(tournament)[0]
    void_matches(matches=Match.objects.filter(pk=match.pk), reason="Three hosts failed.")
    return match


def test_organiser_has_a_void_match_played_after_all() -> None:
    match = _void_match()
    client = as_person(match.place.tournament.owner)

    page = page_of(client.get(reverse("match", args=[match.pk])))
    assert "Play it after all" in page.text
    response = client.post(reverse("match_requeue", args=[match.pk]), follow=True)

    assert "waits to be played again" in page_of(response).text
    match.refresh_from_db()
    assert match.state == MatchState.PENDING


def test_nobody_else_may_or_is_offered_to() -> None:
    match = _void_match()
    client = as_person(make_user(organiser=True))

    page = page_of(client.get(reverse("match", args=[match.pk])))
    response = client.post(reverse("match_requeue", args=[match.pk]))

    assert "Play it after all" not in page.text
    assert response.status_code == 403
